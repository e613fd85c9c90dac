import { type Column, type Columns, type ColumnType, partitionColumn, type Table } from './table.ts';

/** PostgreSQL name of a column type. */
const SQL_TYPE: Record<ColumnType, string> = {
  text: 'text',
  int2: 'int2',
  int4: 'int4',
  float8: 'float8',
  bool: 'bool',
  date: 'date',
  bytea: 'bytea',
  'text[]': 'text[]',
  'int4[]': 'int4[]',
  'float8[]': 'float8[]',
  jsonb: 'jsonb',
};

/** Returns a quoted SQL identifier. */
export const ident = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Returns a quoted SQL literal; for DDL comments only, values go through parameters. */
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Returns `"schema"."name"` of a table, or of its copy in another schema. */
export const qualified = (table: Table, schema: string = table.schema): string =>
  `${ident(schema)}.${ident(table.name)}`;

/** Returns the SQL of a nullable column of this type, and the type's name in the catalogue. */
export function columnSql(column: Column): { sql: string; type: string } {
  const names: Partial<Record<ColumnType, string>> = {
    int2: 'smallint',
    int4: 'integer',
    float8: 'double precision',
    bool: 'boolean',
    'int4[]': 'integer[]',
    'float8[]': 'double precision[]',
  };
  return { sql: SQL_TYPE[column.type], type: names[column.type] ?? SQL_TYPE[column.type] };
}

/** Returns the column definitions with NOT NULL and checks, for CREATE TABLE. */
function columnList(columns: Columns, checks: Table['checks']): string {
  const lines = Object.entries(columns).map(
    ([name, column]) => `${ident(name)} ${SQL_TYPE[column.type]}${column.nullable ? '' : ' NOT NULL'}`,
  );
  for (const [name, sql] of Object.entries(checks)) lines.push(`CONSTRAINT ${ident(name)} CHECK (${sql})`);
  return lines.join(',\n  ');
}

/** Returns the COMMENT statements of a table and of every column. */
export function commentSql(table: Table, schema: string): string[] {
  return [
    `COMMENT ON TABLE ${qualified(table, schema)} IS ${literal(table.doc)}`,
    ...Object.entries(table.columns).map(
      ([name, column]) =>
        `COMMENT ON COLUMN ${qualified(table, schema)}.${ident(name)} IS ${literal(column.doc)}`,
    ),
  ];
}

/** Types without statistics: no plan needs them, and `text[]` takes longer to analyse than all other columns. */
const UNSEARCHED: ReadonlySet<ColumnType> = new Set(['bytea', 'text[]', 'int4[]', 'float8[]', 'jsonb']);

/**
 * Returns the statements that set column storage. Geometries are uncompressed: coordinates do not compress, and PostgreSQL would
 * try with each one. Lists, JSON and bytes have no statistics.
 */
export const storageSql = (table: Table, schema: string = table.schema): string[] =>
  Object.entries(table.columns).flatMap(([name, { type }]) => {
    const alter = `ALTER TABLE ${qualified(table, schema)} ALTER COLUMN ${ident(name)} SET`;
    const external = name === 'geom' && type === 'bytea' ? [`${alter} STORAGE EXTERNAL`] : [];
    return [...external, ...(UNSEARCHED.has(type) ? [`${alter} STATISTICS 0`] : [])];
  });

export const keySql = (table: Table): string =>
  `CONSTRAINT ${ident(`${table.name}_pkey`)} PRIMARY KEY (${table.primaryKey.map(ident).join(', ')})`;

/** Returns the CREATE INDEX statements of a table or of one of its children. */
export function indexSql(table: Table, target: string, targetName: string): string[] {
  return table.indexes.map((index, i) => {
    const where = index.where ? ` WHERE ${index.where}` : '';
    const include = index.include ? ` INCLUDE (${index.include.map(ident).join(', ')})` : '';
    return `CREATE INDEX IF NOT EXISTS ${ident(`${targetName}_i${i}`)} ON ${target} (${index.columns.map(ident).join(', ')})${include}${where}`;
  });
}

/** Returns the name of the only index of a staged table. Null: the table is one partition and has none. */
export function stagedIndexName(table: Table): string | null {
  const column = partitionColumn(table);
  return column === null ? null : `${table.name}_${column}`;
}

/**
 * Returns the CREATE INDEX statement of a staged table: by partition, in which its rows are replaced and published; in a tracked
 * table also by key. A newly filled table has no statistics, so a plan may look up each key separately.
 */
function stagedIndexSql(table: Table, target: string): string[] {
  const name = stagedIndexName(table);
  if (name === null) return [];
  return [
    `CREATE INDEX IF NOT EXISTS ${ident(name)} ON ${target} (${[partitionColumn(table)!, ...(table.tracked === null ? [] : [table.tracked])].map(ident).join(', ')})`,
  ];
}

/**
 * Returns the statements that create a table, its primary key and its indexes if missing. A record table is partitioned by load:
 * the load creates and indexes its children.
 */
export function createTableSql(table: Table, schema: string = table.schema): string[] {
  const target = qualified(table, schema);
  const body = `CREATE TABLE IF NOT EXISTS ${target} (\n  ${columnList(table.columns, table.checks)}`;
  if (table.schema === 'record') {
    return [`${body}\n) PARTITION BY LIST (load_id)`];
  }
  const unique = schema === 'serving' && table.primaryKey.length > 0;
  const key = unique ? `,\n  ${keySql(table)}` : '';
  const indexes =
    schema === 'serving' || schema === 'asset'
      ? indexSql(table, target, table.name)
      : stagedIndexSql(table, target);
  return [`${body}${key}\n)`, ...indexes];
}
