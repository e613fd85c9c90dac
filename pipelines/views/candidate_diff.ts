import type pg from 'pg';
import { SERVING_TABLES } from '../../schema/serving/index.ts';
import type { Table } from '../../schema/table.ts';
import { candidatePublication, withCandidate } from '../../store/journal/candidate.ts';
import type { JournalChange } from '../../store/journal/journal.ts';
import { checkTable, type Diff, type KeyedChange, keyed } from './journal_view.ts';

/** The largest changes of a table: first those whose most changed number changed most, relative to itself. */
const LARGEST = `SELECT c.* FROM candidate.change c LEFT JOIN LATERAL (
    SELECT max(abs(a.value::float8 - b.value::float8) / greatest(abs(a.value::float8), abs(b.value::float8))) AS share
    FROM jsonb_each(c.after) a JOIN jsonb_each(c.before) b USING (key)
    WHERE jsonb_typeof(a.value) = 'number' AND jsonb_typeof(b.value) = 'number' AND a.value <> b.value) s ON c.change = 'update'
  WHERE c.publication_id = $1 AND c.table_name = $2 AND c.change <> 'base' ORDER BY s.share DESC NULLS LAST, c.key COLLATE "C" LIMIT $3`;

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
  return withCandidate(client, async ({ run_id, publication_id, kind, tables }) => {
    const compared = tables.filter(({ table }) => only === null || table === only);
    const changes: KeyedChange[] = [];
    for (const { table, base, inserted, updated, deleted } of compared) {
      if (base || limit === 0 || inserted + updated + deleted === 0) continue;
      const { rows } = await client.query<JournalChange>(LARGEST, [publication_id, table, limit]);
      changes.push(...rows.map((change) => keyed(all, change)));
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
