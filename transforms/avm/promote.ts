import { byCodeUnit, knownBy, type SaleTable, selectSales } from '../property/home_table.ts';
import { firstDayOfMonth, monthOf } from '../stats/calendar.ts';
import type { Evidence } from './evidence.ts';
import { GATE_LIMITS, type GateLimits, gateFailures, type ModelFigures } from './gates.ts';
import { heldSales, holdoutFigures } from './holdout.ts';
import type { AvmModel, TrainOptions } from './model.ts';
import { saleDigests } from './model_id.ts';
import { AVM, type AvmParams } from './params.ts';
import { trainAvm } from './train.ts';

/**
 * How the model of a region was chosen.
 * - `promoted`: the new model passed its gates.
 * - `kept`: it did not, and the model of an earlier month goes on serving.
 * - `reduced`: none of them did; homes are valued by ridge with local residual.
 * - `not_judged`: it has no trees, or too few sales to judge them by.
 */
const PROMOTIONS = ['promoted', 'kept', 'reduced', 'not_judged'] as const;
export type Promotion = (typeof PROMOTIONS)[number];

/** The model that serves a region, and what became of the newest one. */
export interface PromotionResult {
  model: AvmModel;
  /** What it was trained on. */
  evidence: Evidence;
  outcome: Promotion;
  /** Id of the newest model; that of `model` where it serves. */
  challenger_id: string;
  /** What the newest model showed on the sales held back from it; null: not judged. */
  figures: ModelFigures | null;
  /** The gates that it failed. */
  failures: string[];
}

/** How many months back a model is looked for that passes. */
const MONTHS_BACK = 2;

interface ScoredModel {
  model: AvmModel;
  evidence: Evidence;
  figures: ModelFigures | null;
  failures: string[];
}

const monthBefore = (as_of: number): number => firstDayOfMonth(monthOf(as_of) - 1);

/** Trains as of a day and judges on the sales held back: all of them, against those that the month before already knew. */
function trainAndJudge(
  sales: SaleTable,
  options: Omit<TrainOptions, 'snapshot'>,
  params: AvmParams,
  limits: GateLimits,
): ScoredModel {
  const { as_of, digest } = options;
  // Only what the model of that day was given: it is the same model, byte for byte.
  const rows = Array.from({ length: knownBy(sales.day, as_of - 1) }, (_, i) => i);
  const given = rows.length === sales.length ? sales : selectSales(sales, rows);
  // All of what it was given, outliers and sales too new to train on included: an equal id means equal evidence too.
  const snapshot = digest(saleDigests(given, Object.keys(given.extra).sort(byCodeUnit), digest).join(';'));
  const { model, evidence } = trainAvm(given, { ...options, snapshot }, params);
  if (!model.boosted) return { model, evidence, figures: null, failures: [] };
  const held = heldSales(model);
  const figures = holdoutFigures(held);
  if (!figures) return { model, evidence, figures, failures: [] };
  const known = monthBefore(as_of) - params.evidence.lag_days;
  const before = holdoutFigures(held.filter(({ day }) => day <= known));
  return { model, evidence, figures, failures: gateFailures(figures, before, limits) };
}

/**
 * Trains the model of a region and lets it serve if it passes its gates on the sales held back from it; if not, the model of
 * the month before, or the one before that, goes on serving; if none passes, the newest one without its trees. All of it
 * follows from the sales alone: a full build and a run of many increments choose the same. `sales` must be valid and
 * in canonical order.
 */
export function promoteModel(
  sales: SaleTable,
  options: Omit<TrainOptions, 'snapshot'>,
  params: AvmParams = AVM,
  limits: GateLimits = GATE_LIMITS,
): PromotionResult {
  const challenger = trainAndJudge(sales, options, params, limits);
  const { model, evidence, figures, failures } = challenger;
  const told = { challenger_id: model.id, figures, failures };
  if (!figures) return { ...told, model, evidence, outcome: 'not_judged' };
  if (failures.length === 0) return { ...told, model, evidence, outcome: 'promoted' };
  let { as_of } = options;
  for (let month = 0; month < MONTHS_BACK; month++) {
    as_of = monthBefore(as_of);
    const champion = trainAndJudge(sales, { ...options, as_of }, params, limits);
    if (champion.figures && champion.failures.length === 0)
      return { ...told, model: champion.model, evidence: champion.evidence, outcome: 'kept' };
  }
  const id = options.digest(`${model.id} without trees`);
  return { ...told, model: { ...model, id, boosted: null, gain: [] }, evidence, outcome: 'reduced' };
}
