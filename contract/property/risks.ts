import { z } from 'zod';
import {
  HAZARD_LAYERS,
  HAZARDS,
  type HazardLayer,
  type HazardShape,
  hazardPath,
} from '../../schema/records/hazard.ts';
import type { Serving } from '../../schema/serving/database.ts';
import type { propertyRiskTable } from '../../schema/serving/property_risk.ts';
import type { Row } from '../../schema/table.ts';
import { riskValue } from '../../transforms/hazards/risk_value.ts';
import { type AnswerExtras, NO_DATA, type NoData } from '../answers/answer.ts';
import { whyNone, whyNoneOf } from '../answers/coverage.ts';
import { type NoParams, noParams, type Operation, ofProperty } from '../answers/operation.ts';
import { flagParam } from '../answers/parameters.ts';
import { hazardGeojson, hazardGeojsonMeta } from './hazard_payload.ts';
import { hazardShapes } from './hazard_shapes.ts';
import { overlayHazards } from './overlay_hazards.ts';

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
  geojson: hazardGeojson.optional(),
  geojson_meta: hazardGeojsonMeta.optional(),
});
export type RiskRecord = z.infer<typeof riskRecord>;

/** Specification, section 4.3: array of RiskRecord. */
const risksPayload = z.array(riskRecord);

/** Subject of a record: a public housing area, or the property. */
const areaOf = (layer: string, feature_id: string, address: string) =>
  layer === 'public_housing'
    ? { area_level: 'SA1', area_name: feature_id.slice('SA1:'.length) }
    : { area_level: 'property', area_name: address };

/** Name of a risk: its layer, plus the class if the layer has classes. */
function nameOf(layer: HazardLayer, hazard_class: string): string {
  const { title } = HAZARDS[layer];
  return layer === 'public_housing' ? title : `${title} - ${hazard_class}`;
}

/** Describes the finding of a hazard layer. */
const inWords = (
  row: Pick<
    Row<typeof propertyRiskTable>,
    | 'layer'
    | 'name'
    | 'event_date'
    | 'shape'
    | 'on_property'
    | 'nearest_distance_m'
    | 'measured_from'
    | 'parcel_share'
  >,
): string =>
  riskValue({
    layer: row.layer,
    shape: row.shape as HazardShape,
    on_property: row.on_property,
    distance_m: row.nearest_distance_m,
    share: row.measured_from === 'parcel' ? (row.parcel_share ?? 0) : 0,
    name: row.event_date === null ? row.name : `${row.name} (${row.event_date})`,
  });

/** A record with its layer and class. */
interface ClassifiedRisk {
  layer: HazardLayer;
  hazard_class: string;
  record: RiskRecord;
}

/**
 * Reads the findings of hazard layers, in the order of the layers. Within a layer, findings on the property come first, then the nearest.
 */
async function risksOf(
  db: Serving,
  gnafId: string,
  layers: readonly HazardLayer[],
): Promise<ClassifiedRisk[]> {
  const rows = await db
    .selectFrom('serving.property_risk as r')
    .innerJoin('serving.property as p', 'p.gnaf_pid', 'r.gnaf_pid')
    .select([
      'p.address',
      'r.layer',
      'r.hazard_class',
      'r.feature_id',
      'r.name',
      'r.event_date',
      'r.shape',
      'r.measured_from',
      'r.parcel_share',
      'r.on_property',
      'r.nearest_distance_m',
      'r.search_radius_m',
      'r.features_within_radius',
    ])
    .where('r.gnaf_pid', '=', gnafId)
    .where('r.layer', 'in', layers)
    .execute();
  const orderOf = (layer: string): number => HAZARD_LAYERS.indexOf(layer as HazardLayer);
  return rows
    .sort(
      (a, b) =>
        orderOf(a.layer) - orderOf(b.layer) ||
        a.nearest_distance_m - b.nearest_distance_m ||
        (a.hazard_class < b.hazard_class ? -1 : 1),
    )
    .map((row) => {
      const layer = row.layer as HazardLayer;
      return {
        layer,
        hazard_class: row.hazard_class,
        record: {
          ...areaOf(layer, row.feature_id, row.address),
          name: nameOf(layer, row.hazard_class),
          value: inWords(row),
          on_property: row.on_property,
          nearest_distance_m: row.nearest_distance_m,
          search_radius_m: row.search_radius_m,
          features_within_radius: row.features_within_radius,
        },
      };
    });
}

/**
 * Returns records of overlays that are a hazard, for layers without a finding. Their search radius is 0, because nothing was searched
 * around the property.
 */
async function overlayRisksOf(
  db: Serving,
  gnafId: string,
  layers: readonly HazardLayer[],
): Promise<ClassifiedRisk[]> {
  const overlays = await overlayHazards(db, gnafId, layers);
  if (overlays.length === 0) return [];
  const { address } = await db
    .selectFrom('serving.property')
    .select('address')
    .where('gnaf_pid', '=', gnafId)
    .executeTakeFirstOrThrow();
  return overlays.map(({ layer, name, value }) => ({
    layer,
    hazard_class: name,
    record: {
      area_level: 'property',
      area_name: address,
      name: nameOf(layer, name),
      value,
      on_property: true,
      nearest_distance_m: 0,
      search_radius_m: 0,
      features_within_radius: 1,
    },
  }));
}

/** Specification, section 4.4: geojson. */
const shapeParams = z.strictObject({
  geojson: flagParam('Adds the shapes of the hazards, clipped to a circle of 1 km around the property.'),
});
type ShapeParams = z.infer<typeof shapeParams>;

/** Layers whose shapes can be requested. */
const SHAPED: ReadonlySet<HazardLayer> = new Set(HAZARD_LAYERS.filter((layer) => HAZARDS[layer].has_shapes));

/** Adds the shapes of its class to each risk of a layer with shapes. */
async function withShapes(
  db: Serving,
  gnafId: string,
  risks: readonly ClassifiedRisk[],
): Promise<ClassifiedRisk[]> {
  const shaped = risks.filter(({ layer }) => SHAPED.has(layer));
  if (shaped.length === 0) return [...risks];
  const shapesOf = await hazardShapes(db, gnafId, [...new Set(shaped.map(({ layer }) => layer))]);
  return risks.map((risk) =>
    SHAPED.has(risk.layer)
      ? { ...risk, record: { ...risk.record, ...shapesOf(risk.layer, risk.hazard_class) } }
      : risk,
  );
}

/** risks/<layer>: findings of one hazard layer, with shapes if requested. */
const riskOf = (layer: HazardLayer): Operation<RiskRecord[], ShapeParams | NoParams> =>
  ofProperty<RiskRecord[], ShapeParams | NoParams>({
    subpath: `risks/${hazardPath(layer)}`,
    price_cents: HAZARDS[layer].cents,
    tool: {
      title: `${HAZARDS[layer].title} near a property`,
      use: 'Use properties_risks_all instead for all hazards.',
    },
    noun: `${layer}_risk`,
    doc: `${HAZARDS[layer].title} within 1 km, one record for each ${layer === 'public_housing' ? 'area' : 'class'}: whether it is on the property, its distance and its number of features. Records on the property come first, then the nearest. Without a finding of the layer, overlays on the property that are this hazard are records with \`search_radius_m\` 0.`,
    payload: risksPayload,
    params: SHAPED.has(layer) ? shapeParams : noParams,
    async query(db, gnafId, params) {
      const risks = await risksOf(db, gnafId, [layer]);
      const records =
        risks.length === 0
          ? await overlayRisksOf(db, gnafId, [layer])
          : 'geojson' in params && params.geojson
            ? await withShapes(db, gnafId, risks)
            : risks;
      if (records.length === 0) return { no_data: await whyNone(db, gnafId, layer) };
      return { data: records.map(({ record }) => record) };
    },
  });

export const RISK_OPERATIONS = HAZARD_LAYERS.map(riskOf);

/** Outcome of several hazard layers. The flat price is charged if at least one layer is covered, whatever was found. */
export const layersOutcome = (layers: NonNullable<AnswerExtras['layers']>): NoData | null =>
  Object.values(layers).some((found) => found === 'found' || found === 'none_found') ? null : 'not_covered';

/** Reason of a bundle without a finding: `none_found` only if every layer is covered. */
function whyNothing(reasons: readonly NoData[]): NoData {
  if (reasons.every((reason) => reason === 'none_found')) return 'none_found';
  return reasons.includes('not_matched') ? 'not_matched' : 'not_covered';
}

/** Builds the same field for each hazard layer. */
const byLayer = <T extends z.ZodType>(each: T) =>
  Object.fromEntries(
    HAZARD_LAYERS.map((layer) => [layer, each.meta({ description: `${HAZARDS[layer].title} within 1 km.` })]),
  ) as Record<HazardLayer, T>;

/** Findings by layer. Null: none. */
const allRisksPayload = z.strictObject(byLayer(risksPayload.nullable()));
export type AllRisks = z.infer<typeof allRisksPayload>;

/**
 * risks/all: findings by hazard layer; null: none. `layers` gives the outcome of each layer: a layer that is not covered is unknown, not
 * safe.
 */
export const risksAll = ofProperty<AllRisks, ShapeParams>({
  subpath: 'risks/all',
  price_cents: 48,
  tool: {
    title: 'All hazards near a property',
    use: 'Use the tool of one hazard instead for a single hazard.',
  },
  doc: 'Every hazard layer by name; null: nothing was found. `layers` states for each layer whether it was found, or why not: not covered does not mean none.',
  noun: 'risks',
  payload: allRisksPayload,
  extras: z.strictObject({
    layers: z.strictObject(byLayer(z.enum(['found', ...NO_DATA]))).optional(),
  }),
  params: shapeParams,
  async query(db, gnafId, { geojson }) {
    const reasons = await whyNoneOf(db, gnafId, HAZARD_LAYERS);
    if (reasons === null) return { no_data: 'unknown_property' };
    const rows = await risksOf(db, gnafId, HAZARD_LAYERS);
    const empty = HAZARD_LAYERS.filter((layer) => !rows.some((row) => row.layer === layer));
    const risks = [
      ...(geojson ? await withShapes(db, gnafId, rows) : rows),
      ...(await overlayRisksOf(db, gnafId, empty)),
    ];
    const byLayer = new Map<HazardLayer, RiskRecord[] | null>(HAZARD_LAYERS.map((layer) => [layer, null]));
    for (const { layer, record } of risks) byLayer.set(layer, [...(byLayer.get(layer) ?? []), record]);
    const layers = Object.fromEntries(
      HAZARD_LAYERS.map((layer) => [layer, byLayer.get(layer) === null ? reasons[layer] : 'found'] as const),
    );
    const parts = { 'risks/all': layersOutcome(layers) };
    if (risks.length === 0) return { no_data: whyNothing(Object.values(reasons)), extras: { layers }, parts };
    return { data: Object.fromEntries(byLayer) as AllRisks, extras: { layers }, parts };
  },
});
