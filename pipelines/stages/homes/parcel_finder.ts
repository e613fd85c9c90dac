import type { addressRecord } from '../../../schema/records/address.ts';
import type { parcelRecord } from '../../../schema/records/parcel.ts';
import type { Row } from '../../../schema/table.ts';
import { hasParcelPosition } from '../../../transforms/address/geocode.ts';
import type { MultiPolygon } from '../../../transforms/geo/geometry.ts';
import { decodeWkb } from '../../../transforms/geo/wkb.ts';
import { CoincidentParcels } from '../../../transforms/property/coincident.ts';
import {
  buildParcelIndex,
  type CandidateParcel,
  type ParcelIndex,
  type ParcelOfAddress,
  type ParcelOfAddressParams,
  parcelsOfAddresses,
} from '../../../transforms/property/parcel_of_address.ts';

/** Columns of the parcels that an address may be on. */
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

type Parcel = Pick<Row<typeof parcelRecord>, (typeof PARCEL_COLUMNS)[number]>;

/** A parcel whose shape is read when an address comes near it: half of those around a cell never are. */
class Candidate implements CandidateParcel {
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

/** What is known of an address for finding its parcel. */
type Placed = Pick<Row<typeof addressRecord>, 'lon' | 'lat' | 'lot_plan' | 'street_pid' | 'number_first'> &
  Parameters<typeof hasParcelPosition>[0];

/** The parcel that an address is on, how it was found, and how far the point is from it. */
export interface FoundParcel {
  /** Null: there is none. */
  parcel: Parcel | null;
  method: ParcelOfAddress['method'];
  /** Metres, 0 inside; null: no parcel or no point. */
  distance_m: number | null;
  /** Another parcel has the same ground. */
  coincides: boolean;
}

/** Finds the parcels of addresses among those around them. */
export class ParcelFinder {
  readonly #parcels: readonly Parcel[];
  readonly #index: ParcelIndex;
  readonly #coincident: CoincidentParcels;
  readonly #params: ParcelOfAddressParams;

  constructor(parcels: readonly Parcel[], params: ParcelOfAddressParams) {
    const boxes = new Float64Array(parcels.length * 4);
    const candidates: Candidate[] = [];
    for (let i = 0; i < parcels.length; i++) {
      const row = parcels[i]!;
      boxes[i * 4] = row.min_lon;
      boxes[i * 4 + 1] = row.min_lat;
      boxes[i * 4 + 2] = row.max_lon;
      boxes[i * 4 + 3] = row.max_lat;
      candidates.push(new Candidate(row));
    }
    this.#parcels = parcels;
    this.#index = buildParcelIndex(candidates, boxes);
    this.#coincident = new CoincidentParcels(parcels, (i) => candidates[i]!.geometry);
    this.#params = params;
  }

  /** The parcels of the addresses of a place, in their order. */
  find(addresses: readonly Placed[]): FoundParcel[] {
    const places = addresses.map((address) => {
      const { lon, lat, lot_plan, street_pid, number_first } = address;
      const site = number_first === null ? null : `${street_pid}|${number_first}`;
      return { lon, lat, lot_plan, site, hasParcelPosition: hasParcelPosition(address) };
    });
    return parcelsOfAddresses(this.#index, places, this.#params).map(({ parcel, method, distance_m }) =>
      parcel < 0
        ? { parcel: null, method, distance_m, coincides: false }
        : { parcel: this.#parcels[parcel]!, method, distance_m, coincides: this.#coincident.has(parcel) },
    );
  }
}
