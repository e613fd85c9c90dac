import { byCodeUnit, knownBy, type SaleTable, selectSales } from '../property/home_table.ts';
import { firstDayOfMonth, monthOf } from '../stats/calendar.ts';
import type { Evidence } from './evidence.ts';
import { heldSales, holdoutFigures } from './holdout.ts';
import type { AvmModel, TrainOptions } from './model.ts';
import { GATE_LIMITS, type GateLimits, gateFailures, type ModelFigures } from './model_gates.ts';
import { saleDigests } from './model_id.ts';
import { AVM, type AvmParams } from './params.ts';
import { trainAvm } from './train.ts';

/**
 * How the model of a region was chosen.
 * `promoted`: the new model passed its gates.
 * `kept`: the new model failed; the model of an earlier month still serves.
 * `reduced`: all models failed; properties are valued by ridge with local residual.
 * `not_judged`: the model has no trees, or too few sales to evaluate them.
 */
const PROMOTIONS = ['promoted', 'kept', 'reduced', 'not_judged'] as const;
export type Promotion = (typeof PROMOTIONS)[number];

/** The serving model of a region, and the outcome of the newest one. */
export interface PromotionResult {
  model: AvmModel;
  /** Training sales of `model`. */
  evidence: Evidence;
  outcome: Promotion;
  /** Id of the newest model; equal to the id of `model` if it serves. */
  challenger_id: string;
  /** Metrics of the newest model on its holdout sales. Null: not evaluated. */
  figures: ModelFigures | null;
  /** Gates that it failed. */
  failures: string[];
}

/** Maximum months to go back for a model that passes. */
const MONTHS_BACK = 2;

interface ScoredModel {
  model: AvmModel;
  evidence: Evidence;
  figures: ModelFigures | null;
  failures: string[];
}

const monthBefore = (as_of: number): number => firstDayOfMonth(monthOf(as_of) - 1);

/** Trains as of a day and evaluates on the whole holdout. The gates compare with the part of it that was known a month before. */
function trainAndJudge(
  sales: SaleTable,
  options: Omit<TrainOptions, 'snapshot'>,
  params: AvmParams,
  limits: GateLimits,
): ScoredModel {
  const { as_of, digest } = options;
  // Only the sales that the model of that day was given: the result is the same model, byte for byte.
  const rows = Array.from({ length: knownBy(sales.day, as_of - 1) }, (_, i) => i);
  const table = rows.length === sales.length ? sales : selectSales(sales, rows);
  // Digests all sales given, including outliers and sales too new to train on: an equal id then means equal evidence too.
  const snapshot = digest(saleDigests(table, Object.keys(table.extra).sort(byCodeUnit), digest).join(';'));
  const { model, evidence } = trainAvm(table, { ...options, snapshot }, params);
  if (!model.boosted) return { model, evidence, figures: null, failures: [] };
  const heldOut = heldSales(model);
  const figures = holdoutFigures(heldOut);
  if (!figures) return { model, evidence, figures, failures: [] };
  const knownUntil = monthBefore(as_of) - params.evidence.lag_days;
  const before = holdoutFigures(heldOut.filter(({ day }) => day <= knownUntil));
  return { model, evidence, figures, failures: gateFailures(figures, before, limits) };
}

/**
 * Trains the model of a region and lets it serve if it passes its gates on its holdout sales. If not, the model of the month before
 * serves, or of the one before that; if none passes, the newest one without trees. The result depends on the sales only, so a full
 * build and many increments choose the same model. `sales` must be valid and in canonical order.
 */
export function promoteModel(
  sales: SaleTable,
  options: Omit<TrainOptions, 'snapshot'>,
  params: AvmParams = AVM,
  limits: GateLimits = GATE_LIMITS,
): PromotionResult {
  const challenger = trainAndJudge(sales, options, params, limits);
  const { model, evidence, figures, failures } = challenger;
  const verdict = { challenger_id: model.id, figures, failures };
  if (!figures) return { ...verdict, model, evidence, outcome: 'not_judged' };
  if (failures.length === 0) return { ...verdict, model, evidence, outcome: 'promoted' };
  let { as_of } = options;
  for (let month = 0; month < MONTHS_BACK; month++) {
    as_of = monthBefore(as_of);
    const champion = trainAndJudge(sales, { ...options, as_of }, params, limits);
    if (champion.figures && champion.failures.length === 0)
      return { ...verdict, model: champion.model, evidence: champion.evidence, outcome: 'kept' };
  }
  const id = options.digest(`${model.id} without trees`);
  return { ...verdict, model: { ...model, id, boosted: null, gain: [] }, evidence, outcome: 'reduced' };
}
