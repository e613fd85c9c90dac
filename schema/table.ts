/** A row whose columns are not known to the compiler. */
export type UntypedRow = Readonly<Record<string, unknown>>;
/** Column types the pipeline stores; each has one PostgreSQL type and one JavaScript type. */
export type ColumnType =
  | 'text'
  | 'int2'
  | 'int4'
  | 'float8'
  | 'bool'
  | 'date'
  | 'bytea'
  | 'text[]'
  | 'int4[]'
  | 'float8[]'
  | 'jsonb';

/** JavaScript value of each column type. Dates are `YYYY-MM-DD` text, bytea a Uint8Array view. */
interface ColumnValues {
  text: string;
  int2: number;
  int4: number;
  float8: number;
  bool: boolean;
  date: string;
  bytea: Uint8Array;
  'text[]': string[];
  'int4[]': number[];
  'float8[]': number[];
  jsonb: unknown;
}

export interface Column<T extends ColumnType = ColumnType, N extends boolean = boolean> {
  readonly type: T;
  readonly nullable: N;
  /** One sentence; says the unit, the CRS and what null means where types cannot. */
  readonly doc: string;
}

/** A NOT NULL column. */
export const col = <T extends ColumnType>(type: T, doc: string): Column<T, false> => ({
  type,
  nullable: false,
  doc,
});

/** A nullable column; `doc` says what null means. */
export const nullable = <T extends ColumnType>(type: T, doc: string): Column<T, true> => ({
  type,
  nullable: true,
  doc,
});

export type Columns = Readonly<Record<string, Column>>;

/** The row type of a set of columns. */
type RowOf<C extends Columns> = {
  [K in keyof C]: C[K] extends Column<infer T, infer N>
    ? N extends true
      ? ColumnValues[T] | null
      : ColumnValues[T]
    : never;
};

/** Names, types and nulls of columns without their texts: what a row's content depends on. */
export const shapeOfColumns = (columns: Columns): unknown =>
  Object.entries(columns).map(([name, column]) => [name, column.type, column.nullable]);

export interface TableIndex {
  readonly columns: readonly string[];
  /** Further columns that the index carries, so that a query of them alone does not read the table. */
  readonly include?: readonly string[];
  readonly where?: string;
}

/**
 * What the rows of a table are grouped by into partitions: grid cells (schema/grid.ts), states and months (schema/event_bucket.ts), states
 * (schema/state_partition.ts), valuation models (schema/model_partition.ts), or nothing: the table is one partition.
 */
export type PartitionKind = 'cell' | 'month' | 'state' | 'model' | 'whole';

/**
 * One table, declared once: TypeScript row type, DDL, COPY order and documentation all come from here.
 * `schema` is the PostgreSQL schema; every column keeps its declaration order.
 */
export interface Table<C extends Columns = Columns, N extends string = string> {
  readonly schema: 'record' | 'asset' | 'serving';
  readonly name: N;
  readonly doc: string;
  readonly columns: C;
  readonly primaryKey: readonly string[];
  readonly indexes: readonly TableIndex[];
  /** Named boolean SQL expressions that every row satisfies. */
  readonly checks: Readonly<Record<string, string>>;
  /** What its partitions are. */
  readonly partition: PartitionKind;
  /**
   * Column with the partition that a row is looked for in, where that is not the one that made it: what is computed by month is read by
   * place, and an address in the cell of its parcel. Null: rows are looked for in the partition that made them.
   */
  readonly home: string | null;
  /**
   * Columns west, south, east and north of the box around what a row is about, GDA2020 degrees, where that may lie beyond the cell that it
   * is looked for in: the books keep the box around the rows of each cell. Null: it lies in the cell, or nobody looks.
   */
  readonly extent: readonly [string, string, string, string] | null;
  /**
   * Column that says whose a row is, in a table of which it is written down whose rows a computation or a delivery changed: what is made of
   * it key by key need not look at the others. Null: it is not written down.
   */
  readonly tracked: string | null;
  /** Other columns of a record table, by whose values rows of other tables name its rows: the log lists the values of changed rows beside their keys. */
  readonly named: readonly string[];
}

/** Column with the partition of a row, by what a table is partitioned by; a table of one partition has none. */
const PARTITION_COLUMN = {
  cell: 'cell',
  month: 'month_partition',
  state: 'state_partition',
  model: 'model_partition',
  whole: null,
} as const satisfies Record<PartitionKind, string | null>;

/** Column with the partition of a table's rows; null: the table is one partition. */
export const partitionColumn = ({ partition }: Pick<Table, 'partition'>): string | null =>
  PARTITION_COLUMN[partition];

/** Name of a table in the books: a record table and a serving table may share a plain name. */
export const bookName = ({ schema, name }: Table): string =>
  schema === 'record' ? name : `${schema}.${name}`;

/** Columns west, south, east and north of the box around what a row is about, or of its point; null: its table has no place. */
export function placeColumns({
  extent,
  columns,
}: Pick<Table, 'extent' | 'columns'>): readonly [string, string, string, string] | null {
  if (extent !== null) return extent;
  if ('min_lon' in columns) return ['min_lon', 'min_lat', 'max_lon', 'max_lat'];
  return 'lon' in columns ? ['lon', 'lat', 'lon', 'lat'] : null;
}

/** Row type of a declared table. */
export type Row<T extends Table> = RowOf<T['columns']>;

export function table<const C extends Columns, const N extends string>(declaration: {
  schema: Table['schema'];
  name: N;
  doc: string;
  columns: C;
  primaryKey?: readonly (keyof C & string)[];
  indexes?: readonly TableIndex[];
  checks?: Readonly<Record<string, string>>;
  /** Left out: cells, where there is a column `cell`, else the whole. */
  partition?: PartitionKind;
  home?: keyof C & string;
  extent?: readonly [keyof C & string, keyof C & string, keyof C & string, keyof C & string];
  tracked?: keyof C & string;
  named?: readonly (keyof C & string)[];
}): Table<C, N> {
  const partition = 'cell' in declaration.columns ? 'cell' : 'whole';
  if (declaration.named !== undefined && declaration.schema !== 'record')
    throw new TypeError(`${declaration.name}: only deliveries log values beside keys (named).`);
  return {
    primaryKey: [],
    indexes: [],
    checks: {},
    partition,
    home: null,
    extent: null,
    tracked: null,
    named: [],
    ...declaration,
  };
}
