/** A row whose columns the compiler does not know. */
export type UntypedRow = Readonly<Record<string, unknown>>;
/** Column types that the pipeline stores; each has one PostgreSQL type and one JavaScript type. */
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
  /** One sentence with the unit, the CRS and the meaning of null if the type does not give them. */
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

type RowOf<C extends Columns> = {
  [K in keyof C]: C[K] extends Column<infer T, infer N>
    ? N extends true
      ? ColumnValues[T] | null
      : ColumnValues[T]
    : never;
};

/** Returns names, types and nullability of columns without their docs: everything that a row's content depends on. */
export const shapeOfColumns = (columns: Columns): unknown =>
  Object.entries(columns).map(([name, column]) => [name, column.type, column.nullable]);

export interface TableIndex {
  readonly columns: readonly string[];
  /** Further columns in the index, so that a query of only these does not read the table. */
  readonly include?: readonly string[];
  readonly where?: string;
}

/**
 * Kind of a table's partitions: grid cells (schema/grid.ts), states and months (schema/event_bucket.ts), states
 * (schema/state_partition.ts), valuation models (schema/model_partition.ts), or one for the whole table.
 */
export type PartitionKind = 'cell' | 'month' | 'state' | 'model' | 'whole';

/**
 * One table, declared once: TypeScript row type, DDL, COPY order and documentation come from here. `schema` is the PostgreSQL
 * schema; columns keep their declaration order.
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
  readonly partition: PartitionKind;
  /**
   * Column with the partition that readers look in, if not the one that wrote the row. Events are written by month and read by
   * cell; addresses are read in the cell of their parcel. Null: the same.
   */
  readonly home: string | null;
  /**
   * Columns with the west, south, east and north edge of the row's bounding box, GDA2020 degrees, if it can extend beyond the cell
   * that readers look in. The control tables keep the bounding box of each cell's rows. Null: it never does, or no reader needs it.
   */
  readonly extent: readonly [string, string, string, string] | null;
  /** Column with the key of a row's owner. Changed keys are logged, so dependants recompute only those. Null: not logged. */
  readonly tracked: string | null;
  /** Further columns of a record table that rows of other tables refer to. The change log lists their values in changed rows, in addition to keys. */
  readonly named: readonly string[];
}

/** Column with the partition of a row, by kind of partition; null: one partition. */
const PARTITION_COLUMN = {
  cell: 'cell',
  month: 'month_partition',
  state: 'state_partition',
  model: 'model_partition',
  whole: null,
} as const satisfies Record<PartitionKind, string | null>;

/** Returns the column with the partition of a table's rows. Null: the table is one partition. */
export const partitionColumn = ({ partition }: Pick<Table, 'partition'>): string | null =>
  PARTITION_COLUMN[partition];

/** Returns the name of a table in the control tables: a record table and a serving table may share a plain name. */
export const recordedName = ({ schema, name }: Table): string =>
  schema === 'record' ? name : `${schema}.${name}`;

/** Returns the columns with the west, south, east and north edge of a row's bounding box, or of its point. Null: the table has no location. */
export function placeColumns({
  extent,
  columns,
}: Pick<Table, 'extent' | 'columns'>): readonly [string, string, string, string] | null {
  if (extent !== null) return extent;
  if ('min_lon' in columns) return ['min_lon', 'min_lat', 'max_lon', 'max_lat'];
  return 'lon' in columns ? ['lon', 'lat', 'lon', 'lat'] : null;
}

export type Row<T extends Table> = RowOf<T['columns']>;

export function table<const C extends Columns, const N extends string>(declaration: {
  schema: Table['schema'];
  name: N;
  doc: string;
  columns: C;
  primaryKey?: readonly (keyof C & string)[];
  indexes?: readonly TableIndex[];
  checks?: Readonly<Record<string, string>>;
  /** Default: cells if there is a column `cell`, else the whole table. */
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
