import { sql } from 'kysely';
import { z } from 'zod';
import { AREA_LEVELS, type AreaLevel } from '../../schema/serving/area_level.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { searchKey } from '../../transforms/address/search_key.ts';
import type { Answer } from '../answers/answer.ts';
import { type OfSubject, type Operation, ofSuburb } from '../answers/operation.ts';
import { levelParam } from '../answers/parameters.ts';

/** Levels of the suburbs and regions with a profile and Census figures. */
export const PROFILE_LEVELS = [...AREA_LEVELS, 'SA4', 'GCCSA', 'STE'] as const;
type ProfileLevel = (typeof PROFILE_LEVELS)[number];

/** A requested suburb or region. */
export interface Region<L extends ProfileLevel = AreaLevel> {
  level: L;
  /** ABS code; of a state, its abbreviation. */
  code: string;
  name: string;
  /** State abbreviation. Null: the level crosses states, and it has no property. */
  state: string | null;
  /** Key in the area tables: the name of a suburb, the code of a region. */
  area: string;
  /** Themes that a source covers at every property of it. Empty if it has no property. */
  covered: readonly string[];
}

const paramsOf = <const L extends readonly ProfileLevel[]>(levels: L, regions: string) =>
  z.strictObject({
    level: levelParam(
      `Level of the area in the path: SAL, a suburb by name; ${regions}, a region by ABS code or name.`,
      levels,
      'SAL',
    ),
  });
/** Parameters of an endpoint of a suburb or region. */
export const regionParams = paramsOf(AREA_LEVELS, 'SA2, SA3, LGA or POA');
export type RegionParams = z.infer<typeof regionParams>;
/** Parameters of an endpoint that also takes an SA4, a GCCSA or a state. */
export const profileParams = paramsOf(PROFILE_LEVELS, 'SA2, SA3, SA4, GCCSA, LGA, POA or STE');
export type ProfileParams = z.infer<typeof profileParams>;

/** A code as the tables have it: upper case. */
const codeOf = (id: string): string => id.trim().toUpperCase();

/** Condition: a row has the name, ignoring case, or the code of a region. */
const isNamed = (level: ProfileLevel, id: string) => {
  const hasName = sql<boolean>`lower(name) = ${id.trim().toLowerCase()}`;
  return level === 'SAL' ? hasName : sql<boolean>`(code = ${codeOf(id)} OR ${hasName})`;
};

/** Finds a suburb by name, or a region by code or name. One with properties comes before one with only a boundary. Null: none. */
export async function regionOf<L extends ProfileLevel>(
  db: Serving,
  level: L,
  id: string,
): Promise<Region<L> | null> {
  const areaOf = (code: string, name: string): string => (level === 'SAL' ? name : code);
  const withProperties = await db
    .selectFrom('serving.search_area')
    .select(['code', 'name', 'state', 'covered'])
    .where('level', '=', level)
    .where((eb) =>
      level === 'SAL'
        ? eb('name_key', '=', searchKey(id))
        : eb.or([eb('code', '=', codeOf(id)), eb('name_key', '=', searchKey(id))]),
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
  level: z.enum(PROFILE_LEVELS),
  code: z.string(),
  name: z.string(),
} as const;

export const identityOf = ({ level, code, name }: Region<ProfileLevel>) => ({ level, code, name });

/** Region of an answer by its canonical name, however it was requested. */
export const regionField = z.strictObject({ region: z.strictObject(regionIdentity).optional() });

/** Declaration of an operation on a suburb or region; `read` is called for an existing region. */
interface OfRegion<T, P extends ProfileParams> extends Omit<OfSubject<T, P>, 'extras' | 'query'> {
  readonly subpath: `suburb/${string}`;
  read(db: Serving, region: Region<P['level']>, params: P): Promise<Answer<T>>;
}

/** Declares an operation on a suburb or, with `level`, a region. */
export const ofRegion = <T, P extends ProfileParams>({ read, ...own }: OfRegion<T, P>): Operation<T, P> =>
  ofSuburb({
    ...own,
    extras: regionField,
    async query(db, id, params) {
      const region = await regionOf<P['level']>(db, params.level, id);
      if (region === null) return { no_data: params.level === 'SAL' ? 'unknown_suburb' : 'unknown_region' };
      return { ...(await read(db, region, params)), extras: { region: identityOf(region) } };
    },
  });
