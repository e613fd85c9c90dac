import { columnSql, ident } from '../../schema/ddl.ts';
import { EtlError } from '../../schema/errors.ts';
import type { ColumnType, Table } from '../../schema/table.ts';

/** An operator of a condition: its words, the column types it supports (null: all), and its SQL, built from the SQL of column and value. */
interface Operator {
  title: string;
  types: readonly ColumnType[] | null;
  /** True: it needs a value. */
  valued: boolean;
  sql: (column: string, value: string) => string;
}

const NUMBERS: readonly ColumnType[] = ['int2', 'int4', 'float8'];
const ORDERED: readonly ColumnType[] = ['text', 'date', ...NUMBERS];

/** Operators on a column, by their name in a link. */
export const OPERATORS: Readonly<Record<string, Operator>> = {
  is: { title: 'is', types: [...ORDERED, 'bool'], valued: true, sql: (c, v) => `${c} = ${v}` },
  not: { title: 'is not', types: ORDERED, valued: true, sql: (c, v) => `${c} IS DISTINCT FROM ${v}` },
  contains: {
    title: 'contains',
    types: ['text'],
    valued: true,
    sql: (c, v) => `strpos(lower(${c}), lower(${v})) > 0`,
  },
  starts: {
    title: 'starts with',
    types: ['text'],
    valued: true,
    sql: (c, v) => `starts_with(lower(${c}), lower(${v}))`,
  },
  lt: { title: 'is less than', types: ORDERED, valued: true, sql: (c, v) => `${c} < ${v}` },
  le: { title: 'is at most', types: ORDERED, valued: true, sql: (c, v) => `${c} <= ${v}` },
  gt: { title: 'is more than', types: ORDERED, valued: true, sql: (c, v) => `${c} > ${v}` },
  ge: { title: 'is at least', types: ORDERED, valued: true, sql: (c, v) => `${c} >= ${v}` },
  has: {
    title: 'has the element',
    types: ['text[]', 'int4[]', 'float8[]'],
    valued: true,
    sql: (c, v) => `${v} = ANY (${c})`,
  },
  null: { title: 'is null', types: null, valued: false, sql: (c) => `${c} IS NULL` },
  filled: { title: 'is not null', types: null, valued: false, sql: (c) => `${c} IS NOT NULL` },
};

export interface FilterCondition {
  column: string;
  op: string;
  value: string;
}

/** SQL and the values of its parameters; the first is `$1`. */
export interface SqlFragment {
  sql: string;
  values: readonly string[];
}

const wrong = (message: string): EtlError => new EtlError('config_invalid', message);

/** Test of a text for each type, with a description of valid values. */
const FORMS: Partial<Record<ColumnType, readonly [(text: string) => boolean, string]>> = {
  int4: [(text) => /^[+-]?\d{1,10}$/.test(text) && Math.abs(Number(text)) < 2 ** 31, 'a whole number'],
  float8: [
    (text) => /^[+-]?\d*\.?\d+(e[+-]?\d{1,3})?$/i.test(text) && Number.isFinite(Number(text)),
    'a number',
  ],
  bool: [(text) => text === 'true' || text === 'false', 'true or false'],
  date: [
    (text) => /^\d{4}-\d\d-\d\d$/.test(text) && new Date(text).toJSON()?.slice(0, 10) === text,
    'a date, as 2026-01-31',
  ],
};

/** Returns the type for comparing a value with a column, or with its elements. */
const comparedAs = (type: ColumnType): ColumnType => {
  const item = type.replace('[]', '') as ColumnType;
  return item === 'int2' ? 'int4' : item;
};

/** Returns the SQL of parameter `n` after checking its value. @throws EtlError config_invalid */
function parameter(name: string, type: ColumnType, text: string, n: number): string {
  const as = comparedAs(type);
  const form = FORMS[as];
  if (text.includes('\0') || (form && !form[0](text)))
    throw wrong(`${name} ${JSON.stringify(text)} is not valid: give ${form?.[1] ?? 'a text'}.`);
  return `$${n}::${as}`;
}

/** Returns a declared column of a table. @throws EtlError config_invalid */
function columnNamed(table: Table, name: string): Table['columns'][string] {
  const column = Object.hasOwn(table.columns, name) ? table.columns[name] : undefined;
  if (column !== undefined) return column;
  throw wrong(`${table.name} has no column ${JSON.stringify(name)}.`);
}

/** Builds the condition for rows that meet every filter. @throws EtlError config_invalid for an unknown column, operator or value */
export function whereOf(table: Table, conditions: readonly FilterCondition[]): SqlFragment {
  const values: string[] = [];
  const parts = conditions.map(({ column, op, value }) => {
    const { type } = columnNamed(table, column);
    const operator = Object.hasOwn(OPERATORS, op) ? OPERATORS[op]! : undefined;
    if (operator === undefined) throw wrong(`There is no operator ${JSON.stringify(op)}.`);
    if (operator.types !== null && !operator.types.includes(type))
      throw wrong(
        `${column} is ${columnSql({ ...table.columns[column]!, type }).sql}, for which there is no “${operator.title}”.`,
      );
    if (!operator.valued) return operator.sql(ident(column), '');
    const placeholder = parameter(column, type, value, values.length + 1);
    values.push(value);
    return operator.sql(ident(column), placeholder);
  });
  return { sql: parts.length === 0 ? 'true' : parts.map((part) => `(${part})`).join(' AND '), values };
}

/** Sort order: by a column with null rows last, or by key. */
export interface Sort {
  column: string | null;
  isDescending: boolean;
}

const SORTED: readonly ColumnType[] = [...ORDERED, 'bool'];

/** Returns the columns that rows can be sorted by. */
export const sortable = (table: Table): string[] =>
  Object.keys(table.columns).filter((name) => SORTED.includes(table.columns[name]!.type));

/** A sort of the rows of a table: its ORDER BY, the position values of a row, and the condition for rows after a position. */
export interface TableSort {
  sql: string;
  /** SQL of an array of texts. */
  place: string;
  after: (position: readonly (string | null)[], where: SqlFragment) => SqlFragment;
}

/**
 * Builds the order by a column; ties: by key. @throws EtlError config_invalid for a column that cannot be sorted by, or an invalid position
 */
export function orderOf(table: Table, { column, isDescending }: Sort): TableSort {
  if (column !== null && !SORTED.includes(columnNamed(table, column).type))
    throw wrong(`Rows cannot be sorted by ${column}.`);
  const key = table.primaryKey.filter((name) => name !== column);
  const names = [...(column === null ? [] : [column]), ...key];
  const by = column === null ? [] : [`${ident(column)} ${isDescending ? 'DESC' : 'ASC'} NULLS LAST`];
  return {
    sql: [...by, ...key.map(ident)].join(', '),
    place: `ARRAY[${names.map((name) => `${ident(name)}::text`).join(', ')}]`,
    after(place, where) {
      if (place.length !== names.length)
        throw wrong('This is no place in the table: begin at its first page.');
      const values = [...where.values];
      const at = names.map((name, i) => {
        const value = place[i];
        if (value == null) return 'NULL';
        const text = parameter(name, table.columns[name]!.type, value, values.length + 1);
        values.push(value);
        return text;
      });
      const [first, rest] = column === null ? [null, at] : [at[0]!, at.slice(1)];
      const beyond = key.length === 0 ? 'false' : `(${key.map(ident).join(', ')}) > (${rest.join(', ')})`;
      if (first === null) return { sql: `${where.sql} AND ${beyond}`, values };
      const name = ident(column!);
      const sql =
        first === 'NULL'
          ? `${name} IS NULL AND ${beyond}`
          : `${name} ${isDescending ? '<' : '>'} ${first} OR ${name} IS NULL OR (${name} = ${first} AND ${beyond})`;
      return { sql: `${where.sql} AND (${sql})`, values };
    },
  };
}
