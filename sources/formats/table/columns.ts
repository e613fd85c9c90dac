import { EtlError } from '../../../schema/errors.ts';

/** Builds the EtlError `missing_column`: `missing` are the columns that a table lacks, `header` the columns that it has. */
export const missingColumns = (
  file: string,
  missing: readonly string[],
  header: readonly string[],
  advice = 'Check that the file contains the table in its name.',
): EtlError =>
  new EtlError(
    'missing_column',
    `${file}: no column ${missing.join(', ')}. The header reads: ${header.join(', ').slice(0, 600) || '(empty)'}. ${advice}`,
    { details: { file, missing } },
  );

/** Lengths that a shapefile cuts column names to; some programs use the byte after the tenth too. */
const CUT_LENGTHS: ReadonlySet<number> = new Set([10, 11]);

interface NamedColumn {
  readonly name: string;
}

/** Finds the first alias that a table has as a column, without case; an alias beyond ten characters also matches by its first ten. */
export function findField<F extends NamedColumn>(fields: readonly F[], aliases: readonly string[]): F | null {
  for (const alias of aliases) {
    const name = alias.toLowerCase();
    const field =
      fields.find((each) => each.name.toLowerCase() === name) ??
      fields.find(
        (each) =>
          CUT_LENGTHS.has(each.name.length) &&
          name.length > each.name.length &&
          name.startsWith(each.name.toLowerCase()),
      );
    if (field !== undefined) return field;
  }
  return null;
}

/** Finds every column that an alias names, as in findField, in the order of the aliases: the first that a row fills counts. */
export const findFields = <F extends NamedColumn>(fields: readonly F[], aliases: readonly string[]): F[] => [
  ...new Set(aliases.map((alias) => findField(fields, [alias])).filter((field) => field !== null)),
];

/** Finds columns as findFields does, at least one. EtlError `missing_column` names the file, the wanted columns and the existing ones. */
export function requireFields<F extends NamedColumn>(
  fields: readonly F[],
  aliases: readonly string[],
  file: string,
  what: string,
): F[] {
  const columns = findFields(fields, aliases);
  if (columns.length > 0) return columns;
  throw missingColumns(
    file,
    [`for ${what} (${aliases.join(' or ')})`],
    fields.map((each) => each.name),
    'Check that it is the right layer, or name the column in the options.',
  );
}
