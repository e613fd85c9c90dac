import type { Columns } from '../../schema/table.ts';
import { type FieldReader, METHOD } from './field_reader.ts';
import type { FieldWriter } from './field_writer.ts';

export type MakeRow<T> = (reader: FieldReader) => T;
/** Writes the fields of a row; a missing value is NULL. */
export type WriteRow = (
  writer: FieldWriter,
  row: Readonly<Record<string, unknown>>,
  fixed: Readonly<Record<string, unknown>>,
) => void;

/**
 * Returns a function that builds rows of the given columns. A row is a copy of an empty one, so that all rows have one layout from the
 * start.
 */
export function rowMaker<T>(columns: Columns): MakeRow<T> {
  const fields = Object.entries(columns).map(([name, { type }]) => [name, METHOD[type]] as const);
  const empty: Record<string, unknown> = Object.fromEntries(fields.map(([name]) => [name, null]));
  return (reader) => {
    const row = { ...empty };
    for (const [name, method] of fields) row[name] = reader[method]();
    return row as T;
  };
}

/** Returns a function that writes rows of the given columns; columns in `fixed` come from its last argument instead of the row. */
export function rowWriter(columns: Columns, fixed: readonly string[]): WriteRow {
  const fields = Object.entries(columns).map(
    ([name, { type }]) => [name, METHOD[type], fixed.includes(name)] as const,
  );
  return (writer, row, others) => {
    writer.start(fields.length);
    for (const [name, method, isFixed] of fields) {
      const value = isFixed ? others[name] : row[name];
      if (value === null || value === undefined) writer.missing();
      else writer[method](value as never);
    }
  };
}
