import { sql } from 'kysely';
import { z } from 'zod';
import { AREA_LEVELS, type AreaLevel } from '../schema/serving/area_level.ts';
import type { Serving } from '../schema/serving/database.ts';
import { searchKey } from '../transforms/address/search_key.ts';
import type { Answer } from './answer.ts';
import { type OfSubject, type Operation, ofSuburb } from './operation.ts';
import { levelParam } from './parameters.ts';

/** A suburb or region that is asked for. */
export interface Region {
  level: AreaLevel;
  /** ABS code. */
  code: string;
  name: string;
  /** State abbreviation; null: the level crosses states, and it has no property. */
  state: string | null;
  /** What the tables of areas call it: of a suburb its name, else its code. */
  area: string;
  /** Themes that some source covers at every property of it; none where it has no property. */
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

/** A row of the name, in any case, or of a region the code. */
const isNamed = (level: AreaLevel, id: string) => {
  const named = sql<boolean>`lower(name) = ${id.trim().toLowerCase()}`;
  return level === 'SAL' ? named : sql<boolean>`(code = ${id} OR ${named})`;
};

/** The suburb of a name, or the region of a code or name: one with properties, else one with a boundary; null: there is none. */
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

/** The name and codes of a region, as every payload of one begins. */
export const regionIdentity = {
  level: z.enum(AREA_LEVELS),
  code: z.string(),
  name: z.string(),
} as const;

export const identityOf = ({ level, code, name }: Region) => ({ level, code, name });

/** Region of an answer by its canonical name, however it was requested. */
export const regionBeside = z.strictObject({ region: z.strictObject(regionIdentity).optional() });

/** What an operation of a suburb or region says of itself; it answers for a region that there is. */
interface OfRegion<T, P extends RegionParams> extends Omit<OfSubject<T, P>, 'beside' | 'query'> {
  readonly subpath: `suburb/${string}`;
  read(db: Serving, region: Region, params: P): Promise<Answer<T>>;
}

/** Declares an operation of a suburb, or with `level` of a region. */
export const ofRegion = <T, P extends RegionParams>({ read, ...own }: OfRegion<T, P>): Operation<T, P> =>
  ofSuburb({
    ...own,
    beside: regionBeside,
    async query(db, id, params) {
      const region = await regionOf(db, params.level, id);
      if (region === null) return { no_data: params.level === 'SAL' ? 'unknown_suburb' : 'unknown_region' };
      return { ...(await read(db, region, params)), beside: { region: identityOf(region) } };
    },
  });
