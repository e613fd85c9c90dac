import { FINDER_DEFAULTS, FINDER_REACH } from '../../schema/serving/finder_defaults.ts';
import type { FinderParams } from './params.ts';

/** Columns that a search may bound. */
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

/** What a bound is of: how it is written in sentences, and how far a distance was searched. */
interface FinderCriterion {
  column: BoundColumn;
  /** Name in pros and cons. */
  name: string;
  unit: 'count' | 'dollars' | 'percent' | 'metres';
  min: keyof FinderParams;
  max: keyof FinderParams | null;
  /** A null distance lies beyond this, metres; null: a null is unknown. */
  reach_m: number | null;
  /** Being far away is what is wanted. */
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

/** One side of a limit. */
interface LimitBound {
  at: number;
  /** It is not a default: a default that the caller gives is the default. */
  asked: boolean;
  /** It is a default or wider than one, so that it leaves out what is known to lie outside and keeps the unknown. */
  keepsUnknown: boolean;
}

/** What a search wants of one column. */
export interface Limit extends FinderCriterion {
  lower: LimitBound | null;
  upper: LimitBound | null;
}

function boundOf(params: FinderParams, name: keyof FinderParams | null, isLower: boolean): LimitBound | null {
  if (name === null) return null;
  const usual = (FINDER_DEFAULTS as Partial<Record<keyof FinderParams, number>>)[name];
  const at = (params[name] as number | undefined) ?? usual;
  if (at === undefined) return null;
  const keepsUnknown = usual !== undefined && (isLower ? at <= usual : at >= usual);
  return { at, asked: at !== usual, keepsUnknown };
}

/** The limits of a search, defaults included. A wider bound never finds fewer properties. */
export function limitsOf(params: FinderParams): Limit[] {
  return SUBJECTS.flatMap((subject) => {
    const lower = boundOf(params, subject.min, true);
    const upper = boundOf(params, subject.max, false);
    return lower || upper ? [{ ...subject, lower, upper }] : [];
  });
}

/** True where a search has no criteria but the defaults, so that the score and the choice of `default_score` are its own. */
export const isByDefault = (params: FinderParams, limits: readonly Limit[]): boolean =>
  params.features.length === 0 &&
  params.property_type === undefined &&
  limits.every(({ lower, upper }) => !lower?.asked && !upper?.asked);
