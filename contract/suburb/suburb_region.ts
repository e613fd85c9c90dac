import { sql } from 'kysely';
import { z } from 'zod';
import { censusMeasures } from '../../schema/serving/census_measures.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { toGeoJson } from '../../transforms/geo/geometry.ts';
import { decodeWkb } from '../../transforms/geo/wkb.ts';
import type { NoData } from '../answers/answer.ts';
import { decimals, degrees, fraction } from '../answers/numbers.ts';
import {
  identityOf,
  ofRegion,
  type ProfileParams,
  profileParams,
  type Region,
  type RegionParams,
  regionIdentity,
  regionParams,
} from '../regions/region.ts';

type AnyRegion = Region<ProfileParams['level']>;

const nullableText = z.string().nullable();

/** Position and size of a suburb or region, and its SA2 and SA3 if it is inside one. */
const suburbProfilePayload = z.strictObject({
  ...regionIdentity,
  state: nullableText,
  sa2: nullableText,
  sa2_code: nullableText,
  sa3: nullableText,
  sa3_code: nullableText,
  properties: z.int().min(0),
  area_sqkm: decimals(4).nullable(),
  latitude: degrees.nullable(),
  longitude: degrees.nullable(),
});

const middle = (a: number | null | undefined, b: number | null | undefined): number | null =>
  a === null || a === undefined || b === null || b === undefined ? null : (a + b) / 2;

/** suburb/profile: codes, regions, area, number of properties, and the centre of the box around them. */
export const suburbProfile = ofRegion({
  subpath: 'suburb/profile',
  price_cents: 3,
  tool: {
    title: 'Profile of a suburb',
    use: 'Use suburbs_demographics instead for its population, and suburbs_market for its prices.',
  },
  doc: 'Codes, state, SA2, SA3 and area of a suburb or region, its number of properties, and the centre of their bounding box.',
  noun: 'suburb_profile',
  payload: suburbProfilePayload,
  params: profileParams,
  async read(db, region) {
    const foundRegion = await db
      .selectFrom('serving.search_area as a')
      .leftJoin('serving.search_area as sa2', (join) =>
        join.on('sa2.level', '=', 'SA2').onRef('sa2.code', '=', 'a.sa2'),
      )
      .leftJoin('serving.search_area as sa3', (join) =>
        join.on('sa3.level', '=', 'SA3').onRef('sa3.code', '=', 'a.sa3'),
      )
      .select(['a.sa2', 'a.sa3', 'a.properties', 'a.min_lon', 'a.min_lat', 'a.max_lon', 'a.max_lat'])
      .select(['sa2.name as sa2_name', 'sa3.name as sa3_name'])
      .where('a.level', '=', region.level)
      .where('a.code', '=', region.code)
      .executeTakeFirst();
    const shape = await db
      .selectFrom('serving.region_shape')
      .select('area_sqkm')
      .where('level', '=', region.level)
      .where('code', '=', region.code)
      .executeTakeFirst();
    return {
      data: {
        ...identityOf(region),
        state: region.state,
        sa2: foundRegion?.sa2_name ?? foundRegion?.sa2 ?? null,
        sa2_code: foundRegion?.sa2 ?? null,
        sa3: foundRegion?.sa3_name ?? foundRegion?.sa3 ?? null,
        sa3_code: foundRegion?.sa3 ?? null,
        properties: foundRegion?.properties ?? 0,
        area_sqkm: shape?.area_sqkm ?? null,
        latitude: middle(foundRegion?.min_lat, foundRegion?.max_lat),
        longitude: middle(foundRegion?.min_lon, foundRegion?.max_lon),
      },
    };
  },
});

/** True if the boundaries of a level are loaded; without them neighbours are unknown. */
async function hasBoundaries(db: Serving, { level }: AnyRegion): Promise<boolean> {
  const row = await db
    .selectFrom('serving.region_shape')
    .select('code')
    .where('level', '=', level)
    .orderBy('code')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Areas of the same level with a shared boundary. */
const suburbNeighboursPayload = z.array(
  z.strictObject({ code: z.string(), name: z.string(), shared_boundary_m: z.int().min(0) }),
);

/** suburb/neighbours: areas of the same level with a shared boundary, longest first, then by name. */
const suburbNeighbours = ofRegion({
  subpath: 'suburb/neighbours',
  price_cents: 5,
  tool: { title: 'Adjoining suburbs', use: 'Use suburbs_shape instead for the boundary itself.' },
  doc: 'Suburbs or regions of the same level that share a boundary with this one, longest boundary first, then by name.',
  noun: 'suburb_neighbours',
  payload: suburbNeighboursPayload,
  params: regionParams,
  async read(db, region) {
    const rows = await db
      .selectFrom('serving.region_neighbour')
      .select(['neighbour', 'neighbour_code as code', 'neighbour_name as name', 'shared_m'])
      .where('level', '=', region.level)
      .where('area', '=', region.area)
      .orderBy('shared_m', 'desc')
      .orderBy('neighbour')
      .execute();
    if (rows.length === 0)
      return { no_data: (await hasBoundaries(db, region)) ? 'none_found' : 'not_covered' };
    return {
      data: rows.map(({ neighbour, code, name, shared_m }) => ({
        code,
        name: name ?? neighbour,
        shared_boundary_m: shared_m,
      })),
    };
  },
});

const measures = Object.fromEntries(
  Object.keys(censusMeasures).map((name) => [name, decimals(4).nullable()]),
) as Record<keyof typeof censusMeasures, z.ZodNullable<z.ZodNumber>>;

const subject = z.strictObject({
  subject: z.string(),
  counted: z.int().nullable(),
  categories: z.array(
    z.strictObject({
      category: z.string(),
      census_name: z.string(),
      persons: z.int(),
      share: fraction.nullable(),
    }),
  ),
});

/** Census and SEIFA of a suburb or region. Shares are fractions. Categories have their Census names, largest first. */
const suburbDemographicsPayload = z.strictObject({
  ...regionIdentity,
  census_year: z.int(),
  ...measures,
  irsd_score: z.number().nullable(),
  irsd_decile: z.int().nullable(),
  irsad_score: z.number().nullable(),
  irsad_decile: z.int().nullable(),
  irsad_percentile: z.int().nullable(),
  ier_decile: z.int().nullable(),
  ieo_decile: z.int().nullable(),
  subjects: z.array(subject),
});

/** Condition: a Census row is of a region. The Census has the states by digits. */
const isOfRegion = ({ level, code }: AnyRegion) =>
  level === 'STE'
    ? sql<boolean>`level = ${level} AND state = ${code}`
    : sql<boolean>`level = ${level} AND code = ${code}`;

/** Returns why a region has no Census figures: its level is not loaded, or it is not in the Census. */
async function whyNoCensus(db: Serving, { level }: AnyRegion): Promise<NoData> {
  const any = await db
    .selectFrom('serving.region_demographics')
    .select('code')
    .where('level', '=', level)
    .orderBy('code')
    .limit(1)
    .executeTakeFirst();
  return any === undefined ? 'not_covered' : 'not_matched';
}

/** suburb/demographics: Census shares and medians, the socio-economic indexes, and the counts of each subject by category. */
export const suburbDemographics = ofRegion({
  subpath: 'suburb/demographics',
  price_cents: 20,
  tool: {
    title: 'Demographics of a suburb',
    use: 'Use suburbs_profile instead for only its location and size.',
  },
  doc: 'Census shares and medians of a suburb or region, the socio-economic indexes, and the counts of each subject by category.',
  noun: 'suburb_demographics',
  payload: suburbDemographicsPayload,
  params: profileParams,
  async read(db, region) {
    const row = await db
      .selectFrom('serving.region_demographics')
      .selectAll()
      .where(isOfRegion(region))
      .executeTakeFirst();
    if (!row) return { no_data: await whyNoCensus(db, region) };
    const { level: _level, code: _code, name: _name, state: _state, ...figures } = row;
    const subjects = await db
      .selectFrom('serving.region_census')
      .select(['subject', 'counted', 'categories'])
      .where(isOfRegion(region))
      .orderBy('subject')
      .execute();
    const data = { ...identityOf(region), ...figures, subjects };
    return { data: data as z.infer<typeof suburbDemographicsPayload> };
  },
});

/** Share of the properties of a suburb or region that each hazard is on. */
const suburbHazardsPayload = z.array(
  z.strictObject({
    layer: z.string(),
    properties_covered: z.int().min(1),
    properties_on: z.int().min(0),
    share: fraction,
  }),
);

/** suburb/hazards: layers that a source covers, largest share first. A missing layer is not covered. */
export const suburbHazards = ofRegion<z.infer<typeof suburbHazardsPayload>, RegionParams>({
  subpath: 'suburb/hazards',
  price_cents: 5,
  tool: {
    title: 'Hazards of a suburb',
    use: 'Use properties_risks_all instead for the hazards of one property.',
  },
  doc: 'Share of the properties of a suburb or region on each hazard, for covered layers, largest share first. An absent layer is not covered.',
  noun: 'suburb_hazards',
  payload: suburbHazardsPayload,
  params: regionParams,
  async read(db, { level, area }) {
    const rows = await db
      .selectFrom('serving.region_risk')
      .select(['layer', 'properties_covered', 'properties_on', 'share'])
      .where('level', '=', level)
      .where('area', '=', area)
      .orderBy('share', 'desc')
      .orderBy('layer')
      .execute();
    return rows.length > 0 ? { data: rows } : { no_data: 'not_covered' };
  },
});

/** Simplified boundary of a suburb or region as GeoJSON, GDA2020 degrees. */
const suburbShapePayload = z.strictObject({
  type: z.literal('Feature'),
  properties: z.strictObject({ ...regionIdentity, area_sqkm: decimals(4).nullable() }),
  geometry: z.strictObject({
    type: z.literal('MultiPolygon'),
    coordinates: z.array(z.array(z.array(z.tuple([degrees, degrees])))),
  }),
});

/** suburb/shape: the boundary, simplified to about 20 m. */
export const suburbShape = ofRegion({
  subpath: 'suburb/shape',
  price_cents: 5,
  tool: { title: 'Boundary of a suburb', use: 'Use suburbs_profile instead for its bounding box.' },
  doc: 'The boundary of a suburb or region as GeoJSON, within about 20 m.',
  noun: 'suburb_shape',
  payload: suburbShapePayload,
  params: profileParams,
  async read(db, region) {
    const row = await db
      .selectFrom('serving.region_shape')
      .select(['area_sqkm', 'geom'])
      .where('level', '=', region.level)
      .where('code', '=', region.code)
      .executeTakeFirst();
    if (!row) return { no_data: (await hasBoundaries(db, region)) ? 'not_matched' : 'not_covered' };
    const { area_sqkm, geom } = row;
    return {
      data: {
        type: 'Feature',
        properties: { ...identityOf(region), area_sqkm },
        geometry: toGeoJson(decodeWkb(geom)),
      },
    };
  },
});

/** Endpoints on the boundaries and the Census of a suburb or region. */
export const SUBURB_REGION_OPERATIONS = [
  suburbProfile,
  suburbNeighbours,
  suburbDemographics,
  suburbHazards,
  suburbShape,
] as const;
