import type pg from 'pg';

/** A planned partition; whoever computes it needs all of it. */
interface Planned {
  cell: number;
}

/** Puts partitions of a stage into the ledger: each is there until it is computed, and only who takes it from there records it. */
export async function handOut(
  client: pg.ClientBase,
  runId: number,
  stage: string,
  partitions: readonly Planned[],
): Promise<void> {
  await client.query(
    `INSERT INTO control.handed_out (run_id, stage, cell, plan)
     SELECT $1, $2, (p->>'cell')::int, p FROM jsonb_array_elements($3::jsonb) p`,
    [runId, stage, JSON.stringify(partitions)],
  );
}

/**
 * Takes partitions from the ledger inside the transaction that computes them, in the order of their cells. Those that somebody
 * else is computing, or has computed, are not among them; what an ended transaction did not commit is there again.
 */
export async function takeHandedOut<P extends Planned>(
  client: pg.ClientBase,
  runId: number,
  stage: string,
  cells: readonly number[],
): Promise<P[]> {
  const { rows } = await client.query<{ plan: P }>(
    `DELETE FROM control.handed_out h USING (
       SELECT cell FROM control.handed_out WHERE run_id = $1 AND stage = $2 AND cell = ANY ($3)
       ORDER BY cell FOR UPDATE SKIP LOCKED) free
     WHERE h.run_id = $1 AND h.stage = $2 AND h.cell = free.cell RETURNING h.plan`,
    [runId, stage, cells],
  );
  return rows.map((row) => row.plan).sort((a, b) => a.cell - b.cell);
}

/** Cells of a stage that are still in the ledger. */
export async function leftInLedger(
  client: pg.ClientBase,
  runId: number,
  stage: string,
): Promise<ReadonlySet<number>> {
  const { rows } = await client.query<{ cell: number }>(
    'SELECT cell FROM control.handed_out WHERE run_id = $1 AND stage = $2',
    [runId, stage],
  );
  return new Set(rows.map((row) => row.cell));
}

/** Rows that a run recorded for partitions of a stage, by cell; removed ones have none. */
export async function rowsRecorded(
  client: pg.ClientBase,
  runId: number,
  stage: string,
  cells: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const { rows } = await client.query<{ cell: number; rows: number }>(
    'SELECT cell, rows FROM control.partition WHERE run_id = $1 AND stage = $2 AND cell = ANY ($3)',
    [runId, stage, cells],
  );
  return new Map(rows.map((row) => [row.cell, row.rows]));
}

/** Takes a partition that cannot be computed out of the ledger. */
export async function withdraw(
  client: pg.ClientBase,
  runId: number,
  stage: string,
  cell: number,
): Promise<void> {
  await client.query('DELETE FROM control.handed_out WHERE run_id = $1 AND stage = $2 AND cell = $3', [
    runId,
    stage,
    cell,
  ]);
}

/** Empties the ledger of runs that are over. */
export async function clearLedger(client: pg.ClientBase): Promise<void> {
  await client.query(
    `DELETE FROM control.handed_out h USING control.run r WHERE r.run_id = h.run_id AND r.state <> 'running'`,
  );
}

/**
 * Identifies a database over all machines that reach it, by whatever URL: the cluster's own identifier and the number of the
 * database in it.
 */
export async function databaseIdentity(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    `SELECT s.system_identifier || '/' || d.oid AS id
     FROM pg_control_system() s, pg_database d WHERE d.datname = current_database()`,
  );
  return rows[0]!.id;
}
