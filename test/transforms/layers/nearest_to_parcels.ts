import type { FeatureLayer } from '../../../transforms/layers/feature_layer.ts';
import { ParcelSearch } from '../../../transforms/layers/nearest_to_parcels.ts';
import {
  type NearestToParcels,
  nothingNearParcels,
  type ParcelOptions,
} from '../../../transforms/layers/parcel_findings.ts';
import type { ParcelSet } from '../../../transforms/layers/parcel_set.ts';

/** Measures parcels alone against a layer, as a search of homes does for theirs. */
export function nearestToParcels(
  layer: FeatureLayer | null,
  parcels: ParcelSet,
  options: ParcelOptions,
): NearestToParcels {
  if (layer === null) return nothingNearParcels(parcels.count);
  return new ParcelSearch(layer, parcels, options).run();
}
