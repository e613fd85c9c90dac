import type pg from 'pg';

/** Record of a partition computed by a run. */
export interface Claimed<F> {
  fingerprint: F;
  rows: number;
}

/**
 * Claims partitions of a stage until the end of the transaction, in cell order, so that two claimants cannot deadlock. Waits for partitions
 * that another session is computing. Returns what this run recorded for them before, by cell.
 */
export async function claim<F>(
  client: pg.ClientBase,
  runId: number,
  stage: string,
  cells: readonly number[],
): Promise<ReadonlyMap<number, Claimed<F>>> {
  // An existing row is locked and not changed; a missing one is inserted as a placeholder for the later record.
  const claimed = await client.query<{ cell: number }>(
    `INSERT INTO control.partition (stage, cell, fingerprint, output_digest, rows, refs, account, staged, run_id)
     SELECT $1, cell, '{}', 0, 0, '{}', '{}', false, $2 FROM unnest($3::int[]) cell ORDER BY cell
     ON CONFLICT (stage, cell) DO UPDATE SET stage = excluded.stage WHERE false
     RETURNING cell`,
    [stage, runId, cells],
  );
  if (claimed.rows.length === cells.length) return new Map();
  const { rows } = await client.query<Claimed<F> & { cell: number }>(
    `SELECT cell, fingerprint, rows FROM control.partition
     WHERE stage = $1 AND cell = ANY ($3) AND cell <> ALL ($4) AND run_id = $2`,
    [stage, runId, cells, claimed.rows.map(({ cell }) => cell)],
  );
  return new Map(rows.map(({ cell, ...known }) => [cell, known]));
}

/**
 * Claims a load until the end of the transaction, which must last while its part is read. Waits for the current holder. The claim is a row
 * that is never committed; it locks nothing else, so a run that takes over deletes the load without waiting.
 */
export async function claimLoad(client: pg.ClientBase, loadId: number): Promise<void> {
  // The session is idle while other sessions copy.
  await client.query('SET LOCAL idle_in_transaction_session_timeout = 0');
  await client.query('INSERT INTO control.loading (load_id) VALUES ($1)', [loadId]);
}

/** Releases the claim at the end of its transaction. */
export const releaseLoad = (client: pg.ClientBase, loadId: number): Promise<unknown> =>
  client.query('DELETE FROM control.loading WHERE load_id = $1', [loadId]);
