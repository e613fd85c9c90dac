import type pg from 'pg';

/**
 * SQL condition: a partition is marked for recomputation. Its recorded fingerprint has an input that no stage has, so the planner finds a
 * difference and names it. The next record replaces the mark.
 */
const MARKED = `fingerprint -> 'inputs' ? 'backfill'`;

/** Requests recomputation of partitions. `request` is the same for all partitions of one request. */
export async function force(
  client: pg.ClientBase,
  stage: string,
  cells: readonly number[],
  request: string,
): Promise<void> {
  await client.query(
    `UPDATE control.partition SET fingerprint = jsonb_set(fingerprint, '{inputs,backfill}', to_jsonb($3::text))
     WHERE stage = $1 AND cell = ANY ($2)`,
    [stage, cells, request],
  );
}

/** Requests recomputation of every recorded partition of a stage. */
export async function forceRecorded(client: pg.ClientBase, stage: string): Promise<void> {
  const { rows } = await client.query<{ cell: number }>(
    'SELECT cell FROM control.partition WHERE stage = $1',
    [stage],
  );
  await force(
    client,
    stage,
    rows.map(({ cell }) => cell),
    stage,
  );
}

/** Counts the partitions left from a request; more than 0 if its run was interrupted. */
export async function leftOf(client: pg.ClientBase, request: string): Promise<number> {
  const sql = `SELECT count(*)::int AS n FROM control.partition WHERE fingerprint -> 'inputs' ->> 'backfill' = $1`;
  return (await client.query<{ n: number }>(sql, [request])).rows[0]!.n;
}

/** Counts partitions by stage that wait for recomputation. */
export async function countForced(client: pg.ClientBase): Promise<Record<string, number>> {
  const { rows } = await client.query<{ stage: string; n: number }>(
    `SELECT stage, count(*)::int AS n FROM control.partition WHERE ${MARKED} GROUP BY stage ORDER BY stage`,
  );
  return Object.fromEntries(rows.map((row) => [row.stage, row.n]));
}
