import { EtlError } from '../../schema/errors.ts';
import { isFeatureTable } from '../../schema/records/coverage.ts';
import type { DatasetConfig } from '../../sources/adapter.ts';
import { adapterNamed } from '../../sources/index.ts';
import type { DatasetCandidate } from './dataset_candidate.ts';

/** Placeholder: recognition needs no digests, except that one would name a release without a date. */
const NO_DIGEST = '0'.repeat(64);

const datasetOf = (
  candidate: DatasetCandidate,
  paths: readonly string[],
  crs: string | null,
): DatasetConfig => ({
  id: candidate.id,
  files: [...paths].sort().map((path) => ({ path, bytes: 0, sha256: NO_DIGEST })),
  release: null,
  crs,
  options: candidate.options,
});

export type Discovered = Awaited<ReturnType<ReturnType<typeof adapterNamed>['discover']>>;

/** Returns what the adapter finds in the files, or its EtlError if it rejects them; other errors are thrown. */
export async function discovered(
  candidate: DatasetCandidate,
  paths: readonly string[],
  crs: string | null,
): Promise<Discovered | EtlError> {
  try {
    return await adapterNamed(candidate.adapter).discover(datasetOf(candidate, paths, crs));
  } catch (error) {
    if (error instanceof EtlError) return error;
    throw error;
  }
}

/** Returns whether reading yields a record, stopping at the first; else the reason. */
export async function givesRecords(
  { adapter }: DatasetCandidate,
  { release, parts }: Discovered,
): Promise<true | string> {
  const end = new AbortController();
  let rejected = 0;
  let first: string | null = null;
  const remarks: string[] = [];
  try {
    for (const part of parts) {
      const reading = adapterNamed(adapter).readPart(release, part, { signal: end.signal });
      for await (const { records = [], rejects = [], notes = [] } of reading) {
        if (records.some(({ rows, table }) => rows.length > 0 && isFeatureTable(table))) return true;
        rejected += rejects.length;
        remarks.push(...notes);
        first ??= rejects[0]?.message ?? null;
      }
    }
  } catch (error) {
    if (error instanceof EtlError) return error.message;
    throw error;
  } finally {
    end.abort();
  }
  return rejected > 0
    ? rejected === 1
      ? `its only row cannot be read: ${first}`
      : `none of its ${rejected} rows can be read, the first: ${first}`
    : (remarks[0] ?? 'it has no such rows');
}
