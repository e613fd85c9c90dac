import { byCodeUnit, type SaleTable, selectSales } from '../property/home_table.ts';
import type { CalibrationParams } from './calibration.ts';
import type { Described } from './describe_homes.ts';
import { type DescribedHomes, describe, selectDescribed } from './described_rows.ts';
import { buildEvidence, type Evidence, vintageOf } from './evidence.ts';
import { type Growing, growInProcess } from './gbt/growing.ts';
import { hullsOf } from './hull.ts';
import { type Ledger, type LedgerEntry, makeLedger } from './ledger.ts';
import { areDescribed, isValuedByAttributes, type Needs, neededAttributes } from './mask.ts';
import type { AvmModel, TrainOptions } from './model.ts';
import { modelIdentity } from './model_id.ts';
import { AVM, type AvmParams } from './params.ts';
import { areaMedianValue, ridgeLocalValue, simpleRange } from './simple_tiers.ts';
import { firstHeld, trainBoosted } from './train_boosted.ts';
import { type BlankedSales, blankedSales, commonFacts, largeEnough, ledgerKey } from './unknown.ts';

/** A model with its training sales. */
export interface Training {
  model: AvmModel;
  evidence: Evidence;
}

/** Returns the known errors of a tier without trees; such a tier never sees the sale that it values. */
function simpleLedger(
  sales: SaleTable,
  described: Described,
  value: (described: Described, row: number) => number,
  generation: number,
  { scores }: CalibrationParams,
): LedgerEntry[] {
  const entries: LedgerEntry[] = [];
  for (let row = 0; row < sales.length; row++) {
    const log_predicted = value(described, row);
    if (Number.isNaN(log_predicted)) continue;
    entries.push({
      day: sales.day[row]!,
      dwelling_type: sales.dwelling_type[row]!,
      generation,
      log_predicted,
      log_price: Math.log(sales.price[row]!),
      ...simpleRange(),
    });
  }
  return entries.slice(-scores);
}

/** Returns the known errors of ridge with local residual with facts hidden, by unknownKey. */
function hiddenLedgers(
  blanked: readonly BlankedSales[],
  needs: Needs,
  generation: number,
  calibration: CalibrationParams,
): [string, Ledger][] {
  return blanked.map(({ unknown, sales, described: { homes, described } }) => {
    const value = (all: Described, row: number): number =>
      isValuedByAttributes(homes, row, needs) ? ridgeLocalValue(all, row) : Number.NaN;
    const entries = simpleLedger(sales, described, value, generation, calibration);
    return [ledgerKey('ridge_local', unknown), makeLedger(entries)];
  });
}

/** Returns the rows with a hedonic value, the newest `most`. */
function usableRows({ anchor }: Described, most: number): number[] {
  const rows: number[] = [];
  anchor.forEach((value, row) => {
    if (Number.isFinite(value)) rows.push(row);
  });
  return rows.slice(-most);
}

const hasPlaces = ({ lon, lat, length }: SaleTable): boolean => {
  let locatedSales = 0;
  for (let i = 0; i < length; i++) if (Number.isFinite(lon[i]!) && Number.isFinite(lat[i]!)) locatedSales++;
  return locatedSales > length / 2;
};

/**
 * Trains the model of one region (sales that share a market, such as a GCCSA) from valid sales in any order, see validateSales.
 * Sales after as_of - lag_days are ignored. Deterministic: equal sales, options and parameters give equal bytes. Also returns the
 * evidence, which rawPredictions needs.
 */
export function* trainingOf(
  table: SaleTable,
  options: TrainOptions,
  params: AvmParams = AVM,
): Growing<Training> {
  const knownRows = Array.from({ length: table.length }, (_, i) => i).filter(
    (i) => table.day[i]! <= options.as_of - params.evidence.lag_days,
  );
  const evidence = buildEvidence(selectSales(table, knownRows), params.evidence);
  const { sales } = evidence.index;
  const everything = describe(evidence, sales, sales.day);
  const rows = usableRows(everything.described, params.max_boost_sales);
  const usable = selectSales(sales, rows);
  const full: DescribedHomes = selectDescribed(everything, rows);
  const extra = Object.keys(table.extra).sort(byCodeUnit);
  const needed = neededAttributes(usable);
  const needs: Needs = { needs_place: hasPlaces(sales), needs_attributes: areDescribed(usable) };
  const hasTrees = usable.length >= params.min_boost_sales;
  // Without trees, a property without its own point gets the suburb's median, whatever else is known of it.
  const facts = commonFacts(usable, hasTrees && needs.needs_place);
  // Trees are calibrated on holdout sales.
  const unseen = usable.day.map((_, row) => row).subarray(hasTrees ? firstHeld(usable, params) : 0);
  const blanked = blankedSales(evidence, usable, full, unseen, facts);
  const boosted = hasTrees
    ? yield* trainBoosted(evidence, { sales: usable, full, blanked, extra, needed, needs, params })
    : null;
  const generation = 1;
  const simple = (value: typeof ridgeLocalValue) =>
    makeLedger(simpleLedger(usable, full.described, value, generation, params.calibration));
  const last = vintageOf(evidence, options.as_of - params.evidence.lag_days);
  const model: AvmModel = {
    id: modelIdentity(sales, extra, options, params),
    kind: options.kind,
    params,
    as_of: options.as_of,
    extra,
    needed,
    ...needs,
    boosted: boosted && { told: boosted.told.part, bare: boosted.bare.part },
    generation,
    hulls: hullsOf(sales),
    ledgers: {
      boosted: makeLedger(boosted?.told.entries ?? []),
      bare: makeLedger(boosted?.bare.entries ?? []),
      ridge_local: simple(ridgeLocalValue),
      area_median: simple((described, row) => areaMedianValue(described, row, params.min_area_sales)),
    },
    facts,
    by_unknown: largeEnough([
      ...hiddenLedgers(blanked, needs, generation, params.calibration),
      ...(boosted?.by_unknown ?? []),
    ]),
    levels: last?.levels ?? null,
    trained_sales: usable.length,
    gain: boosted?.told.gain ?? [],
  };
  return { model, evidence };
}

/** Trains as trainingOf does, growing one forest after the other. */
export const trainAvm = (table: SaleTable, options: TrainOptions, params: AvmParams = AVM): Training =>
  growInProcess(trainingOf(table, options, params));
