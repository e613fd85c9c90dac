import { sql } from 'kysely';
import { propertyFinderTable } from '../../serving/property_finder.ts';
import type { Row } from '../../table.ts';
import type { Serving } from '../database.ts';
import { type Area, inAreas } from './areas.ts';
import { conditionsOf, scoreOf } from './conditions.ts';
import type { Limit } from './limits.ts';
import { type FinderParams, SORT_COLUMNS } from './params.ts';

const COLUMNS = Object.keys(propertyFinderTable.columns) as (keyof typeof propertyFinderTable.columns)[];

/** A property that was found, with its score. */
export type FoundRow = Row<typeof propertyFinderTable> & { score: number };

/** What a search finds. */
export interface FoundPage {
  rows: FoundRow[];
  /** Properties that meet the criteria, on this page or not. */
  total: number;
}

interface Found {
  params: FinderParams;
  limits: readonly Limit[];
  areas: readonly Area[];
  schoolsKnown: boolean;
}

function matching(db: Serving, { params, limits, areas, schoolsKnown }: Found) {
  const conditions = conditionsOf(params, limits, schoolsKnown);
  return db
    .selectFrom('serving.property_finder')
    .where((eb) => inAreas(eb, areas))
    .where((eb) => eb.and(conditions));
}

type SortName = keyof typeof SORT_COLUMNS;

/** Counts all that match, and those of them whose value of the sorted column is known. */
async function countAll(
  db: Serving,
  found: Found,
  sort: SortName | null,
): Promise<{ total: number; known: number }> {
  const column = sort === null ? sql`*` : sql.ref(SORT_COLUMNS[sort]);
  const row = await matching(db, found)
    .select([sql<number>`count(*)::float8`.as('total'), sql<number>`count(${column})::float8`.as('known')])
    .executeTakeFirstOrThrow();
  return row;
}

/** A place on a page. */
interface Placed {
  gnaf_pid: string;
  score: number;
}

const placesOf = (db: Serving, found: Found) =>
  matching(db, found).select('gnaf_pid').select(scoreOf(found.params, found.limits).as('score'));

/** Places of those whose value is known, sorted by it, then of those whose value is not: two reads, so that an index may give the first in order. */
async function sortedPlaces(db: Serving, found: Found, sort: SortName, known: number): Promise<Placed[]> {
  const { limit, offset, sort_direction = 'desc' } = found.params;
  const column = SORT_COLUMNS[sort];
  const places =
    offset >= known
      ? []
      : await placesOf(db, found)
          .where(column, 'is not', null)
          .orderBy(column, sort_direction)
          .orderBy('gnaf_pid', sort_direction)
          .limit(limit)
          .offset(offset)
          .execute();
  if (places.length === limit) return places;
  const rest = await placesOf(db, found)
    .where(column, 'is', null)
    .orderBy('gnaf_pid', sort_direction)
    .limit(limit - places.length)
    .offset(Math.max(0, offset - known))
    .execute();
  return [...places, ...rest];
}

/** The rows of a page, in its order. The search itself reads nothing but an index where the area is large. */
async function rowsAt(db: Serving, places: readonly Placed[]): Promise<FoundRow[]> {
  if (places.length === 0) return [];
  const rows = await db
    .selectFrom('serving.property_finder')
    .select(COLUMNS)
    .where(sql<boolean>`gnaf_pid = ANY (${places.map((place) => place.gnaf_pid)})`)
    .execute();
  const byPid = new Map(rows.map((row) => [row.gnaf_pid, row]));
  // A publication between the two reads may have taken a property away.
  return places.flatMap(({ gnaf_pid, score }) => {
    const row = byPid.get(gnaf_pid);
    return row ? [{ ...row, score }] : [];
  });
}

/** One page of a search, and the number of all that it finds. Without a column to sort by: the best score first, then by id. */
export async function findPage(db: Serving, found: Found): Promise<FoundPage> {
  const { sort_by, sort_direction = 'desc', limit, offset } = found.params;
  const sort = sort_by === undefined || sort_by === 'score' ? null : sort_by;
  const { total, known } = await countAll(db, found, sort);
  if (offset >= total) return { rows: [], total };
  if (sort !== null) return { rows: await rowsAt(db, await sortedPlaces(db, found, sort, known)), total };
  const places = await placesOf(db, found)
    .orderBy('score', sort_direction)
    .orderBy('gnaf_pid')
    .limit(limit)
    .offset(offset)
    .execute();
  return { rows: await rowsAt(db, places), total };
}
