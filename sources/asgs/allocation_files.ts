import { basename } from 'node:path';
import type { DatasetConfig } from '../adapter.ts';
import type { BytePlace } from '../formats/archive/byte_stream.ts';
import { listZip } from '../formats/archive/zip.ts';
import { formatOfName } from '../formats/vector/feature_places.ts';

/** Location of an allocation table; survives structured cloning. */
export interface AllocationSource extends BytePlace {
  readonly kind: 'allocation';
  readonly format: 'csv' | 'xlsx';
}

const TABLE = /\.(csv|xlsx)$/i;

/** True for the source of a part that reads an allocation table. */
export const isAllocation = (source: unknown): source is AllocationSource =>
  (source as { kind?: unknown }).kind === 'allocation';

/**
 * Separates the allocation tables (.csv, .xlsx, plain or in a zip) from a dataset; `boundaries` is the dataset of the other files. A zip
 * with vector files among the tables is in both. Throws the EtlErrors of the zip.
 */
export async function splitAllocations(
  dataset: DatasetConfig,
): Promise<{ allocations: AllocationSource[]; boundaries: DatasetConfig }> {
  const allocations: AllocationSource[] = [];
  const files: DatasetConfig['files'][number][] = [];
  for (const file of dataset.files) {
    const name = basename(file.path);
    if (TABLE.test(name)) allocations.push(sourceOf(file.path, null, name));
    else if (!/\.zip$/i.test(name)) files.push(file);
    else {
      const members = (await listZip(file.path, () => true, { file: name }))
        .map((member) => member.name)
        .sort();
      const tables = members.filter((member) => TABLE.test(member));
      for (const member of tables) allocations.push(sourceOf(file.path, member, `${name} › ${member}`));
      if (tables.length === 0 || members.some(isVector)) files.push(file);
    }
  }
  return { allocations, boundaries: { ...dataset, files } };
}

const isVector = (member: string): boolean =>
  !TABLE.test(member) && (formatOfName(member) !== null || /\.gdb\//i.test(member));

const sourceOf = (path: string, member: string | null, file: string): AllocationSource => ({
  kind: 'allocation',
  path,
  member,
  file,
  format: /\.csv$/i.test(file) ? 'csv' : 'xlsx',
});
