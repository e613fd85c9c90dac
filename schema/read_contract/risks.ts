import { z } from 'zod';
import { HAZARD_LAYERS, type HazardLayer } from '../records/hazard.ts';
import { type Endpoint, type NoParams, noParams } from './answer.ts';
import { whyNone } from './coverage.ts';
import type { Serving } from './database.ts';
import { hazardShapes } from './hazard_shapes.ts';

/** Specification, section 2.2: RiskRecord. */
const riskRecord = z.strictObject({
  area_level: z.string(),
  area_name: z.string(),
  name: z.string(),
  value: z.string(),
  on_property: z.boolean(),
  nearest_distance_m: z.int().min(0),
  search_radius_m: z.int(),
  features_within_radius: z.int().min(1),
});
export type RiskRecord = z.infer<typeof riskRecord>;

/** Specification, section 4.3: array of RiskRecord. */
export const risksPayload = z.array(riskRecord);

/** Title of a hazard layer, as it stands before the class of the hazard. */
export const LAYER_TITLE: Readonly<Record<HazardLayer, string>> = {
  bushfire: 'Bushfire',
  flood: 'Flood',
  historical_flood: 'Historical flood',
  heritage: 'Heritage',
  landslide: 'Landslide',
  erosion: 'Erosion',
  environment: 'Environment',
  hv_power_line: 'High-voltage power line',
  mobile_black_spot: 'Mobile black spot',
  public_housing: 'Public housing',
};

async function risksOf(db: Serving, gnafId: string, layers: readonly string[]): Promise<RiskRecord[]> {
  const rows = await db
    .selectFrom('serving.property_risk as r')
    .innerJoin('serving.property as p', 'p.gnaf_pid', 'r.gnaf_pid')
    .select([
      'p.address',
      'r.layer',
      'r.name',
      'r.value',
      'r.on_property',
      'r.nearest_distance_m',
      'r.search_radius_m',
      'r.features_within_radius',
    ])
    .where('r.gnaf_pid', '=', gnafId)
    .where('r.layer', 'in', layers)
    .execute();
  const place = (layer: string): number => HAZARD_LAYERS.indexOf(layer as HazardLayer);
  return rows
    .sort((a, b) => place(a.layer) - place(b.layer))
    .map(({ address, layer, name, ...row }) => ({
      area_level: 'property',
      area_name: address,
      name: `${LAYER_TITLE[layer as HazardLayer]} - ${name}`,
      value: row.value,
      on_property: row.on_property,
      nearest_distance_m: row.nearest_distance_m,
      search_radius_m: row.search_radius_m,
      features_within_radius: row.features_within_radius,
    }));
}

/** Specification, section 4.4: geojson. */
const shapeParams = z.strictObject({
  geojson: z
    .union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')])
    .default(false),
});
type ShapeParams = z.infer<typeof shapeParams>;

/** risks/<layer>: what was found of one hazard layer, with its shapes where they are asked for. */
function riskEndpoint(path: string, layer: HazardLayer): Endpoint<RiskRecord[], ShapeParams> {
  return {
    subject: 'property',
    path: `risks/${path}`,
    thing: `${layer}_risk`,
    payload: risksPayload,
    params: shapeParams,
    async query(db, gnafId, { geojson }) {
      const data = await risksOf(db, gnafId, [layer]);
      if (data.length === 0) return { no_data: await whyNone(db, gnafId, layer) };
      return geojson ? { data, beside: await hazardShapes(db, gnafId, layer) } : { data };
    },
  };
}

/** One endpoint for each hazard layer. */
export const RISK_ENDPOINTS = HAZARD_LAYERS.map((layer) => riskEndpoint(layer.replaceAll('_', '-'), layer));

/** risks/all: every hazard layer that was found, in the order of the layers. */
export const risksAll: Endpoint<RiskRecord[], NoParams> = {
  subject: 'property',
  path: 'risks/all',
  thing: 'risks',
  payload: risksPayload,
  params: noParams,
  async query(db, gnafId) {
    const data = await risksOf(db, gnafId, HAZARD_LAYERS);
    if (data.length > 0) return { data };
    const reasons = await Promise.all(HAZARD_LAYERS.map((layer) => whyNone(db, gnafId, layer)));
    return { no_data: reasons.find((reason) => reason !== 'not_covered') ?? 'not_covered' };
  },
};
