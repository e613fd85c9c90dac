import type pg from 'pg';
import { columnSql, ident, qualified } from '../../schema/ddl.ts';
import type { Table } from '../../schema/table.ts';

/** Number of rows of a serving table that a publication changes. */
export interface Delta {
  inserted: number;
  updated: number;
  deleted: number;
  rows_before: number;
  rows_after: number;
  /** True: these are the first rows of the table. They get no journal rows, because the table was empty before. */
  base: boolean;
  /** True: a table of the differences exists. */
  isListed: boolean;
  /** True: the staged table has rows of cells that are not published now. Only known of first rows. */
  hasOtherRows: boolean;
}

/**
 * Names the temporary table of a serving table's differences in journal form: the key by column, `change`, and `before` and `after` as
 * JSON. An inserted or deleted row is complete; an updated one has its key and the changed columns on both sides.
 */
export const deltaOf = (table: Table): string => ident(`delta_${table.name}`);
/** Returns the column list of a table, each name with a prefix such as `o.`. */
export const columnsOf = (table: Table, alias = ''): string =>
  Object.keys(table.columns)
    .map((name) => `${alias}${ident(name)}`)
    .join(', ');
/** SQL condition: two aliases of rows have the same primary key. */
export const sameKey = (table: Table, a: string, b: string): string =>
  table.primaryKey.map((name) => `${a}.${ident(name)} = ${b}.${ident(name)}`).join(' AND ');
/** Returns the columns of the primary key with their types, as the record to read from JSON. */
export const keyRecord = (table: Table): string =>
  table.primaryKey.map((name) => `${ident(name)} ${columnSql(table.columns[name]!).sql}`).join(', ');

/** SQL of a key column's value in a row `c` of the journal, whose rows have the whole key on each of their sides. */
export const journalValue = (table: Table, name: string): string =>
  `(COALESCE(c.before, c.after) ->> '${name}')::${columnSql(table.columns[name]!).sql}`;

/** Returns the SQL text of a row's key: values joined by bars. Bars inside the values of a multi-column key are escaped. */
export function keyText(table: Table, alias: string): string {
  const parts = table.primaryKey.map((name) => {
    const value = `${alias}.${ident(name)}`;
    const plain = table.primaryKey.length === 1 || table.columns[name]!.type !== 'text';
    return plain ? value : `replace(replace(${value}, '\\', '\\\\'), '|', '\\|')`;
  });
  return `concat_ws('|', ${parts.join(', ')})`;
}

/**
 * Returns SQL for the JSON of the key and the changed columns of an updated row, from the rows `o` and `n`; `side` selects whose values.
 */
function changedColumns(table: Table, side: 'o' | 'n'): string {
  const value = (name: string): string =>
    `'"${name}":' || COALESCE(to_json(${side}.${ident(name)})::text, 'null')`;
  const key = table.primaryKey.map(value).join(` || ',' || `);
  const otherColumns = Object.keys(table.columns)
    .filter((name) => !table.primaryKey.includes(name))
    .map(
      (name) =>
        ` || CASE WHEN o.${ident(name)} IS DISTINCT FROM n.${ident(name)} THEN ',' || ${value(name)} ELSE '' END`,
    );
  return `('{' || ${key}${otherColumns.join('')} || '}')::jsonb`;
}

/** Builds the query of the differences between two queries of a table's columns, in journal form; keys are unique in each. */
export function differencesOf(table: Table, before: string, after: string): string {
  const key = table.primaryKey
    .map((name) => `COALESCE(o.${ident(name)}, n.${ident(name)}) AS ${ident(name)}`)
    .join(', ');
  const first = ident(table.primaryKey[0]!);
  const side = (its: 'o' | 'n', other: 'o' | 'n'): string =>
    `CASE WHEN ${its}.${first} IS NULL THEN NULL WHEN ${other}.${first} IS NULL THEN to_jsonb(${its}.*) ELSE ${changedColumns(table, its)} END`;
  return `SELECT ${key},
       CASE WHEN o.${first} IS NULL THEN 'insert' WHEN n.${first} IS NULL THEN 'delete' ELSE 'update' END AS change,
       ${side('o', 'n')} AS before, ${side('n', 'o')} AS after
     FROM (${before}) o FULL JOIN (${after}) n ON ${sameKey(table, 'o', 'n')}
     WHERE ROW(${columnsOf(table, 'o.')}) IS DISTINCT FROM ROW(${columnsOf(table, 'n.')})`;
}

/** Lists the differences between two queries in a temporary table. */
export async function listDifferences(
  client: pg.ClientBase,
  table: Table,
  before: string,
  after: string,
): Promise<void> {
  await client.query(
    `CREATE TEMP TABLE ${deltaOf(table)} ON COMMIT DROP AS ${differencesOf(table, before, after)}`,
  );
  // The rows on both sides need no statistics: nothing is looked up by them.
  const searched = [...table.primaryKey.map((name) => ident(name)), 'change'];
  await client.query(`ANALYZE ${deltaOf(table)} (${searched.join(', ')})`);
}

/** Counts inserts, updates and deletes in a table of differences. */
export async function countDelta(client: pg.ClientBase, table: Table, rowsBefore: number): Promise<Delta> {
  const { rows } = await client.query<{ change: string; n: string }>(
    `SELECT change, count(*) AS n FROM ${deltaOf(table)} GROUP BY change`,
  );
  const by = Object.fromEntries(rows.map((row) => [row.change, Number(row.n)]));
  const [inserted, updated, deleted] = [by.insert ?? 0, by.update ?? 0, by.delete ?? 0];
  return {
    inserted,
    updated,
    deleted,
    rows_before: rowsBefore,
    rows_after: rowsBefore + inserted - deleted,
    base: false,
    isListed: true,
    hasOtherRows: false,
  };
}

/** Applies the listed differences to the serving table; `source` has the new rows, by name. */
export async function applyDifferences(client: pg.ClientBase, table: Table, source: string): Promise<void> {
  await client.query(
    `DELETE FROM ${qualified(table)} o USING ${deltaOf(table)} d WHERE d.change <> 'insert' AND ${sameKey(table, 'o', 'd')}`,
  );
  await client.query(
    `INSERT INTO ${qualified(table)} (${columnsOf(table)})
     SELECT ${columnsOf(table, 's.')} FROM ${source} s JOIN ${deltaOf(table)} d ON ${sameKey(table, 's', 'd')}
     WHERE d.change <> 'delete'`,
  );
}

/** Writes the listed differences to the journal, numbered in the order of their keys. */
export async function writeJournal(client: pg.ClientBase, table: Table, publication: number): Promise<void> {
  await client.query(
    `INSERT INTO control.change (publication_id, table_name, seq, change, key, before, after)
     SELECT $1, $2, row_number() OVER (ORDER BY ${keyText(table, 'd')} COLLATE "C"), change, ${keyText(table, 'd')}, before, after
     FROM ${deltaOf(table)} d`,
    [publication, table.name],
  );
}
