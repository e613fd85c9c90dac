import type { Columns, Row, RowOf, Table } from '../../schema/table.ts';
import { type Inputs, input } from '../engine/input.ts';
import { type Stage, stage } from '../engine/stage.ts';
import { groupBy } from './by_key.ts';
import type { Measure } from './measures.ts';
import { type Measured, type PartsStage, type PartsTable, parts as partsOf, type RowsOf } from './parts.ts';
import { Totals } from './totals.ts';

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
  parts: PartsTable<B, M>;
  part: PartsStage<B, M, I>;
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
}): ReturnType<typeof partsOf<B, M, I>> & { whole: Stage } {
  const { asset, part: partStage } = partsOf(parts, part, params);
  const { by, measures } = parts;
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
      const totals = new Totals(whole.by ?? Object.keys(by), measures);
      const prepared = whole.prepare?.(more as RowsOf<X>) as P;
      for (const [total, own] of groupBy(all, (row) => totals.add(row)))
        for (const row of whole.rows(total as never, own as never, prepared)) emit(row);
      return { account: { in: all.length, out: all.length, drops: {} } };
    },
  });
  return { asset, part: partStage, whole: wholeStage };
}
