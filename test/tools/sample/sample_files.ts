import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ReleaseFile } from '../../../sources/adapter.ts';

/** Paths of all files below a folder, relative to it, sorted. */
export const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

/** SHA-256 of every file below a folder, by path. */
export async function hashesBelow(folder: string): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {};
  for (const path of filesBelow(folder)) {
    const hash = createHash('sha256');
    await pipeline(createReadStream(join(folder, path)), hash);
    hashes[path] = hash.digest('hex');
  }
  return hashes;
}

/** Rows of one of the truth's tables. */
export function truthOf(sample: string, table: string): Record<string, string>[] {
  const [header, ...rows] = readFileSync(join(sample, 'truth', `${table}.csv`), 'utf8')
    .trimEnd()
    .split('\n');
  const names = header!.split(',');
  return rows.map((row) => {
    const values = row.split(',');
    if (values.length !== names.length) throw new Error(`${table}.csv: ${row}`);
    return Object.fromEntries(names.map((name, i) => [name, values[i]!]));
  });
}

/** The files of a folder of the sample as a configuration would list them. */
export const releaseFiles = (folder: string): ReleaseFile[] =>
  filesBelow(folder).map((path) => ({
    path: join(folder, path),
    bytes: statSync(join(folder, path)).size,
    sha256: '',
  }));
