import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Serving } from '../../schema/serving/database.ts';
import { FINDER_AREA_COLUMN, FINDER_LEVELS, type FinderLevel } from '../../schema/serving/finder_levels.ts';
import { STATE_NAMES } from '../../schema/states.ts';
import { searchKey } from '../../transforms/address/search_key.ts';

export interface Area {
  level: FinderLevel;
  code: string;
  name: string;
  state: string;
  /** Number of properties that a search without criteria finds in it. Null: not counted. */
  by_default: number | null;
}

interface ResolvedArea extends Area {
  name_key: string;
}

/** Levels of the regions that a search can name, finest first. */
export const REGION_LEVELS = FINDER_LEVELS.filter((level) => level !== 'SAL');

/** Parses the state in the parentheses of a name (`Richmond (Vic.)`, `Newtown (Geelong - Vic.)`). Null: none. */
function stateIn(name: string): string | null {
  const last = /\(([^)]*)\)\s*$/.exec(name)?.[1]?.split(/\s-\s/).at(-1);
  const letters = last?.replace(/[^A-Za-z]/g, '').toUpperCase();
  return letters !== undefined && letters in STATE_NAMES ? letters : null;
}

/** Finds the areas of a level that match a name: the exact name, else the bare name in the state that it states, or in any state. */
function matchingAreas(rows: readonly ResolvedArea[], name: string): ResolvedArea[] {
  const exact = rows.filter((row) => row.name.toLowerCase() === name.toLowerCase());
  if (exact.length > 0) return exact;
  const state = stateIn(name);
  return rows.filter((row) => row.name_key === searchKey(name) && (state === null || row.state === state));
}

async function areasNamed(
  db: Serving,
  levels: readonly string[],
  names: readonly string[],
): Promise<ResolvedArea[]> {
  if (names.length === 0) return [];
  const rows = await db
    .selectFrom('serving.search_area')
    .select(['level', 'code', 'name', 'state', 'by_default', 'name_key'])
    .where('level', 'in', levels)
    .where((eb) =>
      eb.or([
        eb('name_key', 'in', names.map(searchKey)),
        eb(
          'code',
          'in',
          names.map((name) => name.toUpperCase()),
        ),
      ]),
    )
    .orderBy('name')
    .orderBy('code')
    .execute();
  return rows as ResolvedArea[];
}

/** Finds suburbs by canonical name, ignoring case, as every endpoint of a suburb does. */
async function suburbs(db: Serving, names: readonly string[]): Promise<Area[]> {
  const rows = await areasNamed(db, ['SAL'], names);
  return names.flatMap((name) => rows.filter((row) => row.name.toLowerCase() === name.toLowerCase()));
}

/** Finds regions by name: the finest level if a name exists at several, and states also by their abbreviation. */
async function regions(db: Serving, names: readonly string[]): Promise<Area[]> {
  const rows = await areasNamed(db, REGION_LEVELS, names);
  return names.flatMap((name) => {
    for (const level of REGION_LEVELS) {
      const of = rows.filter((row) => row.level === level);
      const matching =
        level === 'STE'
          ? [...of.filter((row) => row.code === name.toUpperCase()), ...matchingAreas(of, name)]
          : matchingAreas(of, name);
      if (matching.length > 0) return matching;
    }
    return [];
  });
}

async function adjoining(db: Serving, areas: readonly Area[]): Promise<Area[]> {
  if (areas.length === 0) return [];
  const rows = await db
    .selectFrom('serving.region_neighbour as n')
    .innerJoin('serving.search_area as a', (join) =>
      join.onRef('a.name', '=', 'n.neighbour').on('a.level', '=', 'SAL'),
    )
    .select(['a.level', 'a.code', 'a.name', 'a.state', 'a.by_default'])
    .where('n.level', '=', 'SAL')
    .where(
      'n.area',
      'in',
      areas.map((area) => area.name),
    )
    .orderBy('a.name')
    .execute();
  return rows as Area[];
}

/** Finds the areas that a search names, each once, in the order of the names. Unknown names are left out. */
export async function findAreas(
  db: Serving,
  names: { suburbs: readonly string[]; regions: readonly string[]; neighbors: boolean },
): Promise<Area[]> {
  const namedSuburbs = await suburbs(db, names.suburbs);
  const adjoiningSuburbs = names.neighbors ? await adjoining(db, namedSuburbs) : [];
  const all = [...namedSuburbs, ...(await regions(db, names.regions)), ...adjoiningSuburbs];
  return [...new Map(all.map((area) => [`${area.level}|${area.code}`, area])).values()].map(
    ({ level, code, name, state, by_default }) => ({ level, code, name, state, by_default }),
  );
}

/**
 * Condition: a row with these columns is in any of the areas. Suburbs compare with `sal`, a column of names. Without areas: false.
 */
export function inAreas(areas: readonly Area[], sal: string = FINDER_AREA_COLUMN.SAL): RawBuilder<SqlBool> {
  const conditions = FINDER_LEVELS.flatMap((level) => {
    const of = areas.filter((area) => area.level === level);
    if (of.length === 0) return [];
    const column = sql.ref(level === 'SAL' ? sal : FINDER_AREA_COLUMN[level]);
    const values = of.map((area) => (level === 'SAL' ? area.name : area.code));
    // A single value compares by equality, so the index returns rows in order.
    return [
      values.length === 1
        ? sql<SqlBool>`${column} = ${values[0]}`
        : sql<SqlBool>`${column} IN (${sql.join(values)})`,
    ];
  });
  return conditions.length === 0 ? sql<SqlBool>`false` : sql<SqlBool>`(${sql.join(conditions, sql` OR `)})`;
}

/** Facts about the tables as a whole that a search needs. */
export interface FinderContext {
  /** True: schools are published, so a missing distance means that no school is within reach. */
  schools: boolean;
  /** Minimum share of public housing for an area to count, as used when the tables were computed. 0: nothing is published. */
  threshold: number;
}

export async function readFinderContext(db: Serving): Promise<FinderContext> {
  const { schools, threshold } = await db
    .selectNoFrom((eb) => [
      eb.exists(db.selectFrom('serving.school').select(sql<number>`1`.as('one'))).as('schools'),
      db
        .selectFrom('serving.setting')
        .select('value')
        .where('name', '=', 'hazards.public_housing_share_min')
        .as('threshold'),
    ])
    .executeTakeFirstOrThrow();
  return { schools: schools === true, threshold: threshold ?? 0 };
}
