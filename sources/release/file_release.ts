import { basename } from 'node:path';
import { EtlError } from '../../schema/errors.ts';
import type { DatasetConfig, Release } from '../adapter.ts';
import { releaseLabel } from './release_label.ts';

/** A file that is read whole by one adapter. Survives structured cloning. */
export interface NamedFile {
  readonly path: string;
  /** Its base name, or its path if two files share that: unique in the dataset, in messages, row accounts and parts. */
  readonly file: string;
  /** Null, for openBytes: not in a zip. */
  readonly member: null;
}

/** Finds the files of a dataset by the end of their names; `kinds` describes them in words. EtlError `missing_file` if there is none. */
export function filesOf(dataset: DatasetConfig, names: RegExp, kinds: string): NamedFile[] {
  const files: NamedFile[] = [];
  for (const { path } of dataset.files) {
    const name = basename(path);
    if (names.test(name))
      files.push({ path, file: files.some(({ file }) => file === name) ? path : name, member: null });
  }
  if (files.length === 0) throw noFile(dataset, kinds);
  return files;
}

/** Builds the EtlError `missing_file` of a dataset that has files, but no suitable one. */
export const noFile = (dataset: DatasetConfig, kinds: string): EtlError =>
  new EtlError(
    'missing_file',
    `dataset ${dataset.id}: none of its ${dataset.files.length} files is ${kinds}. Check the path of the dataset.`,
    { details: { dataset: dataset.id, files: dataset.files.slice(0, 20).map(({ path }) => path) } },
  );

/** CRS of releases without coordinates, or with degrees that are read unchanged. */
const AS_IT_IS: Release['crs'] = { applied: 'EPSG:7844', stated: null, overridden: false };

/** Builds a release of files without metadata: without `id`, its label comes from their names. */
export function releaseOf(
  dataset: DatasetConfig,
  { id, crs = AS_IT_IS, notes = [] }: Partial<Pick<Release, 'id' | 'crs' | 'notes'>> = {},
): Release {
  const files = dataset.files.map(({ path }) => ({ file: basename(path), changed: null }));
  return { dataset, id: dataset.release ?? id ?? releaseLabel(dataset, files), crs, notes };
}
