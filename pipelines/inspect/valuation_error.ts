import type pg from 'pg';
import { VALUATION_KINDS } from '../../schema/assets/valuation.ts';
import { unpackModel } from '../../transforms/avm/artefact.ts';
import { levelsThen } from '../../transforms/avm/calibration.ts';
import type { AvmModel } from '../../transforms/avm/model.ts';
import { isoOfDay } from '../../transforms/stats/calendar.ts';
import { median } from '../../transforms/stats/quantile.ts';
import { EVERY_MODEL } from '../stages/valuation_models.ts';

export type ValuationKind = (typeof VALUATION_KINDS)[number];

/** How far estimates were from prices in a suburb. */
export interface SuburbError {
  area: string;
  /** Median of |estimate − price| / price, percent. */
  value: number;
  sample: number;
}

export interface ValuationErrors {
  values: SuburbError[];
  /** Sales that a model had valued before it saw them, and those of them of which the suburb is known for certain. */
  judged: number;
  placed: number;
}

/** Fewest sales of a suburb that say anything. */
const LEAST = 5;

/** The best part of a model that has judged sales; parts of a model judge the same ones. */
const PARTS: readonly (keyof AvmModel['ledgers'])[] = ['boosted', 'ridge_local', 'area_median', 'bare'];

/** A sale is told by its day, price and kind of dwelling: ledgers of models do not say which property it was of. */
const keyOf = (day: string, price: number, type: string): string => `${day}|${Math.round(price)}|${type}`;

/** Errors of the sales that a model had not seen when it valued them, by what tells a sale. */
function judgedSales(model: AvmModel): { key: string; error: number }[] {
  const part = PARTS.find((name) => model.ledgers[name].day.length > 0);
  if (part === undefined) return [];
  const ledger = model.ledgers[part];
  const levels = levelsThen(ledger, model.params.calibration);
  return Array.from(ledger.day, (day, i) => {
    const [log, price] = [ledger.log_predicted[i]! + levels[i]!, Math.exp(ledger.log_price[i]!)];
    return {
      key: keyOf(isoOfDay(day), price, ledger.dwelling_type[i]!),
      error: (100 * Math.abs(Math.exp(log) - price)) / price,
    };
  });
}

const SALES = `SELECT to_char(date, 'YYYY-MM-DD') AS day, price, dwelling_type AS type, min(area) AS sal
  FROM asset.valuation_sale WHERE kind = $1 AND ($2 = 'AU' OR state = $2) AND date >= $3::date AND area IS NOT NULL
  GROUP BY 1, 2, 3 HAVING count(DISTINCT area) = 1`;

/**
 * Error of the valuation by suburb: of each sale that the models in service had valued before they saw it, before calibration of the
 * interval. Sales of equal day, price and kind of dwelling in several suburbs are left out. Null: no model has judged a sale of the kind.
 * Cost: reads the sales of as long a time as the models have judged.
 */
export async function valuationErrors(
  client: pg.ClientBase,
  kind: ValuationKind,
): Promise<ValuationErrors | null> {
  const models = await client.query<{ region: string }>(
    `SELECT region FROM ${EVERY_MODEL} WHERE kind = $1 ORDER BY region`,
    [kind],
  );
  const errors = new Map<string, number[]>();
  let [judged, placed] = [0, 0];
  for (const { region } of models.rows) {
    const { rows } = await client.query<{ artefact: Buffer }>(
      `SELECT artefact FROM ${EVERY_MODEL} WHERE kind = $1 AND region = $2`,
      [kind, region],
    );
    const sales = rows[0] ? judgedSales(unpackModel(rows[0].artefact)) : [];
    if (sales.length === 0) continue;
    judged += sales.length;
    const first = sales.reduce((least, { key }) => (key < least ? key : least), sales[0]!.key).slice(0, 10);
    const found = await client.query<{ day: string; price: number; type: string; sal: string }>(SALES, [
      kind,
      region,
      first,
    ]);
    const suburbs = new Map(found.rows.map(({ day, price, type, sal }) => [keyOf(day, price, type), sal]));
    for (const { key, error } of sales) {
      const sal = suburbs.get(key);
      if (sal === undefined) continue;
      placed++;
      errors.set(sal, [...(errors.get(sal) ?? []), error]);
    }
  }
  if (judged === 0) return null;
  const values = [...errors]
    .filter(([, own]) => own.length >= LEAST)
    .map(([area, own]) => ({ area, value: median(Float64Array.from(own)), sample: own.length }))
    .sort((a, b) => (a.area < b.area ? -1 : 1));
  return { values, judged, placed };
}

/** Kinds of which a model has judged sales. Cost: one query. */
export async function judgedKinds(client: pg.ClientBase): Promise<ValuationKind[]> {
  const { rows } = await client.query<{ kind: string }>(`SELECT DISTINCT kind FROM ${EVERY_MODEL}`);
  const known = new Set(rows.map(({ kind }) => kind));
  return VALUATION_KINDS.filter((kind) => known.has(kind));
}
