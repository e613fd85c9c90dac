import type pg from 'pg';
import { columnSql, qualified } from '../../schema/ddl.ts';
import { MODEL_COLUMN_TYPES, type Model, servingTables } from '../../schema/model.ts';
import { SERVING_TABLES } from '../../schema/serving/index.ts';
import { type Column, type ColumnType, type Table, table } from '../../schema/table.ts';
import { isOutdated } from '../declared_tables.ts';

const TYPES: ReadonlyMap<string, ColumnType> = new Map(
  MODEL_COLUMN_TYPES.map((type) => [columnSql({ type, doc: '', nullable: false }).type, type]),
);

/** Returns a table with its columns and key in the database. */
async function asStored(client: pg.ClientBase, declared: Table): Promise<Table> {
  const { rows } = await client.query<{
    name: string;
    type: string;
    nullable: boolean;
    doc: string | null;
    key: number | null;
  }>(
    `SELECT a.attname AS name, format_type(a.atttypid, NULL) AS type, NOT a.attnotnull AS nullable,
       col_description(a.attrelid, a.attnum) AS doc, array_position(i.indkey::int2[], a.attnum) AS key
     FROM pg_attribute a LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
     WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`,
    [qualified(declared)],
  );
  const columns = rows.map(({ name, type, nullable, doc }): [string, Column] => [
    name,
    { type: TYPES.get(type)!, nullable, doc: doc ?? '' },
  ]);
  const key = rows.filter((row) => row.key !== null).sort((a, b) => a.key! - b.key!);
  const { name, doc, partition } = declared;
  const primaryKey = key.map((row) => row.name);
  return table({ schema: 'serving', name, doc, columns: Object.fromEntries(columns), primaryKey, partition });
}

/** Returns a serving table as readers see it: a changed model has its earlier columns and key until it is published. */
export const servedTable = async (client: pg.ClientBase, declared: Table): Promise<Table> =>
  !SERVING_TABLES.some((each) => each === declared) && (await isOutdated(client, declared))
    ? asStored(client, declared)
    : declared;

/** Returns every serving table as readers see it. The table of a new model is there from the next refresh on. */
export async function servedTables(
  client: pg.ClientBase,
  config: { readonly models: readonly Model[] },
): Promise<readonly Table[]> {
  const declared = servingTables(config);
  const { rows } = await client.query<{ i: number }>(
    'SELECT i::int - 1 AS i FROM unnest($1::text[]) WITH ORDINALITY t (name, i) WHERE to_regclass(name) IS NOT NULL ORDER BY i',
    [declared.map((table) => qualified(table))],
  );
  const tables: Table[] = [];
  for (const { i } of rows) tables.push(await servedTable(client, declared[i]!));
  return tables;
}
