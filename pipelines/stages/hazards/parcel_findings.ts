import type { NearestToParcels } from '../../../transforms/layers/parcel_findings.ts';
import type { HazardClassIndex, HazardFeature } from './hazard_layers.ts';

/** Findings on a parcel of one class of a hazard layer. */
export interface ParcelFinding extends HazardFeature {
  is_on: boolean;
  /** Metres to the nearest feature, 0 if they meet. */
  distance_m: number;
  /** Source features within the search radius. */
  features: number;
  /** Share of the parcel covered by the feature that covers the most. */
  share: number;
}

/**
 * Returns what was found on or near a parcel, by its number; null: nothing. The named feature is the most severe on the parcel, else the
 * nearest.
 */
export function findingOnParcel(
  { features }: HazardClassIndex,
  finding: NearestToParcels,
  i: number,
): ParcelFinding | null {
  const nearest = finding.nearest[i]!;
  if (nearest < 0) return null;
  const is_on = finding.on[i] === 1;
  const { feature_id, shape, name, code, severity, event_date } =
    features[is_on ? finding.top[i]! : nearest]!;
  return {
    is_on,
    distance_m: finding.distance_m[i]!,
    features: finding.features[i]!,
    share: finding.share[i]!,
    feature_id,
    shape,
    name,
    code,
    severity,
    event_date,
  };
}
