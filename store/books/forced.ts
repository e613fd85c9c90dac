import type pg from 'pg';

/**
 * Requests recomputation of partitions whatever their fingerprints; stays until each is computed. `request` is the same for all
 * partitions of one request.
 */
export async function force(
  client: pg.ClientBase,
  stage: string,
  cells: readonly number[],
  runId: number,
  request: string,
): Promise<void> {
  await client.query(
    `INSERT INTO control.forced (stage, cell, run_id, request) SELECT $1, unnest($2::int[]), $3, $4 ON CONFLICT DO NOTHING`,
    [stage, cells, runId, request],
  );
}

/** Requests recomputation of every recorded partition of a stage. */
export async function forceRecorded(client: pg.ClientBase, stage: string, runId: number): Promise<void> {
  const { rows } = await client.query<{ cell: number }>(
    'SELECT cell FROM control.partition WHERE stage = $1',
    [stage],
  );
  await force(
    client,
    stage,
    rows.map(({ cell }) => cell),
    runId,
    stage,
  );
}

/** Partitions left from a request, more than none if its run was interrupted. */
export async function leftOf(client: pg.ClientBase, request: string): Promise<number> {
  const sql = 'SELECT count(*)::int AS n FROM control.forced WHERE request = $1';
  return (await client.query<{ n: number }>(sql, [request])).rows[0]!.n;
}

/** Removes partitions from the request, in the transaction that computes them. */
export async function unforce(client: pg.ClientBase, stage: string, cells: readonly number[]): Promise<void> {
  await client.query('DELETE FROM control.forced WHERE stage = $1 AND cell = ANY ($2)', [stage, cells]);
}

/** Partitions by stage that wait to be computed again. */
export async function countForced(client: pg.ClientBase): Promise<Record<string, number>> {
  const { rows } = await client.query<{ stage: string; n: number }>(
    'SELECT stage, count(*)::int AS n FROM control.forced GROUP BY stage ORDER BY stage',
  );
  return Object.fromEntries(rows.map((row) => [row.stage, row.n]));
}
