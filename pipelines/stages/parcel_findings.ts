import type { Bbox } from '../../schema/grid.ts';
import { expandBbox } from '../../schema/grid.ts';
import type { NearestToParcels } from '../../transforms/hazards/nearest_to_parcels.ts';
import { nearestToParcels } from '../../transforms/hazards/nearest_to_parcels.ts';
import type { ParcelSet } from '../../transforms/hazards/parcel_set.ts';
import type { HazardFinding } from '../../transforms/risk_row.ts';
import type { HazardLayerIndex } from './hazard_layers.ts';

/** What a parcel has of a hazard layer. */
export interface ParcelFinding extends HazardFinding {
  /** Share of the parcel that the widest-covering feature covers. */
  share: number;
}

/** Searches a layer around parcels, `radius_m` metres far. */
export const searchParcels = (
  { index, rank }: HazardLayerIndex,
  parcels: ParcelSet,
  radius_m: number,
  params: { on_min_sqm: number },
): NearestToParcels =>
  nearestToParcels(index, parcels, { within_m: radius_m, rank, on_min_sqm: params.on_min_sqm });

/** What is found on or near a parcel, by its number; null: nothing. The feature that is told is the most severe on it, else the nearest. */
export function findingOnParcel(
  { features }: HazardLayerIndex,
  found: NearestToParcels,
  i: number,
): ParcelFinding | null {
  const nearest = found.nearest[i]!;
  if (nearest < 0) return null;
  const is_on = found.on[i] === 1;
  const { feature_id, name, code, severity, event_date } = features[is_on ? found.top[i]! : nearest]!;
  return {
    is_on,
    distance_m: found.distance_m[i]!,
    features: found.features[i]!,
    share: found.share[i]!,
    feature_id,
    name,
    code,
    severity,
    event_date,
  };
}

/** The box around parcels and what is so many metres around them, degrees; there is at least one. */
export function boxAround({ boxes }: ParcelSet, metres: number): Bbox {
  const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < boxes.length; i += 4) {
    box[0] = Math.min(box[0], boxes[i]!);
    box[1] = Math.min(box[1], boxes[i + 1]!);
    box[2] = Math.max(box[2], boxes[i + 2]!);
    box[3] = Math.max(box[3], boxes[i + 3]!);
  }
  return expandBbox(box, metres);
}
