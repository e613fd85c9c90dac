import { type Expression, sql } from 'kysely';
import { z } from 'zod';
import { HAZARD_LAYERS } from '../../schema/records/hazard.ts';
import type { Serving } from '../../schema/serving/database.ts';
import type { FinderType } from '../../schema/serving/property_finder.ts';
import { regionDemographicsTable } from '../../schema/serving/region_demographics.ts';
import { marketFigureColumns } from '../../schema/serving/region_market.ts';
import { RANKED_MEASURES } from '../../schema/serving/region_ranking.ts';
import { decimals, fraction, percent } from '../numbers.ts';
import { marketFigures } from '../suburb_market.ts';

/** A number that suburbs are searched, sorted and shown by. */
interface SuburbField {
  name: string;
  doc: string;
  schema: z.ZodType<number | null>;
  /** Subquery of its value, for a suburb `a` of search_area and a kind of dwelling. Null: not known. */
  value(db: Serving, market: FinderType): Expression<number | null>;
}

const NAME = sql.ref<string>('a.name');
const CODE = sql.ref<string>('a.code');
const keysOf = <T extends object>(record: T) => Object.keys(record) as (keyof T & string)[];

const market = keysOf(marketFigureColumns).map((name): SuburbField => {
  const { doc, nullable } = marketFigureColumns[name];
  return {
    name,
    doc: nullable ? doc : `${doc.replace(/\.$/, '')}; null: no sale, rent or listing.`,
    schema: nullable ? marketFigures[name] : marketFigures[name].nullable(),
    value: (db, kind) =>
      db
        .selectFrom('serving.region_market')
        .select(name)
        .where('level', '=', 'SAL')
        .where('area', '=', NAME)
        .where('market', '=', kind)
        .$castTo<number | null>(),
  };
});

const forecast: SuburbField = {
  name: 'growth_forecast_percent',
  doc: 'Forecast growth of the median price over twelve months, per cent; null: not enough history.',
  schema: percent.nullable(),
  value: (db, kind) =>
    db
      .selectFrom('serving.region_forecast')
      .select('growth_percent')
      .where('level', '=', 'SAL')
      .where('area', '=', NAME)
      .where('market', '=', kind)
      .$castTo<number | null>(),
};

const RANKS = [
  ['state_rank', 'its state'],
  ['nation_rank', 'Australia'],
] as const;
const ranking = keysOf(RANKED_MEASURES).flatMap((measure) =>
  RANKS.map(
    ([rank, where]): SuburbField => ({
      name: `${measure}_${rank}`,
      doc: `Rank of its ${measure} in ${where}, 1 for the first; null: not ranked.`,
      schema: z.int().nullable(),
      value: (db, kind) =>
        db
          .selectFrom('serving.region_ranking')
          .select(rank)
          .where('level', '=', 'SAL')
          .where('area', '=', NAME)
          .where('market', '=', kind)
          .where('measure', '=', measure)
          .$castTo<number | null>(),
    }),
  ),
);

const {
  level: _l,
  code: _c,
  name: _n,
  state: _s,
  census_year: _y,
  ...measures
} = regionDemographicsTable.columns;
const census = keysOf(measures).map(
  (name): SuburbField => ({
    name: `census_${name}`,
    doc: measures[name].doc,
    schema: decimals(4).nullable(),
    value: (db) =>
      db
        .selectFrom('serving.region_demographics')
        .select(name)
        .where('level', '=', 'SAL')
        .where('code', '=', CODE)
        .$castTo<number | null>(),
  }),
);

const RISKS = [
  ['share', 'Share of its assessed properties on the hazard', fraction],
  ['properties_covered', 'Number of its properties that were assessed for the hazard', z.int()],
] as const;
const hazards = HAZARD_LAYERS.flatMap((layer) =>
  RISKS.map(
    ([column, doc, schema]): SuburbField => ({
      name: `hazard_${layer}_${column}`,
      doc: `${doc}; null: none was assessed, which does not mean that there is no hazard.`,
      schema: schema.nullable(),
      value: (db) =>
        db
          .selectFrom('serving.region_risk')
          .select(column)
          .where('level', '=', 'SAL')
          .where('area', '=', NAME)
          .where('layer', '=', layer)
          .$castTo<number | null>(),
    }),
  ),
);

/** Every field of the suburb finder: market, ranks, Census, hazards. */
export const SUBURB_FIELDS: readonly SuburbField[] = [...market, forecast, ...ranking, ...census, ...hazards];
