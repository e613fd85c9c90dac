import type pg from 'pg';
import type { Table } from '../../schema/table.ts';
import { orderedRows } from '../../store/read/ordered_rows.ts';
import type { SqlFragment } from '../../store/read/table_filter.ts';
import { inSnapshot } from '../../store/transaction.ts';
import { parquetFile } from './parquet_file.ts';
import { fill, firstOf } from './row_file.ts';
import { csvFile } from './text_file.ts';

export const FILTERED_FORMATS = ['csv', 'parquet'] as const;

/** Writes rows of a serving table to a new file, in the format of `exportTables`, and returns their number. */
export async function exportFiltered(
  client: pg.ClientBase,
  table: Table,
  where: SqlFragment,
  format: (typeof FILTERED_FORMATS)[number],
  path: string,
): Promise<number> {
  return inSnapshot(client, async () => {
    const { rows } = await client.query<{ publication: number }>(
      'SELECT max(publication_id) AS publication FROM serving.publication',
    );
    const about = { table: table.name, publication: String(rows[0]!.publication) };
    const file = format === 'csv' ? await csvFile(path, table) : parquetFile(path, table, about);
    return await fill(file, orderedRows(client, table, table.schema, firstOf(table, format), where));
  });
}
