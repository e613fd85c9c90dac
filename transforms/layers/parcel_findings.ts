/** Options for measuring parcels against a layer. */
export interface ParcelOptions {
  /** Search radius, metres, inclusive. */
  within_m: number;
  /** Area of a parcel above which a polygon is on the property, square metres; less is a sliver. */
  on_min_sqm: number;
  /** Rank of each feature for `top`; higher wins. Default: all equal. */
  rank?: ArrayLike<number>;
  /** False: `features` is not counted and stays 0. */
  count?: boolean;
}

/** Results by parcel number. */
export interface NearestToParcels {
  /** Metres to the nearest feature, 0 if a part of it, even a sliver, is in the parcel; Infinity: none within the radius. */
  readonly distance_m: Float64Array;
  /** Nearest feature, the lowest number of several within 1 mm of each other; -1: none. */
  readonly nearest: Int32Array;
  /** Number of features within the radius, each counted once. */
  readonly features: Int32Array;
  /** 1: a polygon covers more than `on_min_sqm`, more than 0.1 m of a line is inside and not along the border, or a point is inside. */
  readonly on: Uint8Array;
  /** Feature of the highest rank on the parcel, then of the lowest number; -1: none. */
  readonly top: Int32Array;
  /** Metres to the nearest border of a polygon, 0 if one is in the parcel; Infinity: none within the radius. */
  readonly margin_m: Float64Array;
  /** Polygon that covers most of the parcel (then the lowest number), the area and the share that it covers; -1, 0, 0: none. */
  readonly widest: Int32Array;
  readonly overlap_sqm: Float64Array;
  readonly share: Float64Array;
}

/** Returns the results for an empty layer. */
export function nothingNearParcels(count: number): NearestToParcels {
  return {
    distance_m: new Float64Array(count).fill(Infinity),
    nearest: new Int32Array(count).fill(-1),
    features: new Int32Array(count),
    on: new Uint8Array(count),
    top: new Int32Array(count).fill(-1),
    margin_m: new Float64Array(count).fill(Infinity),
    widest: new Int32Array(count).fill(-1),
    overlap_sqm: new Float64Array(count),
    share: new Float64Array(count),
  };
}
