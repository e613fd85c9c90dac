import type pg from 'pg';
import { STATE_OF_DIGIT } from '../../schema/states.ts';

/** Region levels that a selection can use. */
export type SelectableRegion = 'sa3' | 'sal' | 'lga';

async function cells(client: pg.ClientBase, sql: string, values: unknown[]): Promise<number[]> {
  return (await client.query<{ cell: number }>(sql, values)).rows.map((row) => row.cell);
}

/** Returns the cells of a state: the cells of its addresses, and the cells that its regions touch. */
export function cellsOfState(client: pg.ClientBase, state: string): Promise<number[]> {
  const digit = Object.entries(STATE_OF_DIGIT).find(([, name]) => name === state)?.[0] ?? '';
  return cells(
    client,
    `SELECT cell FROM record.address WHERE state = $1
     UNION SELECT home FROM asset.address_home WHERE state = $1
     UNION SELECT cell FROM record.region_piece WHERE ste = $2`,
    [state, digit],
  );
}

/** Returns the cells of a region, by code or name: the cells it touches, and the cells of its addresses. */
export function cellsOfRegion(
  client: pg.ClientBase,
  level: SelectableRegion,
  region: string,
): Promise<number[]> {
  // An SA3 is an attribute of the pieces below it; the others are separate levels.
  const piece =
    level === 'sa3'
      ? '(sa3 = $1 OR lower(sa3_name) = lower($1))'
      : `level = '${level.toUpperCase()}' AND (code = $1 OR lower(name) = lower($1))`;
  return cells(
    client,
    `SELECT cell FROM record.region_piece WHERE ${piece}
     UNION SELECT unnest(ARRAY[cell, home]) FROM asset.address_home WHERE ${level} = $1 OR lower(${level}_name) = lower($1)`,
    [region],
  );
}

/** Returns the cells of addresses, and their home cells. */
export function cellsOfAddresses(client: pg.ClientBase, pids: readonly string[]): Promise<number[]> {
  return cells(
    client,
    `SELECT cell FROM record.address WHERE gnaf_pid = ANY ($1)
     UNION SELECT home FROM asset.address_home WHERE gnaf_pid = ANY ($1)`,
    [pids],
  );
}

/**
 * Returns the cells of a stage computed since a release was first published. The release is `NAME` or `DATASET=NAME`. Null: no publication
 * used that release.
 */
export async function cellsSinceRelease(
  client: pg.ClientBase,
  stage: string,
  release: string,
): Promise<number[] | null> {
  const [dataset, name] = release.includes('=') ? release.split('=', 2) : [null, release];
  const { rows } = await client.query<{ run_id: number | null }>(
    `SELECT min(run_id) AS run_id FROM control.publication p, jsonb_array_elements(p.datasets) d
     WHERE d->>'release' = $1 AND ($2::text IS NULL OR d->>'dataset' = $2) AND kind <> 'rollback'`,
    [name, dataset],
  );
  const first = rows[0]!.run_id;
  if (first === null) return null;
  return cells(client, 'SELECT cell FROM control.partition WHERE stage = $1 AND run_id >= $2', [
    stage,
    first,
  ]);
}

/** Returns the given cells that a stage has computed, oldest computation first. */
export function oldestPartitions(
  client: pg.ClientBase,
  stage: string,
  of: readonly number[],
  limit: number | null,
): Promise<number[]> {
  return cells(
    client,
    'SELECT cell FROM control.partition WHERE stage = $1 AND cell = ANY ($2) ORDER BY computed_at, cell LIMIT $3',
    [stage, of, limit],
  );
}
