import type { Columns } from '../schema/table.ts';
import { type FieldReader, METHOD } from './field_reader.ts';
import type { FieldWriter } from './field_writer.ts';

/** Makes a row of the fields that the reader comes to next. */
export type MakeRow<T> = (reader: FieldReader) => T;
/** Writes the fields of a row; a missing value is NULL. */
export type WriteRow = (
  writer: FieldWriter,
  row: Readonly<Record<string, unknown>>,
  fixed: Readonly<Record<string, unknown>>,
) => void;

/** Compiled functions of this thread by their text: the engine makes a function fast once, not once for each COPY. */
const compiled = new Map<string, unknown>();

function compile<F>(parameters: readonly string[], body: string): F {
  const known = compiled.get(body);
  if (known !== undefined) return known as F;
  const made = new Function(...parameters, body) as F;
  compiled.set(body, made);
  return made;
}

/**
 * The function that makes rows of the given columns. It is generated, because an object that is written down in one piece has its
 * final layout from the start, where one that grows column by column is laid out anew several times and searched for each name.
 * Nothing but declared column names goes into the code, quoted as JSON.
 */
export function rowMaker<T>(columns: Columns): MakeRow<T> {
  const fields = Object.entries(columns).map(
    ([name, { type }]) => `${JSON.stringify(name)}: r.${METHOD[type]}()`,
  );
  return compile<MakeRow<T>>(['r'], `return { ${fields.join(', ')} };`);
}

/** The function that writes rows of the given columns; those named by `fixed` come from its last argument instead of the row. */
export function rowWriter(columns: Columns, fixed: readonly string[]): WriteRow {
  const fields = Object.entries(columns).map(([name, { type }]) => {
    const from = fixed.includes(name) ? 'fixed' : 'row';
    return `v = ${from}[${JSON.stringify(name)}]; if (v === null || v === undefined) w.missing(); else w.${METHOD[type]}(v);`;
  });
  return compile<WriteRow>(['w', 'row', 'fixed'], `let v; w.start(${fields.length}); ${fields.join('\n')}`);
}

/** The function that gives a column of a row. Generated, because a name that is an argument is looked up in each row anew. */
export const columnGetter = (name: string): ((row: Readonly<Record<string, unknown>>) => unknown) =>
  compile(['row'], `return row[${JSON.stringify(name)}];`);
