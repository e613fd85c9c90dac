import type pg from 'pg';
import { SERVING_TABLES } from '../../schema/serving/index.ts';
import type { Table } from '../../schema/table.ts';
import { candidatePublication, largestChanges, withCandidate } from '../../store/journal/candidate.ts';
import { checkTable, type Diff, type KeyedChange, keyed } from './journal_view.ts';

/**
 * Compares the held candidate with the served publication: row counts of every table, and the `limit` largest changes of each.
 * @throws EtlError no_candidate, config_invalid for an unknown table
 */
export async function diffCandidate(
  client: pg.ClientBase,
  only: string | null,
  limit: number,
  all: readonly Table[] = SERVING_TABLES,
): Promise<Diff> {
  checkTable(all, only);
  return withCandidate(client, async (candidate) => {
    const { run_id, publication_id, kind, tables } = candidate;
    const compared = tables.filter(({ table }) => only === null || table === only);
    const changes: KeyedChange[] = [];
    for (const { table, base, inserted, updated, deleted } of compared) {
      if (base || limit === 0 || inserted + updated + deleted === 0) continue;
      const declared = all.find(({ name }) => name === table)!;
      for (const change of await largestChanges(client, candidate, declared, limit))
        changes.push(keyed(all, change));
    }
    const { published_at } = await candidatePublication(client);
    return {
      from: publication_id - 1,
      candidate_of_run: run_id,
      publication: { publication_id, published_at, kind, restores: null, reason: null },
      tables: compared.map(({ table, rows: count, base, ...counts }) => ({
        table,
        rows: count,
        inserted: counts.inserted,
        updated: counts.updated,
        deleted: counts.deleted,
        base: base ?? false,
        equal: [],
      })),
      changes,
    };
  });
}
