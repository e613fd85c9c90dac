import type pg from 'pg';
import type { Bbox } from '../../schema/grid.ts';
import { recordedName, type Table } from '../../schema/table.ts';
import { unionExtentSql } from '../tables/table_rows.ts';

/** Recorded content of one cell of an input table. */
export interface CellRow {
  table_name: string;
  cell: number;
  rows: number;
  digest: string;
  extent: Bbox | null;
}

/** Reads the content of every cell of every record table, over all active loads. */
export async function readInputCells(client: pg.ClientBase): Promise<CellRow[]> {
  const { rows } = await client.query<CellRow>(
    `SELECT d.table_name, d.cell, sum(d.rows)::int AS rows, sum(d.digest)::text AS digest,
       ${unionExtentSql('d.')} AS extent
     FROM control.load_digest d JOIN control.load l USING (load_id) WHERE l.state = 'active'
     GROUP BY d.table_name, d.cell`,
  );
  return rows;
}

/** Returns the cells in which a record table has rows. */
export async function readRecordCells(client: pg.ClientBase, table: Table): Promise<number[]> {
  const { rows } = await client.query<{ cell: number }>(
    `SELECT DISTINCT d.cell FROM control.load_digest d JOIN control.load l USING (load_id)
     WHERE l.state = 'active' AND d.table_name = $1 ORDER BY d.cell`,
    [recordedName(table)],
  );
  return rows.map((row) => row.cell);
}

/** One recorded partition, as stored. */
export interface PartitionRow {
  stage: string;
  cell: number;
  fingerprint: { version: number; params: string; inputs: Record<string, string> };
  output_digest: string;
  rows: number;
  refs: number[];
  /** Box around the area that its rows describe; null: its table declares none. */
  extent: Bbox | null;
  /** Whether rows are in the staged table, waiting for publication. Always false for assets that are not served. */
  staged: boolean;
  run_id: number;
}

export interface PartitionContent extends Pick<PartitionRow, 'output_digest' | 'rows' | 'refs' | 'extent'> {
  account: { in: number; out: number; drops: Record<string, number> };
}

/** Reads the recorded content of a stage's partitions, by cell. */
export async function readContents(
  client: pg.ClientBase,
  stage: string,
  cells: readonly number[],
): Promise<ReadonlyMap<number, PartitionContent>> {
  const { rows } = await client.query<PartitionContent & { cell: number }>(
    `SELECT cell, output_digest::text, rows, refs, extent, account FROM control.partition
     WHERE stage = $1 AND cell = ANY ($2)`,
    [stage, cells],
  );
  return new Map(rows.map(({ cell, ...content }) => [cell, content]));
}

/** Reads the recorded partitions of all stages, or of one. */
export async function readPartitions(client: pg.ClientBase, stage?: string): Promise<PartitionRow[]> {
  const { rows } = await client.query<PartitionRow>(
    `SELECT stage, cell, fingerprint, output_digest::text, rows, refs, extent, staged, run_id FROM control.partition
     WHERE $1::text IS NULL OR stage = $1`,
    [stage ?? null],
  );
  return rows;
}

/** Rows that the partitions of a stage wrote for a home cell. */
export interface HomeCellRecord {
  stage: string;
  home: number;
  rows: number;
  digest: string;
  extent: Bbox | null;
  /** Partitions that have rows there. */
  makers: number[];
}

/** Reads the recorded content of each home cell, for tables with a home column. */
export async function readHomes(client: pg.ClientBase, stage?: string): Promise<HomeCellRecord[]> {
  const { rows } = await client.query<HomeCellRecord>(
    `SELECT stage, home, sum(rows)::int AS rows, sum(digest)::text AS digest, ${unionExtentSql()} AS extent,
       array_agg(cell) AS makers FROM control.home
     WHERE $1::text IS NULL OR stage = $1 GROUP BY stage, home`,
    [stage ?? null],
  );
  return rows;
}

export async function readPublished(
  client: pg.ClientBase,
): Promise<{ table_name: string; cell: number; digest: string; rows: number }[]> {
  const sql = 'SELECT table_name, cell, digest::text, rows FROM control.published';
  return (await client.query(sql)).rows;
}

/** Sums the row accounts of a stage's partitions. */
export async function readStageAccount(
  client: pg.ClientBase,
  stage: string,
): Promise<{ in: number; out: number; rejects: number; rows: number; drops: Record<string, number> }> {
  const totals = await client.query(
    `SELECT COALESCE(sum((account->>'in')::bigint), 0)::float8 AS "in", COALESCE(sum((account->>'out')::bigint), 0)::float8 AS out,
       COALESCE(sum((account->>'rejects')::bigint), 0)::float8 AS rejects, COALESCE(sum(rows), 0)::float8 AS rows
     FROM control.partition WHERE stage = $1`,
    [stage],
  );
  const drops = await client.query<{ name: string; n: number }>(
    `SELECT d.key AS name, sum(d.value::bigint)::float8 AS n
     FROM control.partition p, jsonb_each_text(p.account->'drops') d WHERE p.stage = $1 GROUP BY d.key ORDER BY d.key`,
    [stage],
  );
  return { ...totals.rows[0], drops: Object.fromEntries(drops.rows.map((row) => [row.name, row.n])) };
}
