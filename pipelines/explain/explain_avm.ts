import type pg from 'pg';
import { VALUATION_KINDS } from '../../schema/assets/valuation.ts';
import { EtlError } from '../../schema/errors.ts';
import type { propertyAvmTable } from '../../schema/serving/property_avm.ts';
import type { Row } from '../../schema/table.ts';
import { DISPUTE_FACTOR } from '../../transforms/avm/confidence.ts';
import { type Contribution, explainPrediction } from '../../transforms/avm/contributions.ts';
import type { NoEstimateReason, Tier, ValuationKind } from '../../transforms/avm/model.ts';
import { Calibrator, type Estimate, rawPredictions } from '../../transforms/avm/predict.ts';
import type { Promotion } from '../../transforms/avm/promote.ts';
import { isoOfDay } from '../../transforms/stats/calendar.ts';
import { DeclaredReader } from '../engine/declared_reader.ts';
import { HOME_COLUMNS, type HomeTableRow, homeTable } from '../stages/valuation/home_columns.ts';
import {
  EVERY_MODEL,
  type ReadyModel,
  readValuationModels,
  VALUATION_INPUTS,
} from '../stages/valuation/valuation_models.ts';
import { type ExplainedComparable, explainComparables } from './explain_comparables.ts';

type ServedAvm = Row<typeof propertyAvmTable>;

/** A model's promotion, as recorded. */
interface Gates {
  model_id: string;
  outcome: Promotion;
  failures: string[];
}

/** How the value or rent of a property is computed. Dollars; rent in dollars a week. */
export interface ExplainedValue {
  kind: ValuationKind;
  model_id: string;
  as_of: string;
  trained_sales: number;
  /** Outcome of the newest model's gates, and the gates that it failed. */
  outcome: Promotion;
  failures: string[];
  tier: Tier | null;
  /** Reason for a missing estimate; null: not missing. */
  reason: NoEstimateReason | null;
  price: number | null;
  low: number | null;
  high: number | null;
  fsd: number | null;
  confidence: number | null;
  /** Median price of the most similar sales; null: none nearby. */
  comparables_price: number | null;
  /** Ratio of that median to the value, or its inverse, if it exceeds the limit above which confidence is reduced; null: it does not. */
  disputed_times: number | null;
  /** Base value before any feature; times exp(log_effect) of all contributions it gives the price. */
  start: number | null;
  /** Largest first; the last one corrects the level by the latest known errors. */
  contributions: (Contribution & { effect_percent: number })[];
  /** Whether the served row has this value; false while it waits for a refresh. */
  is_served: boolean;
}

/** Explanation of a property's valuation. */
export interface AvmExplanation {
  gnaf_pid: string;
  /** The property as the models see it; null: unknown. */
  home: HomeTableRow;
  served: ServedAvm | null;
  /** Value and rent; a kind is missing if the region has no model for it. */
  values: ExplainedValue[];
  comparables: ExplainedComparable[];
}

const percent = (log: number): number => Math.round(1000 * (Math.exp(log) - 1)) / 10;

/** Returns whether the row of serving.property_avm has this price and model. */
function isServed(kind: ValuationKind, served: ServedAvm | null, price: number | null, id: string): boolean {
  if (!served) return false;
  return kind === 'sale'
    ? served.model_id === id && served.predicted_price === price
    : served.rent_model_id === id && served.rent_aud_pw === price;
}

/** Returns the ratio of an estimate and its comparables' price, at least 1; null: below the limit, or no comparables. */
function disputedTimes({ price, comparables }: Estimate): number | null {
  if (comparables === null) return null;
  const times = Math.max(price / comparables, comparables / price);
  return times > DISPUTE_FACTOR ? times : null;
}

function explainValue(
  kind: ValuationKind,
  { model, evidence }: ReadyModel,
  gates: Gates,
  home: HomeTableRow,
  served: ServedAvm | null,
): ExplainedValue {
  const day = model.as_of;
  const batch = rawPredictions(model, evidence, homeTable([home]), Int32Array.of(day));
  const calibrator = new Calibrator(model);
  const raw = batch.raws[0]!;
  const { tier } = raw;
  const { estimate, reason } = calibrator.value(raw, day);
  const explained = estimate && explainPrediction(model, evidence, batch, 0, day);
  const contributions = explained?.contributions ?? [];
  const level = calibrator.level(raw, day);
  const all: Contribution[] = estimate
    ? [
        ...contributions,
        { feature: 'level_correction', group: 'calibration', value: null, log_effect: level },
      ]
    : [];
  return {
    kind,
    model_id: model.id,
    as_of: isoOfDay(day),
    trained_sales: model.trained_sales,
    outcome: gates.outcome,
    failures: gates.failures,
    tier,
    reason,
    price: estimate?.price ?? null,
    low: estimate?.low ?? null,
    high: estimate?.high ?? null,
    fsd: estimate?.fsd ?? null,
    confidence: estimate?.confidence ?? null,
    comparables_price: estimate?.comparables ?? null,
    disputed_times: estimate && disputedTimes(estimate),
    start: explained ? Math.exp(explained.start) : null,
    contributions: all.map((own) => ({ ...own, effect_percent: percent(own.log_effect) })),
    is_served: isServed(kind, served, estimate?.price ?? null, model.id),
  };
}

/**
 * Explains the current value of a property: tier, model, effect of each feature, interval, comparables. It is recomputed from the stored
 * model and matches the published value exactly.
 * @throws EtlError `config_invalid` for a property that is not valued
 */
export async function explainAvm(client: pg.ClientBase, pid: string): Promise<AvmExplanation> {
  const columns = HOME_COLUMNS.map((name) => `"${name}"`).join(', ');
  const { rows } = await client.query<HomeTableRow>(
    `SELECT ${columns} FROM asset.valuation_home WHERE gnaf_pid = $1`,
    [pid],
  );
  const home = rows[0];
  if (!home)
    throw new EtlError(
      'config_invalid',
      `${pid} is not valued because it is not served. pipeline explain ${pid} says why.`,
    );
  const served = (
    await client.query<{ row: ServedAvm }>(
      'SELECT to_jsonb(t) AS row FROM serving.property_avm t WHERE gnaf_pid = $1',
      [pid],
    )
  ).rows[0];
  const models = await readValuationModels(new DeclaredReader(client, { inputs: VALUATION_INPUTS }), [
    home.state,
  ]);
  const gates = await client.query<Gates>(`SELECT model_id, outcome, failures FROM ${EVERY_MODEL}`);
  const gatesOf = new Map(gates.rows.map((row) => [row.model_id, row]));
  return {
    gnaf_pid: pid,
    home,
    served: served?.row ?? null,
    values: VALUATION_KINDS.flatMap((kind) => {
      const ready = models.of(kind, home.state);
      if (!ready) return [];
      return [explainValue(kind, ready, gatesOf.get(ready.model.id)!, home, served?.row ?? null)];
    }),
    comparables: await explainComparables(client, home),
  };
}
