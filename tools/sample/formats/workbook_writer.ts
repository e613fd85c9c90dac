import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import writeExcelFile from 'write-excel-file/node';
import yauzl from 'yauzl';
import yazl from 'yazl';

/** Local time, because the zip format stores local fields: they are the same in every time zone. */
const MTIME = new Date(2025, 10, 17, 9, 0, 0);

/** A sheet by its rows; null is an empty cell. */
export interface SampleSheet {
  readonly name: string;
  readonly rows: readonly (readonly (string | number | null)[])[];
}

/**
 * Writes an .xlsx; the same sheets give the same bytes, because the zip is packed again with one fixed time. All cells are in
 * memory: for workbooks up to some 100,000 rows.
 */
export async function writeWorkbook(path: string, sheets: readonly SampleSheet[]): Promise<void> {
  const made = await writeExcelFile(
    sheets.map(({ name, rows }) => ({ sheet: name, data: rows.map((row) => [...row]) })),
  ).toBuffer();
  const members: [name: string, bytes: Buffer][] = [];
  const zip = await yauzl.fromBufferPromise(made);
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    members.push([entry.fileName, Buffer.concat(chunks)]);
  }
  const packed = new yazl.ZipFile();
  for (const [name, bytes] of members.sort(([a], [b]) => (a < b ? -1 : 1)))
    packed.addBuffer(bytes, name, { mtime: MTIME, mode: 0o100644, forceDosTimestamp: true });
  packed.end();
  await pipeline(packed.outputStream, createWriteStream(path));
}
