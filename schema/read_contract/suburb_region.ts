import { z } from 'zod';
import { toGeoJson } from '../../transforms/geo/geometry.ts';
import { decodeWkb } from '../../transforms/geo/wkb.ts';
import { censusMeasures } from '../serving/census_measures.ts';
import { type Endpoint, type NoData, type NoParams, noParams } from './answer.ts';
import type { Serving } from './database.ts';

/** Whether the tables know a suburb: with properties, or by its boundary only. */
async function whyNone(db: Serving, suburb: string): Promise<NoData> {
  const known = await db
    .selectFrom('serving.suburb')
    .select('sal')
    .where('sal', '=', suburb)
    .executeTakeFirst();
  return known ? 'not_covered' : 'unknown_suburb';
}

const nullableText = z.string().nullable();

/** Place and size of a suburb. */
export const suburbProfilePayload = z.strictObject({
  suburb: z.string(),
  sal_code: z.string(),
  state: z.string(),
  sa2: nullableText,
  sa3: nullableText,
  properties: z.int(),
  area_sqkm: z.number().nullable(),
});

/** suburb/profile: codes, regions, area and number of properties of a suburb. */
export const suburbProfile: Endpoint<z.infer<typeof suburbProfilePayload>, NoParams> = {
  subject: 'suburb',
  path: 'suburb/profile',
  thing: 'profile',
  payload: suburbProfilePayload,
  params: noParams,
  async query(db, suburb) {
    const row = await db
      .selectFrom('serving.suburb as s')
      .leftJoin('serving.region_shape as g', (join) =>
        join.onRef('g.code', '=', 's.sal_code').on('g.level', '=', 'SAL'),
      )
      .select(['s.sal as suburb', 's.sal_code', 's.state', 's.sa2', 's.sa3', 's.properties', 'g.area_sqkm'])
      .where('s.sal', '=', suburb)
      .executeTakeFirst();
    return row ? { data: row } : { no_data: 'unknown_suburb' };
  },
};

/** Suburbs that share a boundary. */
export const suburbNeighboursPayload = z.array(
  z.strictObject({ suburb: z.string(), shared_boundary_m: z.int() }),
);

/** suburb/neighbours: suburbs that share a boundary, the longest first, then by name. */
export const suburbNeighbours: Endpoint<z.infer<typeof suburbNeighboursPayload>, NoParams> = {
  subject: 'suburb',
  path: 'suburb/neighbours',
  thing: 'neighbours',
  payload: suburbNeighboursPayload,
  params: noParams,
  async query(db, suburb) {
    const rows = await db
      .selectFrom('serving.suburb_neighbour')
      .select(['neighbour_sal as suburb', 'shared_m as shared_boundary_m'])
      .where('sal', '=', suburb)
      .orderBy('shared_m', 'desc')
      .orderBy('neighbour_sal')
      .execute();
    if (rows.length > 0) return { data: rows };
    const reason = await whyNone(db, suburb);
    return { no_data: reason === 'not_covered' ? 'none_found' : reason };
  },
};

const measures = Object.fromEntries(
  Object.keys(censusMeasures).map((name) => [name, z.number().nullable()]),
) as Record<keyof typeof censusMeasures, z.ZodNullable<z.ZodNumber>>;

/** Census and SEIFA of a suburb. Shares are fractions. */
export const suburbDemographicsPayload = z.strictObject({
  suburb: z.string(),
  census_year: z.int(),
  ...measures,
  irsd_score: z.number().nullable(),
  irsd_decile: z.int().nullable(),
  irsad_score: z.number().nullable(),
  irsad_decile: z.int().nullable(),
  irsad_percentile: z.int().nullable(),
  ier_decile: z.int().nullable(),
  ieo_decile: z.int().nullable(),
});

/** suburb/demographics: Census shares and medians, and the socio-economic indexes. */
export const suburbDemographics: Endpoint<z.infer<typeof suburbDemographicsPayload>, NoParams> = {
  subject: 'suburb',
  path: 'suburb/demographics',
  thing: 'demographics',
  payload: suburbDemographicsPayload,
  params: noParams,
  async query(db, suburb) {
    const row = await db
      .selectFrom('serving.region_demographics')
      .selectAll()
      .where('level', '=', 'SAL')
      .where('name', '=', suburb)
      .executeTakeFirst();
    if (!row) return { no_data: await whyNone(db, suburb) };
    const { level: _level, code: _code, cell: _cell, name: _name, state: _state, ...figures } = row;
    return { data: { suburb, ...figures } };
  },
};

/** Share of the properties of a suburb that each hazard lies on. */
export const suburbHazardsPayload = z.array(
  z.strictObject({
    layer: z.string(),
    properties_covered: z.int(),
    properties_on: z.int(),
    share: z.number(),
  }),
);

/** suburb/hazards: of the layers that some source covers, the largest share first. A layer that is absent is not covered. */
export const suburbHazards: Endpoint<z.infer<typeof suburbHazardsPayload>, NoParams> = {
  subject: 'suburb',
  path: 'suburb/hazards',
  thing: 'hazards',
  payload: suburbHazardsPayload,
  params: noParams,
  async query(db, suburb) {
    const rows = await db
      .selectFrom('serving.suburb_risk')
      .select(['layer', 'properties_covered', 'properties_on', 'share'])
      .where('sal', '=', suburb)
      .orderBy('share', 'desc')
      .orderBy('layer')
      .execute();
    return rows.length > 0 ? { data: rows } : { no_data: await whyNone(db, suburb) };
  },
};

/** The simplified boundary of a suburb as GeoJSON, GDA2020 degrees. */
export const suburbShapePayload = z.strictObject({
  type: z.literal('Feature'),
  properties: z.strictObject({ suburb: z.string(), area_sqkm: z.number().nullable() }),
  geometry: z.strictObject({
    type: z.literal('MultiPolygon'),
    coordinates: z.array(z.array(z.array(z.tuple([z.number(), z.number()])))),
  }),
});

/** suburb/shape: the boundary within about 20 m. */
export const suburbShape: Endpoint<z.infer<typeof suburbShapePayload>, NoParams> = {
  subject: 'suburb',
  path: 'suburb/shape',
  thing: 'shape',
  payload: suburbShapePayload,
  params: noParams,
  async query(db, suburb) {
    const row = await db
      .selectFrom('serving.region_shape')
      .select(['area_sqkm', 'geom'])
      .where('level', '=', 'SAL')
      .where('name', '=', suburb)
      .executeTakeFirst();
    if (!row) return { no_data: await whyNone(db, suburb) };
    const { area_sqkm, geom } = row;
    return {
      data: { type: 'Feature', properties: { suburb, area_sqkm }, geometry: toGeoJson(decodeWkb(geom)) },
    };
  },
};

/** Endpoints of a suburb that boundaries and the Census answer. */
export const SUBURB_REGION_ENDPOINTS = [
  suburbProfile,
  suburbNeighbours,
  suburbDemographics,
  suburbHazards,
  suburbShape,
] as const;
