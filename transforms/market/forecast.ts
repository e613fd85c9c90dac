import type { ForecastMethod } from '../../schema/serving/region_forecast.ts';
import { solveSpd } from '../stats/solve.ts';
import { type KindRange, type PastError, rangesOf } from './forecast_range.ts';

/** Monthly log price levels of areas, all over the same months. */
export interface GrowthPanel {
  /** First month of the series, months since January 1970. */
  first_month: number;
  months: number;
  areas: readonly PanelArea[];
}

/** One area and dwelling type of a panel. */
export interface PanelArea {
  key: string;
  /** Group of areas that move together, for example state and dwelling type. */
  peer: string;
  /** Kind of dwelling; each kind has its own error range. */
  kind: string;
  /** Log of the twelve-month median price of each month; NaN: suppressed. */
  log_price: Float64Array;
  /** Number of prices in each median. */
  sample: Float64Array;
}

export interface ForecastParams {
  /** Penalty on the weights, in observations; shrinks the forecast to the mean growth. */
  ridge: number;
  /** Months between the past forecasts whose errors give the range, and number of these forecasts. */
  error_step: number;
  error_origins: number;
  /** Share of past errors inside the range. */
  level: number;
  /** Minimum observations to fit, and minimum past errors for a range. */
  min_observations: number;
  /** Number of past errors at which a kind's own range counts half, the range of all kinds the other half. */
  kind_prior: number;
}

/** Settings of the served forecast. */
const FORECAST: ForecastParams = {
  ridge: 20,
  error_step: 3,
  error_origins: 12,
  level: 0.8,
  min_observations: 60,
  kind_prior: 60,
};

/** Forecast horizon, months. */
const HORIZON = 12;
/** Number of forecasts in the published backtest, and months between them. */
const BACKTESTS = 8;
const BACKTEST_STEP = 6;
/** Number of features: constant, own growth over 1 and 3 years, growth of the peers, and distance of the area from its usual position among them. */
const COLUMNS = 5;
/** Months averaged for an area's usual position among its peers. */
const PLACE_MONTHS = 60;
/** Number of prices at which sampling adds as much error variance as the market itself. */
const NOISE_SAMPLE = 40;
/** Half range, log, at which the confidence is 100 / e. */
const CONFIDENCE_SCALE = 0.15;

/** A forecast of twelve months' growth, percent to 0.1. */
export interface GrowthForecast {
  method: ForecastMethod;
  growth_pct: number;
  low_pct: number;
  high_pct: number;
  /** 0 to 100, from the width of the range. */
  confidence: number;
}

/** Mean level of each peer group by month, weighted by samples; NaN: no area has one. */
type PeerLevels = ReadonlyMap<string, Float64Array>;

/** Chains the mean of the areas' own changes, so that areas that appear or disappear do not move the level of their peers. */
function peerLevels({ areas, months }: GrowthPanel): PeerLevels {
  const changes = new Map<string, { sum: Float64Array; weight: Float64Array }>();
  for (const { peer, log_price, sample } of areas) {
    const total = changes.get(peer) ?? { sum: new Float64Array(months), weight: new Float64Array(months) };
    changes.set(peer, total);
    for (let t = 1; t < months; t++) {
      const change = log_price[t]! - log_price[t - 1]!;
      if (Number.isNaN(change)) continue;
      total.sum[t]! += change * sample[t]!;
      total.weight[t]! += sample[t]!;
    }
  }
  return new Map(
    [...changes].map(([peer, { sum, weight }]) => {
      const level = new Float64Array(months);
      for (let t = 1; t < months; t++) level[t] = level[t - 1]! + (weight[t]! > 0 ? sum[t]! / weight[t]! : 0);
      return [peer, level];
    }),
  );
}

/** Writes the features of an area at month `t`, from data up to `t` only; returns false if no growth is known. */
function writeFeatures(area: PanelArea, peers: PeerLevels, t: number, out: Float64Array): boolean {
  const { log_price } = area;
  const peer = peers.get(area.peer)!;
  const year = log_price[t]! - (log_price[t - HORIZON] ?? NaN);
  if (Number.isNaN(year)) return false;
  const three = (log_price[t]! - (log_price[t - 3 * HORIZON] ?? NaN)) / 3;
  let sum = 0;
  let n = 0;
  for (let s = Math.max(0, t - PLACE_MONTHS); s <= t; s++) {
    if (Number.isNaN(log_price[s]!)) continue;
    sum += log_price[s]! - peer[s]!;
    n++;
  }
  out[0] = 1;
  out[1] = year;
  out[2] = Number.isNaN(three) ? year : three;
  out[3] = peer[t]! - peer[t - HORIZON]!;
  out[4] = log_price[t]! - peer[t]! - sum / n;
  return true;
}

/** Returns the weight of an observation: medians of few prices have larger errors. */
const weightOf = (sample: number): number => sample / (sample + NOISE_SAMPLE);

/** Returns the scale of an error: larger if the median has few prices. */
const scaleOf = (sample: number): number => Math.sqrt(1 + NOISE_SAMPLE / Math.max(1, sample));

/** Lower triangle of the normal equations, row by row, then their right side. */
const TRIANGLE = (COLUMNS * (COLUMNS + 1)) / 2;
const SUMS = TRIANGLE + COLUMNS;

/** Weights fitted to all pairs of features and growth known at a month, and the errors of their forecasts. */
interface Fit {
  weights: Float64Array;
  /** Errors of areas whose growth is known by now. */
  errors: readonly PastError[];
}

/** Solves the normal equations of a fit. Null: too few observations. */
function solved(
  sums: Float64Array,
  observations: number,
  weights: number,
  params: ForecastParams,
): Float64Array | null {
  if (observations < params.min_observations) return null;
  const a = new Float64Array(COLUMNS * COLUMNS);
  const b = sums.slice(TRIANGLE);
  for (let i = 0, at = 0; i < COLUMNS; i++) for (let j = 0; j <= i; j++) a[i * COLUMNS + j] = sums[at++]!;
  // Features have the size of a yearly growth, about 0.1; the penalty is on that scale. Months overlap, so it counts twelvefold.
  for (let i = 1; i < COLUMNS; i++) a[i * COLUMNS + i]! += params.ridge * HORIZON * 0.01;
  a[0]! += 1e-9 * weights;
  solveSpd(a, b);
  return b;
}

/**
 * Fits the weights at each of the given months (ascending). Null: too few observations. One pass: an observation enters the sums of
 * every month at which it is known, in the order of areas and months, so that each fit equals a separate one.
 */
function fitWeights(
  panel: GrowthPanel,
  peers: PeerLevels,
  months: readonly number[],
  params: ForecastParams,
): (Float64Array | null)[] {
  const sums = months.map(() => new Float64Array(SUMS));
  const observations = new Int32Array(months.length);
  const weights = new Float64Array(months.length);
  const row = new Float64Array(COLUMNS);
  const terms = new Float64Array(SUMS);
  const end = months.at(-1) ?? 0;
  for (const area of panel.areas) {
    let first = 0;
    for (let s = HORIZON; s + HORIZON <= end; s++) {
      const growth = area.log_price[s + HORIZON]! - area.log_price[s]!;
      if (Number.isNaN(growth) || !writeFeatures(area, peers, s, row)) continue;
      const weight = weightOf(Math.min(area.sample[s]!, area.sample[s + HORIZON]!));
      let at = 0;
      for (let i = 0; i < COLUMNS; i++) {
        terms[TRIANGLE + i] = weight * row[i]! * growth;
        for (let j = 0; j <= i; j++) terms[at++] = weight * row[i]! * row[j]!;
      }
      while (months[first]! < s + HORIZON) first++;
      for (let m = first; m < months.length; m++) {
        const sum = sums[m]!;
        for (let k = 0; k < SUMS; k++) sum[k]! += terms[k]!;
        observations[m]!++;
        weights[m]! += weight;
      }
    }
  }
  return sums.map((own, m) => solved(own, observations[m]!, weights[m]!, params));
}

const dot = (weights: Float64Array, row: Float64Array): number => {
  let sum = 0;
  for (let i = 0; i < COLUMNS; i++) sum += weights[i]! * row[i]!;
  return sum;
};

/** A fitted forecaster: weights of the features, and the range of its past errors by kind. Built by fitForecasters. */
export interface Forecaster {
  readonly panel: GrowthPanel;
  readonly peers: PeerLevels;
  /** Month of the fit, counted from the first of the panel. */
  readonly t: number;
  readonly weights: Float64Array;
  readonly ranges: ReadonlyMap<string, KindRange>;
}

/** Returns the months whose past forecasts give the range of a forecaster, latest first. */
const originsOf = (t: number, { error_origins, error_step }: ForecastParams): number[] =>
  Array.from({ length: error_origins }, (_, k) => t - HORIZON - k * error_step);

/** Returns the weights of each month and the errors of their forecasts. Null: too few observations. */
function fitsAt(
  panel: GrowthPanel,
  peers: PeerLevels,
  months: readonly number[],
  params: ForecastParams,
): Map<number, Fit | null> {
  const row = new Float64Array(COLUMNS);
  const fitted = fitWeights(panel, peers, months, params);
  return new Map(
    months.map((origin, m) => {
      const weights = fitted[m]!;
      if (!weights) return [origin, null];
      const errors: PastError[] = [];
      for (const area of panel.areas) {
        const growth = area.log_price[origin + HORIZON]! - area.log_price[origin]!;
        if (!Number.isFinite(growth) || !writeFeatures(area, peers, origin, row)) continue;
        const by = { model: growth - dot(weights, row), no_change: growth };
        errors.push({ kind: area.kind, scale: scaleOf(area.sample[origin]!), by });
      }
      return [origin, { weights, errors }];
    }),
  );
}

/**
 * Fits the forecasters of given months of a panel (counted from its first), using only data known at each month. Null: the history
 * is too short.
 * Ridge regression of the following year's growth over all areas and past months. Features: the area's growth over one and three
 * years, its peers' growth, and its distance from its usual position among them.
 * Kinds for which the model was no better at earlier months are forecast as no change. The range comes from the errors of the kind
 * at those months, each forecast with the data known then.
 */
export function fitForecasters(
  panel: GrowthPanel,
  months: readonly number[],
  params: ForecastParams = FORECAST,
): (Forecaster | null)[] {
  const peers = peerLevels(panel);
  // Several months share the same earlier forecasts: each is fitted once.
  const all = new Set(months.flatMap((t) => [t, ...originsOf(t, params)]));
  const fits = fitsAt(
    panel,
    peers,
    [...all].filter((t) => t >= 0).sort((a, b) => a - b),
    params,
  );
  return months.map((t) => {
    const fit = fits.get(t);
    if (!fit) return null;
    const errors: PastError[] = [];
    for (const origin of originsOf(t, params)) {
      const past = fits.get(origin);
      if (!past) break;
      for (const error of past.errors) errors.push(error);
    }
    if (errors.length < params.min_observations) return null;
    return { panel, peers, t, weights: fit.weights, ranges: rangesOf(errors, params) };
  });
}

const percent = (log: number): number => Math.round(1000 * (Math.exp(log) - 1)) / 10;

/** Forecasts an area of the panel, by index. Null: its median today or a year ago is suppressed, or its kind has no past forecasts. */
export function forecastGrowth(forecaster: Forecaster, area: number): GrowthForecast | null {
  const series = forecaster.panel.areas[area]!;
  const row = new Float64Array(COLUMNS);
  if (!writeFeatures(series, forecaster.peers, forecaster.t, row)) return null;
  const range = forecaster.ranges.get(series.kind);
  if (!range) return null;
  const { method } = range;
  const growth = method === 'model' ? dot(forecaster.weights, row) : 0;
  const scale = scaleOf(series.sample[forecaster.t]!);
  const low = growth + Math.min(0, range.low * scale);
  const high = growth + Math.max(0, range.high * scale);
  const confidence = Math.round(100 * Math.exp(-(((high - low) / 2 / CONFIDENCE_SCALE) ** 1.5)));
  const [growth_pct, low_pct, high_pct] = [percent(growth), percent(low), percent(high)];
  return { method, growth_pct, low_pct, high_pct, confidence };
}

/** Mean absolute errors of the forecast and of two naive ones, percentage points, and the coverage of the range. */
export interface ForecastBacktest {
  forecasts: number;
  model: number;
  /** Naive forecast: prices do not change. */
  no_change: number;
  /** Naive forecast: last year's growth continues. */
  last_year: number;
  /** Share of outcomes in the range, percent. */
  coverage_pct: number;
}

/** Returns the months of the published backtest: every half year, the last one a year before the end. */
export function backtestOrigins({ months }: Pick<GrowthPanel, 'months'>): number[] {
  const last = months - 1 - HORIZON;
  return Array.from({ length: BACKTESTS }, (_, k) => last - k * BACKTEST_STEP)
    .filter((origin) => origin > 0)
    .reverse();
}

/** Accumulates absolute errors of forecasts. */
class Errors {
  private n = 0;
  private model = 0;
  private no_change = 0;
  private last_year = 0;
  private inside = 0;

  add({ growth_pct, low_pct, high_pct }: GrowthForecast, actual: number, last_year: number): void {
    this.n++;
    this.model += Math.abs(growth_pct - actual);
    this.no_change += Math.abs(actual);
    this.last_year += Math.abs(last_year - actual);
    if (actual >= low_pct && actual <= high_pct) this.inside++;
  }

  finish(): ForecastBacktest {
    const { n } = this;
    return {
      forecasts: n,
      model: this.model / n,
      no_change: this.no_change / n,
      last_year: this.last_year / n,
      coverage_pct: (100 * this.inside) / n,
    };
  }
}

/**
 * Backtests forecasts at past months (counted from the first of the panel), each with the data known then. Errors are grouped by
 * the groups that `groupsOf` returns for an area. Groups without a forecast are absent.
 */
export function backtestForecast(
  panel: GrowthPanel,
  origins: readonly number[],
  groupsOf: (area: PanelArea) => readonly string[],
  params: ForecastParams = FORECAST,
): Map<string, ForecastBacktest> {
  const sums = new Map<string, Errors>();
  for (const forecaster of fitForecasters(panel, origins, params)) {
    if (!forecaster) continue;
    const { t } = forecaster;
    panel.areas.forEach((area, i) => {
      const { log_price } = area;
      const growth = log_price[t + HORIZON]! - log_price[t]!;
      if (!Number.isFinite(growth)) return;
      const forecast = forecastGrowth(forecaster, i);
      if (!forecast) return;
      for (const group of groupsOf(area)) {
        const errors = sums.get(group) ?? new Errors();
        sums.set(group, errors);
        errors.add(forecast, percent(growth), percent(log_price[t]! - log_price[t - HORIZON]!));
      }
    });
  }
  return new Map([...sums].map(([group, own]) => [group, own.finish()]));
}
