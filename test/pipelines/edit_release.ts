import { createWriteStream } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import yazl from 'yazl';
import { listZip, readMember } from '../../sources/formats/archive/zip.ts';

/** Changes the text of the members of a zip whose name matches; the others stay as they are. */
export async function editZip(path: string, matches: RegExp, edit: (text: string) => string): Promise<void> {
  const zip = new yazl.ZipFile();
  for (const member of await listZip(path, () => true)) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of readMember(member)) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const content = matches.test(member.name) ? Buffer.from(edit(bytes.toString('utf8'))) : bytes;
    zip.addBuffer(content, member.name, { mtime: new Date(Date.UTC(2025, 10, 17)) });
  }
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(`${path}.new`));
  await rename(`${path}.new`, path);
}

/** Changes rows of a delimited text with a header; `edit` returns the row, another one, or null to delete it. */
export function editRows(
  text: string,
  edit: (row: string[], columns: readonly string[]) => string[] | null,
): string {
  const [header, ...lines] = text.split('\r\n');
  const columns = header!.split('|');
  const kept = lines.flatMap((line) => {
    if (line === '') return [line];
    const row = edit(line.split('|'), columns);
    return row === null ? [] : [row.join('|')];
  });
  return [header, ...kept].join('\r\n');
}

/** Sets a text field of one record of a .dbf in place. */
export async function editDbf(path: string, record: number, field: string, value: string): Promise<void> {
  const bytes = await readFile(path);
  const headerLength = bytes.readUInt16LE(8);
  const recordLength = bytes.readUInt16LE(10);
  for (let at = 32, offset = 1; bytes[at] !== 0x0d; at += 32) {
    const name = bytes.toString('latin1', at, at + 11).replace(/\0.*$/s, '');
    const length = bytes[at + 16]!;
    if (name === field) {
      bytes.write(value.padEnd(length), headerLength + record * recordLength + offset, length, 'latin1');
      await writeFile(path, bytes);
      return;
    }
    offset += length;
  }
  throw new Error(`${path} has no field ${field}`);
}
