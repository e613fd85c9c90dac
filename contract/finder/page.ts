import { sql } from 'kysely';
import type { Serving } from '../../schema/serving/database.ts';
import { FINDER_FEATURES } from '../../schema/serving/finder_features.ts';
import type { FinderType, propertyFinderTable } from '../../schema/serving/property_finder.ts';
import type { Row } from '../../schema/table.ts';
import { type Area, inAreas } from './areas.ts';
import { conditionsOf, finderScore } from './conditions.ts';
import { isByDefault, type Limit } from './limits.ts';
import { type FinderQuery, SORT_COLUMNS } from './params.ts';

/** Columns that a page shows and judges. */
const SHOWN = [
  'gnaf_pid',
  'address',
  'street',
  'sal',
  'state',
  'beds',
  'baths',
  'cars',
  'property_type',
  'price',
  'land_area_sqm',
  'price_per_sqm',
  'yield_percent',
  'growth_percent',
  'growth_forecast_percent',
  'rent_aud_pw',
  'lat',
  'lon',
  'listing_date',
  'school_m',
  'public_housing_m',
  'public_housing_covered',
  'supermarket_m',
  'park_m',
  'beach_m',
  'railway_m',
  ...FINDER_FEATURES,
] as const;

/** A property found, with its score. */
export type FoundRow = Pick<Row<typeof propertyFinderTable>, (typeof SHOWN)[number]> & {
  property_type: FinderType;
  score: number;
};

/** Result of a search. */
export interface FoundPage {
  rows: FoundRow[];
  /** Properties that meet the criteria, on all pages. */
  total: number;
}

interface FinderPageData {
  params: FinderQuery;
  limits: readonly Limit[];
  areas: readonly Area[];
  schoolsKnown: boolean;
}

/** True if the published score and choice of the default search are valid for this search. */
const isPrepared = ({ params, limits, schoolsKnown }: FinderPageData): boolean =>
  schoolsKnown && params.only === undefined && isByDefault(params, limits);

function matching(db: Serving, data: FinderPageData) {
  const { params, limits, areas, schoolsKnown } = data;
  const within = db.selectFrom('serving.property_finder').where(inAreas(areas));
  const inside = params.only === undefined ? within : within.where('gnaf_pid', 'in', params.only);
  if (isPrepared(data)) return inside.where('default_score', 'is not', null);
  return inside.where((eb) => eb.and(conditionsOf(params, limits, schoolsKnown)));
}

/**
 * Sums the totals of the areas, if that is the count: the default search over areas of one level, which share no property. Null: count the
 * rows.
 */
function knownTotal(data: FinderPageData): number | null {
  if (!isPrepared(data)) return null;
  if (new Set(data.areas.map(({ level }) => level)).size > 1) return null;
  const counts = data.areas.map((area) => area.by_default);
  return counts.includes(null) ? null : counts.reduce((sum: number, count) => sum + count!, 0);
}

type SortName = keyof typeof SORT_COLUMNS;

/** Counts all matches; with a column, only those with a value in it. */
async function countAll(db: Serving, data: FinderPageData, sort: SortName | null = null): Promise<number> {
  const all = matching(db, data);
  const { n } = await (sort === null ? all : all.where(SORT_COLUMNS[sort], 'is not', null))
    .select(sql<number>`count(*)::float8`.as('n'))
    .executeTakeFirstOrThrow();
  return n;
}

/** Selects positions in the order of a column, or of the score without one: rows with a known value, or the others. */
function placesOf(db: Serving, data: FinderPageData, sort: SortName | null, isKnown: boolean) {
  const { sort_direction = 'desc' } = data.params;
  const score = isPrepared(data) ? sql<number>`default_score` : finderScore(data.params, data.limits);
  const places = matching(db, data).select('gnaf_pid').select(score.as('score'));
  if (sort === null)
    return places
      .orderBy(isPrepared(data) ? 'default_score' : 'score', sort_direction)
      .orderBy('gnaf_pid', sort_direction);
  const column = SORT_COLUMNS[sort];
  if (!isKnown) return places.where(column, 'is', null).orderBy('gnaf_pid', sort_direction);
  return places
    .where(column, 'is not', null)
    .orderBy(column, sort_direction)
    .orderBy('gnaf_pid', sort_direction);
}

/** Reads the rows of a page in order. Choosing them needs only an index, if one covers all criteria; then the chosen rows are read. */
async function rowsOf(
  db: Serving,
  places: ReturnType<typeof placesOf>,
  limit: number,
  offset: number,
): Promise<FoundRow[]> {
  const rows = await db
    .with('page', () => places.limit(limit).offset(offset))
    .with('numbered', (before) =>
      before
        .selectFrom('page')
        .select(['gnaf_pid as pid', 'score', sql<number>`row_number() OVER ()`.as('place')]),
    )
    .selectFrom('numbered')
    .innerJoin('serving.property_finder', 'gnaf_pid', 'pid')
    .select(SHOWN)
    .select('score')
    .$narrowType<{ property_type: FinderType }>()
    .orderBy('place')
    .execute();
  return rows;
}

/** Reads a page: rows with a known value sorted by it, then rows without one. Two reads, so that an index sorts both. */
async function sortedRows(db: Serving, data: FinderPageData, sort: SortName): Promise<FoundRow[]> {
  const { limit, offset } = data.params;
  const first = await rowsOf(db, placesOf(db, data, sort, true), limit, offset);
  if (first.length === limit) return first;
  // If the scored rows end on this page, they need no count.
  const firstUnsorted =
    first.length > 0 || offset === 0 ? offset + first.length : await countAll(db, data, sort);
  const unsorted = await rowsOf(
    db,
    placesOf(db, data, sort, false),
    limit - first.length,
    Math.max(0, offset - firstUnsorted),
  );
  return [...first, ...unsorted];
}

/** Reads one page of a search and the total. Without a sort column: by score, then id. */
export async function findPage(db: Serving, data: FinderPageData): Promise<FoundPage> {
  const { sort_by, limit, offset } = data.params;
  const total = knownTotal(data) ?? (await countAll(db, data));
  if (offset >= total) return { rows: [], total };
  if (sort_by !== undefined && sort_by !== 'score')
    return { rows: await sortedRows(db, data, sort_by), total };
  return { rows: await rowsOf(db, placesOf(db, data, null, true), limit, offset), total };
}
