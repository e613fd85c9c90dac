import type pg from 'pg';
import { ident } from '../../schema/ddl.ts';
import { partitionSql } from '../../schema/partition.ts';
import { SPILL_OF } from '../../schema/records/index.ts';
import type { Table } from '../../schema/table.ts';
import { digestSql } from '../tables/table_rows.ts';

export const childName = (table: Table, loadId: number): string => `${table.name}_l${loadId}`;
/** Returns the quoted child table with its schema. */
export const childTarget = (table: Table, loadId: number): string =>
  `record.${ident(childName(table, loadId))}`;

/** Columns that state where a record came from, not its content; they do not count in digests. */
const PROVENANCE: ReadonlySet<string> = new Set(['load_id', 'source_no']);

/** Returns the columns of a record that count in its digest. */
export const countedColumns = (table: Table): string[] =>
  Object.keys(table.columns).filter((name) => !PROVENANCE.has(name));

/**
 * Returns statements that record rows, digest and extent of each cell of a load's table. Large tables go through a temporary table, because
 * PostgreSQL reads for INSERT … SELECT with one process only.
 */
export function digestSteps(table: Table, target: string, loadId: number, small: boolean): string[] {
  const extent =
    'min_lon' in table.columns
      ? 'ARRAY[min(min_lon), min(min_lat), max(max_lon), max(max_lat)]'
      : 'NULL::float8[]';
  const digests = `SELECT ${partitionSql(table)} AS cell, count(*) AS rows, ${digestSql(countedColumns(table))} AS digest, ${extent} AS extent
    FROM ${target} GROUP BY 1`;
  const book = (from: string): string =>
    `INSERT INTO control.load_digest (load_id, table_name, cell, rows, digest, extent)
     SELECT ${loadId}, '${table.name}', cell, rows, digest, extent FROM ${from}`;
  if (small) return [book(`(${digests}) d`)];
  return [`CREATE TEMP TABLE load_digest ON COMMIT DROP AS ${digests}`, book('pg_temp.load_digest')];
}

/**
 * Replaces the digests of a spill table by digests of the features themselves, so that a changed feature changes every cell it
 * touches.
 */
export async function digestSpill(client: pg.ClientBase, table: Table, loadId: number): Promise<void> {
  const spill = SPILL_OF[table.name];
  if (spill === undefined) return;
  const spillChild = `record.${ident(`${spill}_l${loadId}`)}`;
  const exists = await client.query('SELECT to_regclass($1) AS child', [spillChild]);
  if (exists.rows[0].child === null) return;
  const key = table.primaryKey.map((name) => `p.${ident(name)} = s.${ident(name)}`).join(' AND ');
  await client.query('DELETE FROM control.load_digest WHERE load_id = $1 AND table_name = $2', [
    loadId,
    spill,
  ]);
  await client.query(
    `INSERT INTO control.load_digest (load_id, table_name, cell, rows, digest)
     SELECT $1, $2, s.cell, count(*), ${digestSql(countedColumns(table), 'p.')}
     FROM ${spillChild} s JOIN ${childTarget(table, loadId)} p ON ${key} GROUP BY s.cell`,
    [loadId, spill],
  );
}

/** Records the digests of a load's table again after its rows were changed. */
export async function digestAgain(client: pg.ClientBase, table: Table, loadId: number): Promise<void> {
  await client.query('DELETE FROM control.load_digest WHERE load_id = $1 AND table_name = $2', [
    loadId,
    table.name,
  ]);
  for (const step of digestSteps(table, childTarget(table, loadId), loadId, true)) await client.query(step);
}
