import type { Table } from '../../schema/table.ts';

/** A file that receives the rows of a table in order. */
export interface RowFile {
  add(rows: readonly Readonly<Record<string, unknown>>[]): Promise<void>;
  /** Writes what is left and closes it. */
  end(): Promise<void>;
}

/** Columns that the rows of an exported table are sorted by before its key: a row group of Parquet is of one state. */
export const firstOf = ({ columns }: Table): string[] => ('state' in columns ? ['state'] : []);

/** Writes all rows to a file and closes it; returns their number. */
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
