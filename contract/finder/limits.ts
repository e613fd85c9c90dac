import { FINDER_DEFAULTS, FINDER_REACH } from '../../schema/serving/finder_defaults.ts';
import type { FinderParams } from './params.ts';

/** Columns that a search can bound. */
type BoundColumn =
  | 'beds'
  | 'baths'
  | 'cars'
  | 'price'
  | 'yield_percent'
  | 'growth_percent'
  | 'growth_forecast_percent'
  | 'school_m'
  | 'public_housing_m'
  | 'supermarket_m'
  | 'park_m'
  | 'beach_m'
  | 'railway_m';

/** A criterion: its column, its name in sentences, and the search radius of a distance. */
export interface FinderCriterion<C = BoundColumn, N = keyof FinderParams> {
  column: C;
  /** Name in pros and cons. */
  name: string;
  unit: 'count' | 'dollars' | 'percent' | 'metres' | 'number';
  min: N;
  max: N | null;
  /** Search radius of the tables, metres: a null distance is farther. Null: a null is unknown. */
  reach_m: number | null;
  /** True: farther is better. */
  away?: boolean;
}

const { near_m, far_m } = FINDER_REACH;

const distance = (
  what: string,
  column: BoundColumn,
  name: string,
  reach_m: number,
  away = false,
): FinderCriterion => ({
  column,
  name,
  unit: 'metres',
  min: `min_distance_to_${what}` as keyof FinderParams,
  max: `max_distance_to_${what}` as keyof FinderParams,
  reach_m,
  away,
});

const value = (
  what: string,
  column: BoundColumn,
  name: string,
  unit: FinderCriterion['unit'],
): FinderCriterion => ({
  column,
  name,
  unit,
  min: `min_${what}` as keyof FinderParams,
  max: unit === 'count' ? null : (`max_${what}` as keyof FinderParams),
  reach_m: null,
});

const SUBJECTS: readonly FinderCriterion[] = [
  value('bedrooms', 'beds', 'bedrooms', 'count'),
  value('baths', 'baths', 'bathrooms', 'count'),
  value('cars', 'cars', 'car spaces', 'count'),
  value('price', 'price', 'price', 'dollars'),
  value('yield', 'yield_percent', 'rental yield', 'percent'),
  value('growth', 'growth_percent', 'growth', 'percent'),
  value('growth_forecast', 'growth_forecast_percent', 'forecast growth', 'percent'),
  distance('school', 'school_m', 'school', near_m),
  distance('public_housing', 'public_housing_m', 'public housing', near_m, true),
  distance('supermarket', 'supermarket_m', 'supermarket', near_m),
  distance('park', 'park_m', 'park', near_m),
  distance('beach', 'beach_m', 'beach', far_m),
  distance('railway', 'railway_m', 'railway station', far_m),
];

interface LimitBound {
  at: number;
  /** True: the caller set it to another value than the default. */
  isRequested: boolean;
  /** True: it is a default or wider than one, so it excludes only known values outside and keeps unknown ones. */
  keepsUnknown: boolean;
}

export interface Limit<C = BoundColumn, N = keyof FinderParams> extends FinderCriterion<C, N> {
  lower: LimitBound | null;
  upper: LimitBound | null;
}

type NamedNumbers = Readonly<Record<string, unknown>>;

function boundOf(
  params: NamedNumbers,
  name: string | null,
  isLower: boolean,
  defaults: NamedNumbers,
): LimitBound | null {
  if (name === null) return null;
  const usual = defaults[name] as number | undefined;
  const at = (params[name] as number | undefined) ?? usual;
  if (at === undefined) return null;
  const keepsUnknown = usual !== undefined && (isLower ? at <= usual : at >= usual);
  return { at, isRequested: at !== usual, keepsUnknown };
}

/** Lists the limits that parameters and their defaults set on some criteria. */
export const limitsOn = <C, N extends string>(
  criteria: readonly FinderCriterion<C, N>[],
  params: NamedNumbers,
  defaults: NamedNumbers = {},
): Limit<C, N>[] =>
  criteria.flatMap((subject) => {
    const lower = boundOf(params, subject.min, true, defaults);
    const upper = boundOf(params, subject.max, false, defaults);
    return lower || upper ? [{ ...subject, lower, upper }] : [];
  });

/** Lists the limits of a search, including defaults. A wider bound never finds fewer properties. */
export const limitsOf = (params: FinderParams): Limit[] => limitsOn(SUBJECTS, params, FINDER_DEFAULTS);

/** True if a search has only default criteria, so that `default_score` and its choice apply. */
export const isByDefault = (params: FinderParams, limits: readonly Limit[]): boolean =>
  params.features.length === 0 &&
  params.property_type === undefined &&
  limits.every(({ lower, upper }) => !lower?.isRequested && !upper?.isRequested);
