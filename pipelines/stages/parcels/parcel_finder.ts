import type { addressRecord } from '../../../schema/records/address.ts';
import type { parcelRecord } from '../../../schema/records/parcel.ts';
import type { Row } from '../../../schema/table.ts';
import { hasParcelPosition } from '../../../transforms/address/geocode.ts';
import type { MultiPolygon } from '../../../transforms/geo/geometry.ts';
import { decodeWkb } from '../../../transforms/geo/wkb.ts';
import {
  buildParcelIndex,
  type CandidateParcel,
  type ParcelIndex,
  type ParcelOfAddress,
  type ParcelOfAddressParams,
  parcelOfAddress,
} from '../../../transforms/property/parcel_of_address.ts';

/** Columns of candidate parcels of an address. */
export const PARCEL_COLUMNS = [
  'cell',
  'parcel_id',
  'lot_plan',
  'area_sqm',
  'min_lon',
  'min_lat',
  'max_lon',
  'max_lat',
  'geom',
] as const;

type ParcelCandidateRow = Pick<Row<typeof parcelRecord>, (typeof PARCEL_COLUMNS)[number]>;

/** Parcel whose shape is decoded only when an address comes near it; half of the parcels around a cell never need it. */
class LazyCandidateParcel implements CandidateParcel {
  readonly parcel_id: string;
  readonly lot_plan: string | null;
  readonly area_sqm: number;
  readonly #geom: Uint8Array;
  #geometry: MultiPolygon | null = null;

  constructor({
    parcel_id,
    lot_plan,
    area_sqm,
    geom,
  }: Omit<CandidateParcel, 'geometry'> & { geom: Uint8Array }) {
    this.parcel_id = parcel_id;
    this.lot_plan = lot_plan;
    this.area_sqm = area_sqm;
    this.#geom = geom;
  }

  get geometry(): MultiPolygon {
    this.#geometry ??= decodeWkb(this.#geom);
    return this.#geometry;
  }
}

/** What finding its parcel needs of an address. */
type ParcelSearchAddress = Pick<Row<typeof addressRecord>, 'lon' | 'lat' | 'lot_plan'> &
  Parameters<typeof hasParcelPosition>[0];

/** An address's parcel, how it was found, and the distance of the point from it. */
export interface FoundParcel {
  /** Null: none found. */
  parcel: ParcelCandidateRow | null;
  method: ParcelOfAddress['method'];
  /** Metres, 0 inside; null: no parcel or no point. */
  distance_m: number | null;
  /** Parcels that contain a point on the property, smallest first, one for each shape; null: none. */
  holder_ids: string[] | null;
}

/** Finds the parcels of addresses among the parcels around them. */
export class ParcelFinder {
  readonly #parcels: readonly ParcelCandidateRow[];
  readonly #index: ParcelIndex;
  readonly #params: ParcelOfAddressParams;

  constructor(parcels: readonly ParcelCandidateRow[], params: ParcelOfAddressParams) {
    const boxes = new Float64Array(parcels.length * 4);
    const candidates: LazyCandidateParcel[] = [];
    for (let i = 0; i < parcels.length; i++) {
      const row = parcels[i]!;
      boxes[i * 4] = row.min_lon;
      boxes[i * 4 + 1] = row.min_lat;
      boxes[i * 4 + 2] = row.max_lon;
      boxes[i * 4 + 3] = row.max_lat;
      candidates.push(new LazyCandidateParcel(row));
    }
    this.#parcels = parcels;
    this.#index = buildParcelIndex(candidates, boxes);
    this.#params = params;
  }

  find(address: ParcelSearchAddress): FoundParcel {
    const { lon, lat, lot_plan } = address;
    const addressPoint = { lon, lat, lot_plan, hasParcelPosition: hasParcelPosition(address) };
    const { parcel, method, distance_m, holders } = parcelOfAddress(this.#index, addressPoint, this.#params);
    return {
      parcel: parcel < 0 ? null : this.#parcels[parcel]!,
      method,
      distance_m,
      holder_ids: holders.length === 0 ? null : holders.map((i) => this.#parcels[i]!.parcel_id),
    };
  }
}
