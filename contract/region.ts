import { sql } from 'kysely';
import { z } from 'zod';
import { AREA_LEVELS, type AreaLevel } from '../schema/serving/area_level.ts';
import type { Serving } from '../schema/serving/database.ts';
import { searchKey } from '../transforms/address/search_key.ts';
import type { Answer } from './answer.ts';
import { type OfSubject, type Operation, ofSuburb } from './operation.ts';
import { levelParam } from './parameters.ts';

/** A requested suburb or region. */
export interface Region {
  level: AreaLevel;
  /** ABS code. */
  code: string;
  name: string;
  /** State abbreviation. Null: the level crosses states, and it has no property. */
  state: string | null;
  /** Key in the area tables: the name of a suburb, the code of a region. */
  area: string;
  /** Themes that a source covers at every property of it. Empty if it has no property. */
  covered: readonly string[];
}

/** Parameters of every endpoint of a suburb or region. */
export const regionParams = z.strictObject({
  level: levelParam(
    'Level of the area in the path: SAL, a suburb by name; SA2, SA3, LGA or POA, a region by ABS code or name.',
    AREA_LEVELS,
    'SAL',
  ),
});
export type RegionParams = z.infer<typeof regionParams>;

/** Condition: a row has the name, ignoring case, or the code of a region. */
const isNamed = (level: AreaLevel, id: string) => {
  const named = sql<boolean>`lower(name) = ${id.trim().toLowerCase()}`;
  return level === 'SAL' ? named : sql<boolean>`(code = ${id} OR ${named})`;
};

/** Finds a suburb by name, or a region by code or name. One with properties comes before one with only a boundary. Null: none. */
export async function regionOf(db: Serving, level: AreaLevel, id: string): Promise<Region | null> {
  const areaOf = (code: string, name: string): string => (level === 'SAL' ? name : code);
  const withProperties = await db
    .selectFrom('serving.search_area')
    .select(['code', 'name', 'state', 'covered'])
    .where('level', '=', level)
    .where((eb) =>
      level === 'SAL'
        ? eb('name_key', '=', searchKey(id))
        : eb.or([eb('code', '=', id), eb('name_key', '=', searchKey(id))]),
    )
    .where(isNamed(level, id))
    .orderBy('code')
    .limit(1)
    .executeTakeFirst();
  if (withProperties) {
    const { code, name } = withProperties;
    return { level, ...withProperties, area: areaOf(code, name) };
  }
  const drawn = await db
    .selectFrom('serving.region_shape')
    .select(['code', 'name', 'state'])
    .where('level', '=', level)
    .where(isNamed(level, id))
    .orderBy('code')
    .limit(1)
    .executeTakeFirst();
  if (!drawn) return null;
  const name = drawn.name ?? drawn.code;
  return { level, code: drawn.code, name, state: drawn.state, area: areaOf(drawn.code, name), covered: [] };
}

/** Name and codes at the start of every region payload. */
export const regionIdentity = {
  level: z.enum(AREA_LEVELS),
  code: z.string(),
  name: z.string(),
} as const;

export const identityOf = ({ level, code, name }: Region) => ({ level, code, name });

/** Region of an answer by its canonical name, however it was requested. */
export const regionField = z.strictObject({ region: z.strictObject(regionIdentity).optional() });

/** Declaration of an operation on a suburb or region; `read` is called for an existing region. */
interface OfRegion<T, P extends RegionParams> extends Omit<OfSubject<T, P>, 'beside' | 'query'> {
  readonly subpath: `suburb/${string}`;
  read(db: Serving, region: Region, params: P): Promise<Answer<T>>;
}

/** Declares an operation on a suburb or, with `level`, a region. */
export const ofRegion = <T, P extends RegionParams>({ read, ...own }: OfRegion<T, P>): Operation<T, P> =>
  ofSuburb({
    ...own,
    beside: regionField,
    async query(db, id, params) {
      const region = await regionOf(db, params.level, id);
      if (region === null) return { no_data: params.level === 'SAL' ? 'unknown_suburb' : 'unknown_region' };
      return { ...(await read(db, region, params)), beside: { region: identityOf(region) } };
    },
  });
