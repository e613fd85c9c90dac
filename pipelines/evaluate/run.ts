import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { EtlError } from '../../schema/errors.ts';
import { SALE_RULES, type SaleExclusion, validateSales } from '../../transforms/avm/validate_sales.ts';
import { type Evaluated, type Evaluation, evaluate } from './evaluate.ts';
import { withForestThreads } from './forest_threads.ts';
import { type GroupWorth, groupWorth } from './group_worth.ts';
import { readSales } from './read_sales.ts';
import { parseSalesMap } from './sales_map.ts';

export interface EvaluationRequest {
  sales: string;
  map: string;
  split: number;
  folds: number;
  lag_days: number;
  /** Day of the run, in days since 1970-01-01: later sales are excluded. */
  today: number;
  /** Whether to measure the value of each group of extra features, which retrains once for each. */
  groups: boolean;
  /** Threads that grow forests, without effect on results; undefined: one for each core. */
  threads?: number;
}

/** Account of the input: rows_in = rejected + excluded + valid. */
interface SalesInputAccount {
  file: string;
  sha256: string;
  rows_in: number;
  /** Rows with too few or too many columns. */
  rejected: number;
  excluded: Partial<Record<SaleExclusion, number>>;
  valid: number;
  /** Values taken as unknown: unreadable, by column of the file; implausible, by attribute. */
  unreadable: Record<string, number>;
  implausible: Record<string, number>;
  unknown_types: Record<string, number>;
}

export interface EvaluationReport extends Evaluation {
  input: SalesInputAccount;
  /** Accuracy lost without each group of extra features; null: not requested. */
  group_worth: GroupWorth[] | null;
}

/** A report with its evaluated sales, for the plots. */
export interface EvaluationResult {
  report: EvaluationReport;
  evaluatedSales: Evaluated['evaluatedSales'];
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new EtlError('evaluate_map', `${file} cannot be read: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

/** Keeps the counts that are not 0. */
export const positiveCounts = <K extends string>(counts: Record<K, number>): Partial<Record<K, number>> =>
  Object.fromEntries(Object.entries<number>(counts).filter(([, n]) => n > 0)) as Partial<Record<K, number>>;

/** Reads a file by its map, validates it, trains and evaluates. Uses no database. */
export async function runEvaluation(request: EvaluationRequest): Promise<EvaluationResult> {
  const map = parseSalesMap(await textOf(request.map), request.map);
  const readResult = await readSales(request.sales, map);
  const sha256 = await sha256Of(request.sales);
  const valid = validateSales(readResult.sales, readResult.facts, request.today, SALE_RULES[map.kind]);
  const { split, folds, lag_days } = request;
  const excluded = positiveCounts(valid.counts);
  const options = { kind: map.kind, split, folds, lag_days, snapshot: sha256, excluded };
  const { evaluated, group_worth } = await withForestThreads(request.threads, async (threads) => {
    const evaluation = await evaluate(valid.sales, options, threads);
    const worth = request.groups
      ? await groupWorth(valid.sales, evaluation.evaluation, { options, threads })
      : null;
    return { evaluated: evaluation, group_worth: worth };
  });
  const input: SalesInputAccount = {
    file: request.sales,
    sha256,
    rows_in: readResult.rows_in,
    rejected: readResult.rejected,
    excluded,
    valid: valid.sales.length,
    unreadable: readResult.unreadable,
    implausible: positiveCounts(valid.blanked),
    unknown_types: readResult.unknown_types,
  };
  return {
    report: { input, ...evaluated.evaluation, group_worth },
    evaluatedSales: evaluated.evaluatedSales,
  };
}
