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

const rowsOf = (db: Serving, found: Found) =>
  matching(db, found).select(COLUMNS).select(scoreOf(found.params, found.limits).as('score'));

/** Rows whose value is known, sorted by it, then those whose value is not: two reads, so that an index gives the first in order. */
async function sortedPage(db: Serving, found: Found, sort: SortName, known: number): Promise<FoundRow[]> {
  const { limit, offset, sort_direction = 'desc' } = found.params;
  const column = SORT_COLUMNS[sort];
  const rows =
    offset >= known
      ? []
      : await rowsOf(db, found)
          .where(column, 'is not', null)
          .orderBy(column, sort_direction)
          .orderBy('gnaf_pid', sort_direction)
          .limit(limit)
          .offset(offset)
          .execute();
  if (rows.length === limit) return rows;
  const rest = await rowsOf(db, found)
    .where(column, 'is', null)
    .orderBy('gnaf_pid', sort_direction)
    .limit(limit - rows.length)
    .offset(Math.max(0, offset - known))
    .execute();
  return [...rows, ...rest];
}

/** One page of a search, and the number of all that it finds. Without a column to sort by: the best score first, then by id. */
export async function findPage(db: Serving, found: Found): Promise<FoundPage> {
  const { sort_by, sort_direction = 'desc', limit, offset } = found.params;
  const sort = sort_by === undefined || sort_by === 'score' ? null : sort_by;
  const { total, known } = await countAll(db, found, sort);
  if (offset >= total) return { rows: [], total };
  if (sort !== null) return { rows: await sortedPage(db, found, sort, known), total };
  const rows = await rowsOf(db, found)
    .orderBy('score', sort_direction)
    .orderBy('gnaf_pid')
    .limit(limit)
    .offset(offset)
    .execute();
  return { rows, total };
}
