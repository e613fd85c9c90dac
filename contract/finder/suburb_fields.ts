import { type Expression, sql } from 'kysely';
import { z } from 'zod';
import { HAZARD_LAYERS } from '../../schema/records/hazard.ts';
import type { Serving } from '../../schema/serving/database.ts';
import type { FinderType } from '../../schema/serving/property_finder.ts';
import { regionDemographicsTable } from '../../schema/serving/region_demographics.ts';
import { marketFigureColumns } from '../../schema/serving/region_market.ts';
import { RANKED_MEASURES } from '../../schema/serving/region_ranking.ts';
import { decimals, fraction, percent } from '../answers/numbers.ts';
import { marketFigureFields } from '../suburb/suburb_market.ts';

/** A number that suburbs are searched, sorted and shown by. */
interface SuburbField {
  name: string;
  doc: string;
  schema: z.ZodType<number | null>;
  /** Subquery of its value, for a suburb `a` of search_area and a kind of dwelling. Null: not known. */
  value(db: Serving, market: FinderType): Expression<unknown>;
}

const NAME = sql.ref<string>('a.name');
const keysOf = <T extends object>(record: T) => Object.keys(record) as (keyof T & string)[];

/** Reads a table of figures by suburb and kind of dwelling. */
const ofMarket = (db: Serving, table: 'market' | 'forecast' | 'ranking', market: FinderType) =>
  db
    .selectFrom(`serving.region_${table}` as 'serving.region_ranking')
    .where('level', '=', 'SAL')
    .where('area', '=', NAME)
    .where('market', '=', market);

const figures = keysOf(marketFigureColumns).map((name): SuburbField => {
  const { doc, nullable } = marketFigureColumns[name];
  return {
    name,
    doc: nullable ? doc : `${doc.replace(/\.$/, '')}; null: no sale, rent or listing.`,
    schema: nullable ? marketFigureFields[name] : marketFigureFields[name].nullable(),
    value: (db, market) => ofMarket(db, 'market', market).select(sql.ref(name).as(name)),
  };
});

const forecast: SuburbField = {
  name: 'growth_forecast_percent',
  doc: 'Forecast growth of the median price over twelve months, per cent; null: not enough history.',
  schema: percent.nullable(),
  value: (db, market) => ofMarket(db, 'forecast', market).select(sql.ref('growth_percent').as('growth')),
};

const ranks = keysOf(RANKED_MEASURES).flatMap((measure) =>
  (['state', 'nation'] as const).map(
    (where): SuburbField => ({
      name: `${measure}_${where}_rank`,
      doc: `Rank of its ${measure} in the ${where}, 1 for the first; null: not ranked.`,
      schema: z.int().nullable(),
      value: (db, market) =>
        ofMarket(db, 'ranking', market).select(`${where}_rank`).where('measure', '=', measure),
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
        .where('code', '=', sql.ref<string>('a.code')),
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
          .where('layer', '=', layer),
    }),
  ),
);

/** Every field of the suburb finder: market, ranks, Census, hazards. */
export const SUBURB_FIELDS: readonly SuburbField[] = [...figures, forecast, ...ranks, ...census, ...hazards];
