/** How parcels are measured against a layer. */
export interface ParcelOptions {
  /** Search radius, metres: what is exactly so far away is found. */
  within_m: number;
  /** Area of a parcel above which a polygon is on the property, square metres; less is a sliver. */
  on_min_sqm: number;
  /** Rank of each feature for `top`; a higher one wins. Left out: all are equal. */
  rank?: ArrayLike<number>;
  /** False: `features` is not counted and stays 0. */
  count?: boolean;
}

/** What is found for each parcel, by its number. */
export interface NearestToParcels {
  /** Metres to the nearest feature, 0 where it has a part in the parcel, a sliver included; Infinity: none within the radius. */
  readonly distance_m: Float64Array;
  /** That feature, the lowest number of several within 1 mm of each other; -1: none. */
  readonly nearest: Int32Array;
  /** Features within the radius, each once however many pieces it has. */
  readonly features: Int32Array;
  /** 1: a polygon covers more than `on_min_sqm`, more than 0.1 m of a line lies inside and not along the border, or a point lies inside. */
  readonly on: Uint8Array;
  /** Of the features on the parcel, that of the highest rank, then of the lowest number; -1: none. */
  readonly top: Int32Array;
  /** Metres to the nearest border of a polygon, 0 where one lies in the parcel; Infinity: none within the radius. */
  readonly margin_m: Float64Array;
  /** The polygon that covers most of the parcel (then the lowest number), the area and the share that it covers; -1, 0, 0: none. */
  readonly widest: Int32Array;
  readonly overlap_sqm: Float64Array;
  readonly share: Float64Array;
}

/** What is found where there is nothing. */
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
