import type pg from 'pg';
import { ident, qualified } from '../../schema/ddl.ts';
import { col, type Table } from '../../schema/table.ts';
import { AS_OF_SCHEMA } from './as_of.ts';
import { columnsOf, sameKey } from './differences.ts';
import { basesOf } from './journal.ts';

/**
 * Declares a table of changes: inserted and updated rows with their current values, deleted rows with their last values, each with its kind
 * of change.
 */
const changesOf = (table: Table): Table => ({
  ...table,
  name: `changed_${table.name}`,
  columns: { change: col('text', 'insert, update or delete; a deleted row is as it was.'), ...table.columns },
});

/**
 * Creates a temporary view of the differences between the served tables and an earlier publication, inside `withAsOf` for that publication.
 * @returns its declaration; the view is in AS_OF_SCHEMA
 */
export async function listChanged(client: pg.ClientBase, table: Table, since: number): Promise<Table> {
  const changes = changesOf(table);
  const pastTable = qualified(table, AS_OF_SCHEMA);
  const isBase = (await basesOf(client, table.name, since + 1)).length > 0;
  // Rows whose keys are not in the journal are unchanged, unless the table got its first rows since.
  const touched = (alias: string): string =>
    isBase
      ? 'true'
      : `EXISTS (SELECT 1 FROM ${AS_OF_SCHEMA}.${ident(`undo_${table.name}`)} u WHERE ${sameKey(table, 'u', alias)})`;
  const first = `w.${ident(table.primaryKey[0]!)}`;
  await client.query(
    `CREATE TEMP VIEW ${ident(changes.name)} AS
     SELECT CASE WHEN ${first} IS NULL THEN 'insert' ELSE 'update' END AS change, ${columnsOf(table, 'o.')}
     FROM ${qualified(table)} o LEFT JOIN ${pastTable} w ON ${sameKey(table, 'o', 'w')}
     WHERE ${touched('o')} AND (${first} IS NULL OR ROW(${columnsOf(table, 'o.')}) IS DISTINCT FROM ROW(${columnsOf(table, 'w.')}))
     UNION ALL
     SELECT 'delete', ${columnsOf(table, 'w.')} FROM ${pastTable} w
     WHERE ${touched('w')} AND NOT EXISTS (SELECT 1 FROM ${qualified(table)} o WHERE ${sameKey(table, 'o', 'w')})`,
  );
  return changes;
}
