import {
  type Column,
  type Columns,
  col,
  type Row,
  type RowOf,
  type Table,
  table,
} from '../../schema/table.ts';
import { type InputRows, type Inputs, input } from '../engine/input.ts';
import { type Stage, stage } from '../engine/stage.ts';
import { groupBy } from './by_key.ts';
import type { Measure } from './measures.ts';
import { Totals } from './totals.ts';

type RowsOf<I extends Inputs> = { [K in keyof I]: InputRows<I[K]> };

/** Columns of all members of a union. */
type All<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer A extends Columns) => void
  ? A
  : never;
type Measured<M extends readonly Measure[]> = All<M[number]['columns']>;

/**
 * A serving table that is put together from all cells, in two steps, so that a change in a cell costs that cell and a sum over the parts:
 * a stage that computes the **parts** of each cell, one for each key, the asset of the parts, and a stage that makes the **whole** of
 * them. The measures merge rows into parts and parts into the whole alike, so that it does not matter which cells the rows are in.
 */
export function rollup<
  const B extends Columns,
  const M extends readonly Measure[],
  const I extends Inputs,
  T extends Table,
  K extends keyof (B & Measured<M>) & string = keyof B & string,
  X extends Inputs = Record<never, never>,
  P = undefined,
>({
  params = {},
  parts,
  part,
  whole,
}: {
  /** Values of schema/ that rows are computed by. */
  params?: Readonly<Record<string, unknown>>;
  /** The asset, and by its name the stage that makes it: the columns that are its key beside the cell, and the others. */
  parts: { name: string; doc: string; by: B; measures: M };
  part: {
    version: number;
    doc: string;
    subject: keyof I & string;
    inputs: I;
    /** Name under which subject rows that count nowhere are dropped; undefined: each counts. */
    dropped?: string;
    /** Adds rows, which are merged into parts; returns how many subject rows are dropped. */
    gather: (rows: RowsOf<I>, add: (row: RowOf<B & Measured<M>>) => void) => number | undefined;
  };
  whole: {
    name: string;
    version: number;
    output: T;
    /** Columns that parts which belong together share; undefined: the key of the parts. */
    by?: readonly K[];
    /** What is read besides the parts. */
    inputs?: X;
    /** What is made of that, once for all rows. */
    prepare?: (rows: RowsOf<X>) => P;
    /** Rows to serve, of parts that belong together and what they come to. */
    rows: (
      total: Pick<RowOf<B & Measured<M>>, K | keyof Measured<M>>,
      parts: readonly RowOf<B & Measured<M>>[],
      prepared: P,
    ) => readonly Row<T>[];
  };
}): { asset: Table<{ cell: Column<'int4', false> } & B & Measured<M>>; part: Stage; whole: Stage } {
  const { name, doc, measures } = parts;
  const key: readonly string[] = Object.keys(parts.by);
  const columns = Object.assign({}, parts.by, ...measures.map((each) => each.columns)) as B & Measured<M>;
  const asset = table({
    schema: 'asset',
    name,
    doc,
    columns: { cell: col('int4', 'Grid cell.'), ...columns },
    primaryKey: ['cell', ...key],
  });
  const partStage = stage({
    name,
    version: part.version,
    doc: part.doc,
    subject: part.subject,
    inputs: part.inputs,
    output: asset as Table,
    params: () => params,
    compute(rows, { cell, emit }) {
      const totals = new Totals(key, measures);
      const dropped = part.gather(rows as RowsOf<I>, (row) => totals.add(row)) ?? 0;
      for (const total of totals.all) emit({ ...total, cell });
      const { length } = rows[part.subject];
      const drops: Record<string, number> = dropped > 0 ? { [part.dropped!]: dropped } : {};
      return { account: { in: length, out: length - dropped, drops } };
    },
  });
  const wholeStage = stage({
    name: whole.name,
    version: whole.version,
    doc: `Rows of serving.${whole.output.name}.`,
    subject: 'part',
    by: 'whole',
    inputs: { part: input(asset as Table, Object.keys(asset.columns), { kind: 'all' }), ...whole.inputs },
    output: whole.output as Table,
    params: () => params,
    compute({ part: all, ...more }, { emit }) {
      const totals = new Totals(whole.by ?? key, measures);
      const prepared = whole.prepare?.(more as RowsOf<X>) as P;
      for (const [total, own] of groupBy(all, (row) => totals.add(row)))
        for (const row of whole.rows(total as never, own as never, prepared)) emit(row);
      return { account: { in: all.length, out: all.length, drops: {} } };
    },
  });
  return { asset, part: partStage, whole: wholeStage };
}
