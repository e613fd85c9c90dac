import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import yauzl from 'yauzl';
import { zipBytes } from '../sources/zip_writer.ts';

/** A copy of a sample country, to be damaged. */
export async function copySample(dir: string, parent: string): Promise<string> {
  const copy = await mkdtemp(join(parent, 'damaged-'));
  await cp(dir, copy, { recursive: true });
  return copy;
}

/** Path of the G-NAF zip of a sample country. */
export async function gnafZip(dir: string): Promise<string> {
  const name = (await readdir(join(dir, 'gnaf'))).find((each) => each.endsWith('.zip'))!;
  return join(dir, 'gnaf', name);
}

async function membersOf(path: string): Promise<{ name: string; bytes: Buffer }[]> {
  const members: { name: string; bytes: Buffer }[] = [];
  const zip = await yauzl.fromBufferPromise(await readFile(path), { lazyEntries: true });
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    members.push({ name: entry.fileName, bytes: Buffer.concat(chunks) });
  }
  return members;
}

/** Rewrites one table of the G-NAF zip. `edit` gets its lines, the header first, without line ends; null leaves the table out. */
export async function editTable(
  dir: string,
  table: string,
  edit: (lines: string[]) => string[] | null,
): Promise<void> {
  const path = await gnafZip(dir);
  const members = [];
  for (const { name, bytes } of await membersOf(path)) {
    if (!name.endsWith(`/${table}_psv.psv`)) {
      members.push({ name, bytes });
      continue;
    }
    const lines = edit(
      bytes
        .toString('utf8')
        .replace(/\r?\n$/, '')
        .split(/\r?\n/),
    );
    if (lines !== null) members.push({ name, bytes: Buffer.from(`${lines.join('\r\n')}\r\n`) });
  }
  await writeFile(path, await zipBytes(members));
}

/** Sets a field of one line (1 is the header) of a table. */
export const setField =
  (line: number, column: string, value: string) =>
  (lines: string[]): string[] => {
    const at = lines[0]!.split('|').indexOf(column);
    const fields = lines[line - 1]!.split('|');
    fields[at] = value;
    return lines.with(line - 1, fields.join('|'));
  };

/** Changes the vertices of one feature (counted from 1) of a polygon shapefile in place. */
export async function editVertices(
  shp: string,
  feature: number,
  edit: (points: [number, number][]) => [number, number][],
): Promise<void> {
  const bytes = await readFile(shp);
  let at = 100;
  for (let n = 1; n < feature; n++) at += 8 + bytes.readInt32BE(at + 4) * 2;
  const content = at + 8;
  const parts = bytes.readInt32LE(content + 36);
  const count = bytes.readInt32LE(content + 40);
  const start = content + 44 + parts * 4;
  const points: [number, number][] = [];
  for (let i = 0; i < count; i++)
    points.push([bytes.readDoubleLE(start + i * 16), bytes.readDoubleLE(start + i * 16 + 8)]);
  edit(points).forEach(([x, y], i) => {
    bytes.writeDoubleLE(x, start + i * 16);
    bytes.writeDoubleLE(y, start + i * 16 + 8);
  });
  await writeFile(shp, bytes);
}

/** Cuts a file off at a share of its bytes. */
export async function cut(path: string, share: number): Promise<void> {
  const bytes = await readFile(path);
  await writeFile(path, bytes.subarray(0, Math.floor(bytes.length * share)));
}

/** Changes bytes of a file. */
export async function editBytes(path: string, edit: (bytes: Buffer) => Buffer | undefined): Promise<void> {
  const bytes = await readFile(path);
  await writeFile(path, edit(bytes) ?? bytes);
}

export const remove = (path: string): Promise<void> => rm(path, { recursive: true });
