import type { NearestToParcels } from '../../../transforms/layers/parcel_findings.ts';
import type { HazardClassIndex, HazardFeature } from './hazard_layers.ts';

/** What a parcel has of a class of a hazard layer. */
export interface ParcelFinding extends HazardFeature {
  is_on: boolean;
  /** Metres to the nearest feature, 0 where they meet. */
  distance_m: number;
  /** Source features within the radius. */
  features: number;
  /** Share of the parcel that the widest-covering feature covers. */
  share: number;
}

/** What is found on or near a parcel, by its number; null: nothing. The feature that is told is the most severe on it, else the nearest. */
export function findingOnParcel(
  { features }: HazardClassIndex,
  found: NearestToParcels,
  i: number,
): ParcelFinding | null {
  const nearest = found.nearest[i]!;
  if (nearest < 0) return null;
  const is_on = found.on[i] === 1;
  const { feature_id, shape, name, code, severity, event_date } = features[is_on ? found.top[i]! : nearest]!;
  return {
    is_on,
    distance_m: found.distance_m[i]!,
    features: found.features[i]!,
    share: found.share[i]!,
    feature_id,
    shape,
    name,
    code,
    severity,
    event_date,
  };
}
