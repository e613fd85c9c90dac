import type { Serving } from '../../schema/serving/database.ts';

/** A measure that suburbs can be coloured by. */
export interface Measure {
  name: string;
  title: string;
  unit: 'dollars' | 'percent' | 'share' | 'count';
}

/** Values of a measure by suburb, ordered by name. Suburbs without a value are absent. */
export type MeasureValues = { area: string; value: number; sample: number }[];

type MarketMeasureColumn =
  | 'median_price'
  | 'median_rent_aud_pw'
  | 'growth_1y_percent'
  | 'growth_3y_percent'
  | 'gross_yield_percent';

const MARKET: readonly (Omit<Measure, 'name'> & { column: MarketMeasureColumn })[] = [
  { column: 'median_price', title: 'Median price', unit: 'dollars' },
  { column: 'median_rent_aud_pw', title: 'Median weekly rent', unit: 'dollars' },
  { column: 'growth_1y_percent', title: 'Growth over one year', unit: 'percent' },
  { column: 'growth_3y_percent', title: 'Growth over three years', unit: 'percent' },
  { column: 'gross_yield_percent', title: 'Gross yield', unit: 'percent' },
];
const MARKETS = ['house', 'unit'] as const;

const words = (name: string): string => name.replaceAll('_', ' ');

async function hazardLayers(db: Serving): Promise<string[]> {
  const rows = await db
    .selectFrom('serving.region_risk')
    .select('layer')
    .distinct()
    .where('level', '=', 'SAL')
    .orderBy('layer')
    .execute();
  return rows.map(({ layer }) => layer);
}

/** Lists the market measures that some suburb has a value of. */
async function marketMeasures(db: Serving): Promise<Measure[]> {
  const rows = await db
    .selectFrom('serving.region_market')
    .select(({ fn }) => ['market', ...MARKET.map(({ column }) => fn.count<number>(column).as(column))])
    .where('level', '=', 'SAL')
    .groupBy('market')
    .orderBy('market')
    .execute();
  return rows.flatMap(({ market, ...counts }) =>
    MARKET.filter(({ column }) => Number(counts[column]) > 0).map(({ column, title, unit }) => ({
      name: `${column}:${market}`,
      title: `${title}, ${market}s`,
      unit,
    })),
  );
}

async function fields(db: Serving): Promise<string[]> {
  const rows = await db
    .selectFrom('serving.field_coverage')
    .select('field')
    .distinct()
    .orderBy('field')
    .execute();
  return rows.map(({ field }) => field);
}

/** Lists the measures that the tables have values for. */
export async function measures(db: Serving): Promise<Measure[]> {
  const [layers, filled] = [await hazardLayers(db), await fields(db)];
  return [
    ...(await marketMeasures(db)),
    ...layers.map((layer) => ({
      name: `share_at_risk:${layer}`,
      title: `Share of properties on ${words(layer)}`,
      unit: 'share' as const,
    })),
    ...filled.map((field) => ({
      name: `coverage:${field}`,
      title: `Coverage of ${field}`,
      unit: 'share' as const,
    })),
    ...(await valuedKinds(db)).map((kind) => ({
      name: VALUATION_ERROR + kind,
      title: `Error of the valuation, ${kind}s`,
      unit: 'percent' as const,
    })),
  ];
}

const VALUATION_ERROR = 'valuation_error:';
/** True if a measure is the error of the valuation. */
export const isValuationError = (name: string): boolean => name.startsWith(VALUATION_ERROR);

async function valuedKinds(db: Serving): Promise<string[]> {
  const rows = await db
    .selectFrom('serving.valuation_accuracy')
    .select('kind')
    .distinct()
    .where('level', '=', 'suburb')
    .orderBy('kind', 'desc')
    .execute();
  return rows.map(({ kind }) => kind);
}

/** Reads the median error of each suburb: from its state's model, else from the national one. */
async function valuationErrors(db: Serving, kind: string): Promise<MeasureValues | null> {
  if (!(await valuedKinds(db)).includes(kind)) return null;
  return db
    .selectFrom('serving.valuation_accuracy')
    .distinctOn('group_name')
    .select(['group_name as area', 'median_error_percent as value', 'sales as sample'])
    .where('kind', '=', kind)
    .where('level', '=', 'suburb')
    .orderBy('group_name')
    .orderBy((eb) => eb('region', '=', 'AU'))
    .execute();
}

async function marketValues(
  db: Serving,
  column: MarketMeasureColumn,
  market: string,
): Promise<MeasureValues> {
  const rows = await db
    .selectFrom('serving.region_market')
    .select([
      'area',
      `${column} as value`,
      column === 'median_rent_aud_pw' ? 'rent_sample as sample' : 'price_sample as sample',
    ])
    .where('level', '=', 'SAL')
    .where('market', '=', market)
    .where(column, 'is not', null)
    .orderBy('area')
    .execute();
  return rows as MeasureValues;
}

const riskShares = (db: Serving, layer: string): Promise<MeasureValues> =>
  db
    .selectFrom('serving.region_risk')
    .select(['area', 'share as value', 'properties_covered as sample'])
    .where('level', '=', 'SAL')
    .where('layer', '=', layer)
    .orderBy('area')
    .execute();

const coverageShares = (db: Serving, field: string): Promise<MeasureValues> =>
  db
    .selectFrom('serving.field_coverage')
    .select(['sal as area', 'share_filled as value', 'properties as sample'])
    .where('field', '=', field)
    .orderBy('sal')
    .execute();

/** Reads the values of a measure by suburb. Null: no such measure. */
export async function measureValues(db: Serving, name: string): Promise<MeasureValues | null> {
  const at = name.indexOf(':');
  const [kind, of] = [name.slice(0, at), name.slice(at + 1)];
  if (kind === 'share_at_risk') return riskShares(db, of);
  if (kind === 'coverage') return coverageShares(db, of);
  if (isValuationError(name)) return valuationErrors(db, of);
  const ownMeasure = MARKET.find(({ column }) => column === kind);
  return ownMeasure && (MARKETS as readonly string[]).includes(of)
    ? marketValues(db, ownMeasure.column, of)
    : null;
}
