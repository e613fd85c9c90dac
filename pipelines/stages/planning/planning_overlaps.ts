import type { parcelRecord } from '../../../schema/records/parcel.ts';
import type { Row } from '../../../schema/table.ts';
import type { MultiPolygon } from '../../../transforms/geo/geometry.ts';
import { decodeWkb } from '../../../transforms/geo/wkb.ts';
import { type OverlapParcel, OverlapSearch } from '../../../transforms/layers/overlap.ts';
import { numberFeatures } from '../hazards/features.ts';

type KeyedOverlapParcel = OverlapParcel & Pick<Row<typeof parcelRecord>, 'parcel_id'>;

/** Minimum overlap; smaller ones are slivers and left out. */
export interface SliverParams {
  readonly min_sqm: number;
  readonly min_share: number;
}

/** Pieces of a theme as features that can be searched by parcel. */
export interface PlanningTheme<P> {
  /** One piece of each feature, by feature number. */
  readonly features: readonly P[];
  /** Feature number of each piece. */
  readonly numberOf: Int32Array;
  readonly search: OverlapSearch;
}

/** Prepares the pieces of zones or overlays for searching. */
export function planningTheme<P extends { cell: number; geom: Uint8Array }>(
  pieces: readonly P[],
  idOf: (piece: P) => string,
): PlanningTheme<P> {
  const { features, numberOf } = numberFeatures(pieces, idOf);
  const shapes: { feature: number; cell: number; geometry: MultiPolygon }[] = [];
  for (let i = 0; i < pieces.length; i++) {
    const { cell, geom } = pieces[i]!;
    shapes.push({ feature: numberOf[i]!, cell, geometry: decodeWkb(geom) });
  }
  return { features, numberOf, search: new OverlapSearch(shapes) };
}

/**
 * Features that cover more than a sliver of each parcel, computed on first request. The last requested parcel's entries start at `from`.
 */
export class ParcelOverlaps {
  from = 0;
  /** Feature number of each entry; entries of a parcel are in the order of feature ids. */
  readonly feature: number[] = [];
  /** Area of the parcel that the feature covers, square metres. */
  readonly overlap_sqm: number[] = [];
  /** Covered area as a fraction of the parcel. */
  readonly share: number[] = [];
  readonly #parcels: readonly KeyedOverlapParcel[];
  readonly #numberOf = new Map<string, number>();
  /** The last requested parcel and its number; -1: unknown parcel. */
  #last = '';
  #number = -1;
  readonly #search: OverlapSearch;
  readonly #params: SliverParams;
  /** First entry and number of entries of each parcel; -1: not requested yet. */
  readonly #from: Int32Array;
  readonly #count: Int32Array;

  constructor(parcels: readonly KeyedOverlapParcel[], search: OverlapSearch, params: SliverParams) {
    this.#parcels = parcels;
    this.#search = search;
    this.#params = params;
    this.#from = new Int32Array(parcels.length);
    this.#count = new Int32Array(parcels.length).fill(-1);
    for (let i = 0; i < parcels.length; i++) this.#numberOf.set(parcels[i]!.parcel_id, i);
  }

  /** Looks up a parcel and returns its number of entries; 0 for an unknown parcel. */
  find(parcel_id: string): number {
    // Consecutive addresses are often on the same parcel.
    if (parcel_id !== this.#last) {
      this.#last = parcel_id;
      this.#number = this.#numberOf.get(parcel_id) ?? -1;
    }
    const number = this.#number;
    if (number < 0) return 0;
    if (this.#count[number]! < 0) this.#measure(number);
    this.from = this.#from[number]!;
    return this.#count[number]!;
  }

  #measure(number: number): void {
    const search = this.#search;
    const { min_sqm, min_share } = this.#params;
    const overlaps = search.find(this.#parcels[number]!);
    this.#from[number] = this.feature.length;
    for (let k = 0; k < overlaps; k++) {
      const overlap_sqm = search.overlap_sqm[k]!;
      const share = search.share[k]!;
      if (overlap_sqm < min_sqm || share < min_share) continue;
      this.feature.push(search.feature[k]!);
      this.overlap_sqm.push(overlap_sqm);
      this.share.push(share);
    }
    this.#count[number] = this.feature.length - this.#from[number]!;
  }
}
