import type { Reject } from '../../schema/errors.ts';
import type { Row, Table } from '../../schema/table.ts';
import type { DatasetConfig, InputAccount, Release, SourceAdapter } from '../../sources/adapter.ts';
import { readPart } from './conformance.ts';

/** Everything that all parts of a dataset give. */
export interface DatasetResult {
  release: Release;
  parts: string[];
  rejects: Reject[];
  accounts: InputAccount[];
  notes: string[];
  rowsOf<T extends Table>(table: T): Row<T>[];
  /** Drops of all accounts by name. */
  drops: Record<string, number>;
}

/** Reads all parts of a dataset, and checks that what the accounts claim of each table is what was given. */
export async function readDataset(adapter: SourceAdapter, dataset: DatasetConfig): Promise<DatasetResult> {
  const { release, parts } = await adapter.discover(dataset);
  const results: Awaited<ReturnType<typeof readPart>>[] = [];
  for (const part of parts) results.push(await readPart(adapter, release, part));
  const accounts = results.flatMap((result) => result.accounts);
  const drops: Record<string, number> = {};
  for (const account of accounts) {
    for (const [name, count] of Object.entries(account.drops)) drops[name] = (drops[name] ?? 0) + count;
  }
  return {
    release,
    parts: parts.map(({ id }) => id),
    rejects: results.flatMap((result) => result.rejects),
    accounts,
    notes: [...release.notes, ...results.flatMap((result) => result.notes)],
    rowsOf: <T extends Table>(table: T) =>
      results.flatMap((result) => (result.rows.get(table) ?? []) as unknown as Row<T>[]),
    drops,
  };
}

/** Records that the accounts claim for a table. */
export const claimed = (result: DatasetResult, table: Table): number =>
  result.accounts
    .filter((account) => account.table === table.name)
    .reduce((sum, account) => sum + account.records, 0);
