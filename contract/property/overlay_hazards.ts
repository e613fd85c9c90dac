import type { HazardLayer } from '../../schema/records/hazard.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { riskValue } from '../../transforms/hazards/risk_value.ts';

/** Names of overlays that are a hazard: of Victoria (Victoria Planning Provisions) and of South Australia (Planning and Design Code). */
const OVERLAYS: readonly (readonly [RegExp, HazardLayer])[] = [
  [
    /^(Environmental Audit|Potentially Contaminated Land) Overlay|^Hazards \(Acid Sulfate Soils/,
    'environment',
  ],
  [/^Bushfire Management Overlay|^Hazards \(Bushfire/, 'bushfire'],
  [/^((Rural )?Floodway|Land Subject to Inundation|Special Building) Overlay|^Hazards \(Flooding/, 'flood'],
  [/^Heritage Overlay/, 'heritage'],
  [/^Erosion Management Overlay/, 'landslide'],
];

/** A hazard that an overlay on the property tells of. */
export interface OverlayHazard {
  layer: HazardLayer;
  name: string;
  /** Finding in words, with the share of the property that it covers. */
  value: string;
}

/**
 * Finds the overlays of a property that are one of the hazards, by overlay name. They are findings where no hazard layer has one: the
 * planning scheme of the place was loaded, its hazard layers were not. At most one for each name.
 */
export async function overlayHazards(
  db: Serving,
  gnafId: string,
  layers: readonly HazardLayer[],
): Promise<OverlayHazard[]> {
  if (!layers.some((layer) => OVERLAYS.some(([, of]) => of === layer))) return [];
  const rows = await db
    .selectFrom('serving.property_overlay')
    .select(['layer as name', 'value', 'share'])
    .where('gnaf_pid', '=', gnafId)
    .orderBy('layer')
    .orderBy('share', (order) => order.desc().nullsLast())
    .orderBy('overlay_id')
    .execute();
  const hazards = new Map<string, OverlayHazard>();
  for (const { name, value, share } of rows) {
    const layer = OVERLAYS.find(([pattern]) => pattern.test(name))?.[1];
    if (layer === undefined || !layers.includes(layer) || hazards.has(name)) continue;
    const inWords = riskValue({
      layer,
      shape: 'polygon',
      on_property: true,
      distance_m: 0,
      share: share ?? 0,
      name: value,
    });
    hazards.set(name, { layer, name, value: inWords });
  }
  return [...hazards.values()];
}
