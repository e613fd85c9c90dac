import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DatasetConfig } from '../../sources/adapter.ts';
import { type ShapefileSpec, writeShapefile } from './shapefile_writer.ts';

/** A temporary folder that stands for a release. */
export interface ReleaseFolder {
  readonly path: string;
  /** Writes a shapefile; `stem` is its path below the folder, without extension. */
  shapefile(stem: string, spec: ShapefileSpec): Promise<void>;
  write(name: string, bytes: Uint8Array | string): Promise<string>;
  /** The dataset of all files in the folder, sorted by path. */
  dataset(config?: Partial<DatasetConfig>): Promise<DatasetConfig>;
  remove(): Promise<void>;
}

export async function releaseFolder(): Promise<ReleaseFolder> {
  const path = await mkdtemp(join(tmpdir(), 'fixture-'));
  return {
    path,
    async shapefile(stem, spec) {
      await mkdir(dirname(join(path, stem)), { recursive: true });
      await writeShapefile(join(path, stem), spec);
    },
    async write(name, bytes) {
      await mkdir(dirname(join(path, name)), { recursive: true });
      await writeFile(join(path, name), bytes);
      return join(path, name);
    },
    dataset: (config) => datasetOf(path, config),
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

/** Dataset of the files below a folder whose names match. */
export async function datasetOf(
  folder: string,
  config: Partial<DatasetConfig> = {},
  pattern = /./,
): Promise<DatasetConfig> {
  const files = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !pattern.test(path)) continue;
    const sha256 = createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
    files.push({ path, bytes: (await stat(path)).size, sha256 });
  }
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { id: 'fixture', files, release: null, crs: null, options: {}, ...config };
}

/** Folder of the City of Yarra data, below the folder that the checkout is in. */
export const YARRA = fileURLToPath(new URL('../../../shared/data/yarra/', import.meta.url));
