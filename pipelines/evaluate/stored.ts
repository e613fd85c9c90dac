import { createHash } from 'node:crypto';
import type pg from 'pg';
import { valuationDayAsset, valuationSaleAsset } from '../../schema/assets/valuation.ts';
import { EtlError } from '../../schema/errors.ts';
import type { Row } from '../../schema/table.ts';
import { readAll } from '../../store/tables/table_rows.ts';
import { POOLED, type ValuationKind } from '../../transforms/avm/model.ts';
import { AVM, type AvmParams } from '../../transforms/avm/params.ts';
import { SALE_RULES, validateSales } from '../../transforms/avm/validate_sales.ts';
import { dayNumber } from '../../transforms/stats/calendar.ts';
import { SALE_COLUMNS, saleKey, saleTableOf } from '../stages/valuation/home_columns.ts';
import type { Labels } from './error_figures.ts';
import { evaluate } from './evaluate.ts';
import { withForestThreads } from './forest_threads.ts';
import { groupWorth } from './group_worth.ts';
import { type EvaluationResult, positiveCounts } from './run.ts';

/** Options for evaluating the sales of a database. */
export interface StoredRequest {
  kind: ValuationKind;
  split: number;
  folds: number;
  lag_days: number;
  /** Whether to measure the value of each group of extra features. */
  groups: boolean;
}

type StoredSaleRow = Pick<Row<typeof valuationSaleAsset>, (typeof SALE_COLUMNS)[number]>;

function nothingStored(kind: ValuationKind): EtlError {
  return new EtlError(
    'evaluate_not_stored',
    `The database has no ${kind}s matched to properties. Load a dataset of sales or listings, or give a file with --sales.`,
  );
}

/** Reads state and SA4 of the stored sales' properties, by sale key. */
async function labelsOf(client: pg.ClientBase, rows: readonly StoredSaleRow[]): Promise<Labels> {
  const { rows: regions } = await client.query<{ gnaf_pid: string; sa4: string | null }>(
    `SELECT r.gnaf_pid, concat_ws(' ', r.sa4, r.sa4_name) AS sa4 FROM asset.address_home r
     WHERE r.sa4 IS NOT NULL AND EXISTS (SELECT 1 FROM asset.valuation_sale s WHERE s.gnaf_pid = r.gnaf_pid)`,
  );
  const sa4 = new Map(regions.map((row) => [row.gnaf_pid, row.sa4]));
  return new Map(rows.map((row) => [saleKey(row), { state: row.state, sa4: sa4.get(row.gnaf_pid) ?? null }]));
}

/**
 * Evaluates the valuation on the sales or rents of a database, with all stored data about their properties. Regions and models are as in
 * service: each state with enough sales has its own. Reads assets, writes nothing.
 * @throws EtlError `evaluate_not_stored`, `evaluate_few_sales`
 */
export async function evaluateStored(
  client: pg.ClientBase,
  { kind, groups, ...settings }: StoredRequest,
  params: AvmParams = AVM,
): Promise<EvaluationResult> {
  const [day] = await readAll(client, { table: valuationDayAsset, columns: ['as_of'] });
  if (!day) throw nothingStored(kind);
  // `kind` is one of two constants, so it is safe in SQL.
  const rows = (await readAll(client, {
    table: valuationSaleAsset,
    columns: SALE_COLUMNS,
    where: `kind = '${kind}'`,
  })) as StoredSaleRow[];
  if (rows.length === 0) throw nothingStored(kind);
  const valid = validateSales(saleTableOf(rows), {}, dayNumber(day.as_of as string), SALE_RULES[kind]);
  const labels = await labelsOf(client, rows);
  const hash = createHash('sha256');
  valid.sales.id.forEach((id, i) => {
    hash.update(`${id}=${valid.sales.price[i]};`);
  });
  const snapshot = hash.digest('hex');
  const excluded = positiveCounts(valid.counts);
  const options = { kind, snapshot, excluded, ...settings };
  const regions = { labels, pooled: POOLED };
  const { evaluation, evaluatedSales, group_worth } = await withForestThreads(undefined, async (threads) => {
    const storedEvaluation = await evaluate(valid.sales, options, threads, params, regions);
    const worth = groups
      ? await groupWorth(valid.sales, storedEvaluation.evaluation, { options, threads, params, regions })
      : null;
    return { ...storedEvaluation, group_worth: worth };
  });
  const input = {
    file: `stored ${kind}s before ${day.as_of}`,
    sha256: snapshot,
    rows_in: rows.length,
    rejected: 0,
    excluded,
    valid: valid.sales.length,
    unreadable: {},
    implausible: positiveCounts(valid.blanked),
    unknown_types: {},
  };
  return { report: { input, ...evaluation, group_worth }, evaluatedSales };
}
