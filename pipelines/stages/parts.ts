import { type Column, type Columns, col, type RowOf, type Table, table } from '../../schema/table.ts';
import type { InputRows, Inputs } from '../engine/input.ts';
import { type ByDifference, type Stage, stage } from '../engine/stage.ts';
import type { Measure } from './measures.ts';
import { Totals } from './totals.ts';

export type RowsOf<I extends Inputs> = { [K in keyof I]: InputRows<I[K]> };

/** Columns of all members of a union. */
type All<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer A extends Columns) => void
  ? A
  : never;
export type Measured<M extends readonly Measure[]> = All<M[number]['columns']>;

/** The asset of the parts, and by its name the stage that makes it: the columns that are its key beside the cell, and the others. */
export interface PartsTable<B extends Columns, M extends readonly Measure[]> {
  name: string;
  doc: string;
  by: B;
  measures: M;
}

/** The stage that makes the parts of each cell. */
export interface PartsStage<B extends Columns, M extends readonly Measure[], I extends Inputs> {
  version: number;
  doc: string;
  subject: keyof I & string;
  inputs: I;
  /** Name under which subject rows that count nowhere are dropped; undefined: each counts. */
  dropped?: string;
  /** Adds rows, which are merged into parts; returns how many subject rows are dropped. What it adds of a property follows from the rows of that property. */
  gather: (rows: RowsOf<I>, add: (row: RowOf<B & Measured<M>>) => void) => number | undefined;
}

/** Column that says whose a row is: rows of a property can be taken out of parts and others added. */
const KEY = 'gnaf_pid';

type AnyRow = Record<string, unknown>;
type Gather = (rows: Readonly<Record<string, AnyRow[]>>, add: (row: AnyRow) => void) => number | undefined;

/** True where parts can be brought up to date by the rows of some properties: each input has these, and the measures can take rows out. */
const isByDifference = (inputs: Inputs, measures: readonly Measure[]): boolean =>
  measures.every(({ remove }) => remove !== undefined) &&
  Object.values(inputs).every(
    ({ table, scope }) => scope.kind === 'own' && !scope.made && KEY in table.columns,
  );

/** Rows that stand in one list and not in the other, each as often as it stands there more. */
function without(rows: readonly AnyRow[], others: readonly AnyRow[]): AnyRow[] {
  const counts = new Map<string, number>();
  for (const row of others) {
    const text = JSON.stringify(row);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return rows.filter((row) => {
    const text = JSON.stringify(row);
    const count = counts.get(text) ?? 0;
    counts.set(text, count - 1);
    return count <= 0;
  });
}

/** Brings parts up to date: what the rows of some properties come to now is added, and then what they came to before is taken out. */
function byDifference(
  key: readonly string[],
  measures: readonly Measure[],
  subject: string,
  dropped: string | null,
  gather: Gather,
): ByDifference {
  const gathered = (rows: Readonly<Record<string, AnyRow[]>>) => {
    const added: AnyRow[] = [];
    const out = rows[subject]!.length - (gather(rows, (row) => added.push(row)) ?? 0);
    return { added, out };
  };
  return {
    key: KEY,
    dropped,
    update({ was, is, rows }, cell) {
      const before = gathered(was);
      const after = gathered(is);
      const totals = new Totals(key, measures);
      for (const row of rows) totals.add(row);
      for (const row of without(after.added, before.added)) totals.add(row);
      for (const row of without(before.added, after.added)) if (!totals.remove(row)) return null;
      return { rows: totals.rows.map((row) => ({ ...row, cell })), out: after.out - before.out };
    },
  };
}

/**
 * Parts of each cell, one for each key, that rows are merged into: the asset, and the stage that makes it. Where measures can take rows
 * out again, a cell costs the properties that changed in it.
 */
export function parts<const B extends Columns, const M extends readonly Measure[], const I extends Inputs>(
  { name, doc, by, measures }: PartsTable<B, M>,
  { version, doc: stageDoc, subject, inputs, dropped: drop, gather }: PartsStage<B, M, I>,
  params: Readonly<Record<string, unknown>> = {},
): { asset: Table<{ cell: Column<'int4', false> } & B & Measured<M>>; part: Stage } {
  const key: readonly string[] = Object.keys(by);
  const columns = Object.assign({}, by, ...measures.map((each) => each.columns)) as B & Measured<M>;
  const asset = table({
    schema: 'asset',
    name,
    doc,
    columns: { cell: col('int4', 'Grid cell.'), ...columns },
    primaryKey: ['cell', ...key],
  });
  const part = stage({
    name,
    version,
    doc: stageDoc,
    subject,
    byDifference: isByDifference(inputs, measures)
      ? byDifference(key, measures, subject, drop ?? null, gather as Gather)
      : null,
    inputs,
    output: asset as Table,
    params: () => params,
    compute(rows, { cell, emit }) {
      const totals = new Totals(key, measures);
      const dropped = gather(rows as RowsOf<I>, (row) => totals.add(row)) ?? 0;
      for (const total of totals.rows) emit({ ...total, cell });
      const { length } = rows[subject];
      const drops: Record<string, number> = dropped > 0 ? { [drop!]: dropped } : {};
      return { account: { in: length, out: length - dropped, drops } };
    },
  });
  return { asset, part };
}
