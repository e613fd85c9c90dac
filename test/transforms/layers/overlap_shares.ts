import { geodesicAreaSqm } from '../../../transforms/geo/area.ts';
import { bboxOf, type MultiPolygon } from '../../../transforms/geo/geometry.ts';
import { encodeWkb } from '../../../transforms/geo/wkb.ts';
import { type OverlapParcel, type OverlapPiece, OverlapSearch } from '../../../transforms/layers/overlap.ts';

/** A feature that covers a part of a parcel. */
export interface OverlapShare {
  parcel: number;
  feature: number;
  overlap_sqm: number;
  share: number;
}

/** A shape as the record of a parcel has it. */
export function parcelOf(geometry: MultiPolygon): OverlapParcel {
  const [min_lon, min_lat, max_lon, max_lat] = bboxOf(geometry.coords);
  const area_sqm = geodesicAreaSqm(geometry);
  return { min_lon, min_lat, max_lon, max_lat, area_sqm, geom: encodeWkb(geometry) };
}

/** Every feature that covers a part of a parcel, by parcel, then by feature. */
export function overlapShares(
  pieces: readonly OverlapPiece[],
  parcels: readonly MultiPolygon[],
): OverlapShare[] {
  const search = new OverlapSearch(pieces);
  return parcels.flatMap((geometry, parcel) => {
    const count = search.find(parcelOf(geometry));
    return Array.from({ length: count }, (_, k) => ({
      parcel,
      feature: search.feature[k]!,
      overlap_sqm: search.overlap_sqm[k]!,
      share: search.share[k]!,
    }));
  });
}
