import type pg from 'pg';
import { SERVING_TABLES } from '../../schema/serving/index.ts';
import type { Table } from '../../schema/table.ts';
import { candidatePublication, withCandidate } from '../../store/journal/candidate.ts';
import type { PublishedTable } from '../../store/journal/journal.ts';
import { largestDifferences } from '../../store/journal/largest_differences.ts';
import { checkTable, type Diff, type KeyedChange, keyed, type StateRows } from './journal_view.ts';

/** Returns the states whose number of rows differs, by name. */
export function movedStates({ facts, states_before = {} }: PublishedTable): StateRows[] {
  const states = facts?.states ?? {};
  return [...new Set([...Object.keys(states), ...Object.keys(states_before)])]
    .sort()
    .map((state) => ({ state, before: states_before[state] ?? 0, after: states[state] ?? 0 }))
    .filter(({ before, after }) => before !== after);
}

/**
 * Compares the held candidate with the served publication: row counts of every table and state, and the `limit` largest changes of each.
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
      const declared = all.find(({ name }) => name === table)!;
      for (const change of await largestDifferences(client, declared, limit))
        changes.push(keyed(all, { publication_id, table_name: table, ...change }));
    }
    const { published_at } = await candidatePublication(client);
    return {
      from: publication_id - 1,
      candidate_of_run: run_id,
      publication: { publication_id, published_at, kind, restores: null, reason: null },
      tables: compared.map((table) => ({
        table: table.table,
        rows: table.rows,
        inserted: table.inserted,
        updated: table.updated,
        deleted: table.deleted,
        base: table.base ?? false,
        states: movedStates(table),
        equal: [],
      })),
      changes,
    };
  });
}
