import { type Column, type Columns, col, nullable, type RowOf } from '../../schema/table.ts';

/** A row that others are being merged into. */
type Merged<C extends Columns> = { -readonly [K in keyof C]: RowOf<C>[K] };

/** Columns of which those of many rows come to those of one, row by row. */
export interface Measure<C extends Columns = Columns> {
  readonly columns: C;
  /** Merges a further row into one that began with the values of another. Arrays are replaced, never changed. */
  merge(into: Merged<C>, row: RowOf<C>): void;
  /**
   * Takes out a row that was merged into another; false: what is left does not follow from the two. Undefined: it never does, and
   * whoever wants it merges the rows that are left.
   */
  remove?(from: Merged<C>, row: RowOf<C>): boolean;
  /** True for what no row at all comes to: such a row is not there. Undefined: nothing tells. */
  isNone?(row: RowOf<C>): boolean;
}

/** Merges each of the columns by itself. */
function columnwise<C extends Columns, V>(columns: C, merge: (into: V, value: V) => V): Measure<C> {
  const names = Object.keys(columns);
  return {
    columns,
    merge(into: Record<string, unknown>, row: Record<string, unknown>) {
      for (const name of names) into[name] = merge(into[name] as V, row[name] as V);
    },
  };
}

type Numbers = Readonly<Record<string, Column<'int4' | 'float8', false>>>;
type Lists<T extends 'text[]' | 'int4[]'> = Readonly<Record<string, Column<T, false>>>;

/** Counts, of which some come to more than zero where there is a row: `take` takes a value out of another. */
function counts<C extends Columns, V>(
  columns: C,
  merge: (into: V, value: V) => V,
  take: (from: V, value: V) => V,
  isZero: (value: V) => boolean,
): Measure<C> {
  const names = Object.keys(columns);
  return {
    ...columnwise(columns, merge),
    remove(from: Record<string, unknown>, row: Record<string, unknown>) {
      for (const name of names) from[name] = take(from[name] as V, row[name] as V);
      return true;
    },
    isNone: (row: Record<string, unknown>) => names.every((name) => isZero(row[name] as V)),
  };
}

/** Sums, added in the order of the rows. Those of integers are counts. */
export const sum = <C extends Numbers>(columns: C): Measure<C> => {
  const add = (into: number, value: number): number => into + value;
  const isExact = Object.values(columns).every(({ type }) => type === 'int4');
  if (!isExact) return columnwise(columns, add);
  return counts(
    columns,
    add,
    (from: number, value: number) => from - value,
    (value) => value === 0,
  );
};

/** Sums of lists of equal length, place by place. */
export const sums = <C extends Lists<'int4[]'>>(columns: C): Measure<C> =>
  counts(
    columns,
    (into: number[], value: number[]) => into.map((n, i) => n + value[i]!),
    (from, value) => from.map((n, i) => n - value[i]!),
    (value) => value.every((n) => n === 0),
  );

/** What the first row has. */
export const first = <C extends Columns>(columns: C): Measure<C> => columnwise(columns, (into) => into);

/** What the last row has. */
export const last = <C extends Columns>(columns: C): Measure<C> => columnwise(columns, (_, value) => value);

/** What stands in any of the lists, which are sorted. */
export const union = <C extends Lists<'text[]'>>(columns: C): Measure<C> =>
  columnwise(columns, (into: string[], value: string[]) =>
    value.every((each) => into.includes(each)) ? into : [...new Set([...into, ...value])].sort(),
  );

/** What stands in both lists, in the order of the first. */
export const inBoth = (a: string[], b: string[]): string[] =>
  a === b || a.every((each) => b.includes(each)) ? a : a.filter((each) => b.includes(each));

/** What stands in all of the lists, in the order of the first. */
export const common = <C extends Lists<'text[]'>>(columns: C): Measure<C> => columnwise(columns, inBoth);

/** The columns of the row that comes first by an order of them, in which no two rows of different content are equal. */
export const best = <C extends Columns>(
  columns: C,
  order: (a: RowOf<C>, b: RowOf<C>) => number,
): Measure<C> => ({
  columns,
  merge(into, row) {
    if (order(row, into) < 0) for (const name in columns) into[name] = row[name];
  },
  // Who is second is not known.
  remove: (from, row) => order(from, row) < 0,
});

/** The lower of two values in the order of `sign` 1, the higher in that of -1; null is none. */
const outer = (a: number | null, b: number | null, sign: 1 | -1): number | null =>
  a === null || (b !== null && (b - a) * sign < 0) ? b : a;

const boxColumns = {
  min_lon: nullable('float8', 'West edge of their points; null: none has coordinates.'),
  min_lat: nullable('float8', 'South edge.'),
  max_lon: nullable('float8', 'East edge.'),
  max_lat: nullable('float8', 'North edge.'),
} as const;
type Box = Merged<typeof boxColumns>;

/** The box around points, GDA2020 degrees; nulls: around none. */
export const box: Measure<typeof boxColumns> = {
  columns: boxColumns,
  merge(into, row) {
    into.min_lon = outer(into.min_lon, row.min_lon, 1);
    into.min_lat = outer(into.min_lat, row.min_lat, 1);
    into.max_lon = outer(into.max_lon, row.max_lon, -1);
    into.max_lat = outer(into.max_lat, row.max_lat, -1);
  },
};

interface Point {
  lon: number | null;
  lat: number | null;
}

/** The box around one point; without coordinates, around none. */
export const boxOf = ({ lon, lat }: Point): Box => ({
  min_lon: lon,
  min_lat: lat,
  max_lon: lon,
  max_lat: lat,
});

/** The box around points, of which one at least is given. */
export function boxAround(points: readonly Point[]): Box {
  const around = boxOf(points[0]!);
  for (const point of points) box.merge(around, boxOf(point));
  return around;
}

/** Number of properties, by which `most` weighs. */
export const properties = sum({ properties: col('int4', 'Number of properties.') });

/** The value of a column that most properties of the rows have, ties to the lowest; null: none has one. */
export function most<
  K extends string,
  R extends { readonly [_ in K]: string | null } & { readonly properties: number },
>(rows: readonly R[], column: K): R[K] {
  const counts = new Map<R[K], number>();
  for (const row of rows) {
    const value = row[column];
    if (value !== null) counts.set(value, (counts.get(value) ?? 0) + row.properties);
  }
  const [top] = [...counts].sort(([a, x], [b, y]) => y - x || (a! < b! ? -1 : 1));
  return top?.[0] ?? (null as R[K]);
}
