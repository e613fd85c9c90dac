import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Limit } from './limits.ts';
import type { FinderParams } from './params.ts';

type SqlCondition = Expression<SqlBool>;

/** The property has coordinates. The column is part of the finder's indexes. */
const LOCATED = sql<SqlBool>`is_located`;

type AnyLimit = Limit<string, string>;

/** A bound in the type of its column, so that an index applies: whole numbers, except percentages and fractions. */
const boundOf = ({ unit }: AnyLimit, rounded: number, exact: number): RawBuilder<unknown> =>
  unit === 'percent' || unit === 'number' ? sql`${exact}::float8` : sql`${rounded}::int8`;

/** Condition: the distance is null because it is beyond the search radius of the tables. */
const beyond = ({ column }: AnyLimit): RawBuilder<SqlBool> =>
  column === 'public_housing_m'
    ? sql<SqlBool>`(${sql.ref(column)} IS NULL AND public_housing_covered)`
    : sql<SqlBool>`(${sql.ref(column)} IS NULL AND ${LOCATED})`;

function lowerCondition(limit: AnyLimit): SqlCondition | null {
  const { lower, column, reach_m } = limit;
  if (lower === null) return null;
  const knownMin = reach_m === null ? lower.at : Math.min(lower.at, reach_m);
  const reached = sql<SqlBool>`${sql.ref(column)} >= ${boundOf(limit, Math.ceil(knownMin), knownMin)}`;
  if (reach_m !== null) {
    if (lower.at === 0 && !lower.isRequested) return null;
    return sql<SqlBool>`(${reached} OR ${beyond(limit)})`;
  }
  return lower.keepsUnknown ? sql<SqlBool>`(${reached} OR ${sql.ref(column)} IS NULL)` : reached;
}

function upperCondition(limit: AnyLimit, schoolsKnown: boolean): SqlCondition | null {
  const { upper, column, reach_m } = limit;
  if (upper === null) return null;
  // A bound at or beyond the search radius excludes nothing.
  if (reach_m !== null && upper.at >= reach_m) return null;
  const within = sql<SqlBool>`${sql.ref(column)} <= ${boundOf(limit, Math.floor(upper.at), upper.at)}`;
  if (!upper.keepsUnknown) return within;
  // A missing distance is beyond any bound inside the search radius.
  return reach_m !== null && schoolsKnown
    ? sql<SqlBool>`(${within} OR NOT ${LOCATED})`
    : sql<SqlBool>`(${within} OR ${sql.ref(column)} IS NULL)`;
}

/** Conditions of limits. `schoolsKnown`: a missing distance to a school is beyond any bound inside the search radius. */
export const limitConditions = (limits: readonly AnyLimit[], schoolsKnown: boolean): SqlCondition[] =>
  limits
    .flatMap((limit) => [lowerCondition(limit), upperCondition(limit, schoolsKnown)])
    .filter((condition) => condition !== null);

/** Conditions of a search other than its areas. Only houses and units are found: no land, schools, shops or unknown types. */
export function conditionsOf(
  params: FinderParams,
  limits: readonly Limit[],
  schoolsKnown: boolean,
): SqlCondition[] {
  const conditions = limitConditions(limits, schoolsKnown);
  conditions.push(
    params.property_type === undefined
      ? sql<SqlBool>`property_type IS NOT NULL`
      : sql<SqlBool>`property_type = ${params.property_type}`,
  );
  for (const feature of params.features) conditions.push(sql<SqlBool>`${sql.ref(feature)}`);
  return conditions;
}

/** Scores how well a row meets a limit, 0 to 1. Unknown values score 0. */
function satisfaction(limit: Limit): RawBuilder<unknown> {
  const { column, unit, upper, away } = limit;
  const ref = sql.ref(column);
  if (unit !== 'metres' || upper === null || upper.at === 0)
    return sql`CASE WHEN ${ref} IS NULL THEN 0 ELSE 1 END`;
  const share = sql`least(1, ${ref} / ${upper.at}::float8)`;
  if (away)
    return sql`CASE WHEN ${ref} IS NOT NULL THEN ${share} WHEN public_housing_covered THEN 1 ELSE 0 END`;
  return sql`CASE WHEN ${ref} IS NULL THEN 0 ELSE 1 - ${share} END`;
}

/**
 * Match percentage, 0 to 100 with one decimal: the mean score of all criteria, including defaults. Within bounds scores 1, unknown 0. A
 * distance with an upper bound falls from 1 at distance 0 to 0 at the bound; for public housing the other way round. A requested feature or
 * kind that is present scores 1.
 */
export function finderScore(params: FinderParams, limits: readonly Limit[]): RawBuilder<number> {
  const certain = params.features.length + (params.property_type === undefined ? 0 : 1);
  const sum = limits.map(satisfaction).reduce((a, b) => sql`${a} + ${b}`, sql`${certain}::float8`);
  const criteria = certain + limits.length;
  return sql<number>`floor(1000 * (${sum}) / ${Math.max(1, criteria)}::float8 + 0.5) / 10`;
}
