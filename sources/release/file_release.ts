import { basename } from 'node:path';
import { EtlError } from '../../schema/errors.ts';
import type { DatasetConfig, Release } from '../adapter.ts';
import { releaseLabel } from './release_label.ts';

/** A file that is read whole by one adapter. Survives structured cloning. */
export interface NamedFile {
  readonly path: string;
  /** Its base name, or its path where two files share that: unique in the dataset, in messages, accounts and parts. */
  readonly file: string;
  /** As openBytes wants it. */
  readonly member: null;
}

/** Files of a dataset by the end of their names; `kinds` says in words which. EtlError `missing_file` where there is none. */
export function filesOf(dataset: DatasetConfig, names: RegExp, kinds: string): NamedFile[] {
  const found: NamedFile[] = [];
  for (const { path } of dataset.files) {
    const name = basename(path);
    if (names.test(name))
      found.push({ path, file: found.some(({ file }) => file === name) ? path : name, member: null });
  }
  if (found.length === 0) throw noFile(dataset, kinds);
  return found;
}

/** EtlError `missing_file` of a dataset that has files, but none that is wanted. */
export const noFile = (dataset: DatasetConfig, kinds: string): EtlError =>
  new EtlError(
    'missing_file',
    `dataset ${dataset.id}: none of its ${dataset.files.length} files is ${kinds}. Check the path of the dataset.`,
    { details: { dataset: dataset.id, files: dataset.files.slice(0, 20).map(({ path }) => path) } },
  );

/** CRS of releases without coordinates, or with degrees that are taken as they are. */
const AS_IT_IS: Release['crs'] = { applied: 'EPSG:7844', stated: null, overridden: false };

/** A release of files that say nothing about themselves: its label comes from their names where `id` is left out. */
export function releaseOf(
  dataset: DatasetConfig,
  { id, crs = AS_IT_IS, notes = [] }: Partial<Pick<Release, 'id' | 'crs' | 'notes'>> = {},
): Release {
  const files = dataset.files.map(({ path }) => ({ file: basename(path), changed: null }));
  return { dataset, id: dataset.release ?? id ?? releaseLabel(dataset, files), crs, notes };
}
