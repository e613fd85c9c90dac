import type { Table } from '../../schema/table.ts';

/** File that receives the rows of a table in order. */
export interface RowFile {
  add(rows: readonly Readonly<Record<string, unknown>>[]): Promise<void>;
  /** Writes the remaining rows and closes the file. */
  end(): Promise<void>;
}

/**
 * Returns columns that exported rows are sorted by before the key. A row group of Parquet has rows of one state, and of few cells so that
 * readers can skip it.
 */
export const firstOf = ({ columns }: Table, format: string, levels: readonly string[] = []): string[] =>
  [...new Set([...levels, 'state', ...(format === 'parquet' ? ['cell'] : [])])].filter(
    (name) => name in columns,
  );

/** Writes all rows to a file, closes it, and returns their number. */
export async function fill(
  file: RowFile,
  batches: AsyncIterable<Parameters<RowFile['add']>[0]>,
  done: (rows: number) => void = () => undefined,
): Promise<number> {
  let rows = 0;
  try {
    for await (const batch of batches) {
      await file.add(batch);
      rows += batch.length;
      done(batch.length);
    }
  } finally {
    await file.end();
  }
  return rows;
}
