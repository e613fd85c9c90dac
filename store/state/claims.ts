import type pg from 'pg';

/** The record that a run made of a partition. */
export interface Claimed<F> {
  fingerprint: F;
  rows: number;
}

/**
 * Claims partitions of a stage until the end of the transaction, in cell order, so that two claimants cannot deadlock. Waits for
 * partitions that somebody else is computing. Returns what this run recorded for them before, by cell.
 */
export async function claim<F>(
  client: pg.ClientBase,
  runId: number,
  stage: string,
  cells: readonly number[],
): Promise<ReadonlyMap<number, Claimed<F>>> {
  // A row that is there is locked, and left as it is; one that is not is a place for what will be recorded.
  const made = await client.query<{ cell: number }>(
    `INSERT INTO control.partition (stage, cell, fingerprint, output_digest, rows, refs, account, staged, run_id)
     SELECT $1, cell, '{}', 0, 0, '{}', '{}', false, $2 FROM unnest($3::int[]) cell ORDER BY cell
     ON CONFLICT (stage, cell) DO UPDATE SET stage = excluded.stage WHERE false
     RETURNING cell`,
    [stage, runId, cells],
  );
  if (made.rows.length === cells.length) return new Map();
  const { rows } = await client.query<Claimed<F> & { cell: number }>(
    `SELECT cell, fingerprint, rows FROM control.partition
     WHERE stage = $1 AND cell = ANY ($3) AND cell <> ALL ($4) AND run_id = $2`,
    [stage, runId, cells, made.rows.map(({ cell }) => cell)],
  );
  return new Map(rows.map(({ cell, ...known }) => [cell, known]));
}

/**
 * Claims a load until the end of the transaction, which has to last as long as its part is read. Waits for whoever has it. The claim is a
 * row that no commit leaves behind; it locks nothing else, so a run that takes over sweeps the load away without waiting.
 */
export async function claimLoad(client: pg.ClientBase, loadId: number): Promise<void> {
  // The session has nothing to say while others copy.
  await client.query('SET LOCAL idle_in_transaction_session_timeout = 0');
  await client.query('INSERT INTO control.loading (load_id) VALUES ($1)', [loadId]);
}

/** Takes the claim back at the end of its transaction. */
export const releaseLoad = (client: pg.ClientBase, loadId: number): Promise<unknown> =>
  client.query('DELETE FROM control.loading WHERE load_id = $1', [loadId]);
