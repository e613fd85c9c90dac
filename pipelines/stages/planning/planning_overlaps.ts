import type { parcelRecord } from '../../../schema/records/parcel.ts';
import type { Row } from '../../../schema/table.ts';
import type { MultiPolygon } from '../../../transforms/geo/geometry.ts';
import { decodeWkb } from '../../../transforms/geo/wkb.ts';
import { type OverlapParcel, OverlapSearch } from '../../../transforms/layers/overlap.ts';
import { numberFeatures } from '../hazards/features.ts';

/** A parcel by its id. */
type KeyedOverlapParcel = OverlapParcel & Pick<Row<typeof parcelRecord>, 'parcel_id'>;

/** Overlaps smaller than this are slivers, and not told. */
export interface SliverParams {
  readonly min_sqm: number;
  readonly min_share: number;
}

/** The pieces of a theme that are there, as features that parcels can be asked for. */
export interface PlanningTheme<P> {
  /** One piece of each feature, by number. */
  readonly features: readonly P[];
  /** Number of the feature of each piece. */
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

/** What covers more than a sliver of each parcel, found out when it is first asked for: entries from `from` on of what was asked for last. */
export class ParcelOverlaps {
  from = 0;
  /** Number of the feature of each entry; those of a parcel are in the order of the ids of features. */
  readonly feature: number[] = [];
  /** Area of the parcel that it covers, square metres. */
  readonly overlap_sqm: number[] = [];
  /** The same as a fraction of the parcel. */
  readonly share: number[] = [];
  readonly #parcels: readonly KeyedOverlapParcel[];
  readonly #numberOf = new Map<string, number>();
  /** The parcel that was asked for last, and its number; -1: it is not known. */
  #last = '';
  #number = -1;
  readonly #search: OverlapSearch;
  readonly #params: SliverParams;
  /** First entry of each parcel and how many it has; -1: it was not asked for. */
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

  /** Looks a parcel up; returns the number of its entries, 0 for one that is not known. */
  find(parcel_id: string): number {
    // Addresses on one parcel often follow one another.
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
    const found = search.find(this.#parcels[number]!);
    this.#from[number] = this.feature.length;
    for (let k = 0; k < found; k++) {
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
