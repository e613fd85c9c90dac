import { addressParcelAsset } from '../../schema/assets/property.ts';
import { type Bbox, cellsOfBbox, expandBbox, NO_CELL } from '../../schema/grid.ts';
import { parcelRecord } from '../../schema/records/parcel.ts';
import type { Row } from '../../schema/table.ts';
import type { MultiPolygon } from '../../transforms/geo/geometry.ts';
import { decodeWkb } from '../../transforms/geo/wkb.ts';
import {
  buildParcelIndex,
  type CandidateParcel,
  type ParcelIndex,
  type ParcelOfAddressParams,
  parcelOfAddress,
} from '../../transforms/parcel_of_address.ts';
import { type InputRows, input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';
import { locatedAddresses } from './placed_addresses.ts';

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

const PARCEL_COLUMNS = [
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

/** Makes the rows of a cell, one call for each address. */
class ParcelRows {
  /** Addresses without coordinates may be on the same parcels. */
  readonly refs = new Set<number>([NO_CELL]);
  readonly #parcels: readonly Parcel[];
  readonly #index: ParcelIndex;
  readonly #params: ParcelOfAddressParams;
  readonly #cell: number;
  readonly #emit: (row: Row<typeof addressParcelAsset>) => void;
  /** 1: the cells around the parcel are among the refs. */
  readonly #isReferred: Uint8Array;
  #minLon = Number.POSITIVE_INFINITY;
  #minLat = Number.POSITIVE_INFINITY;
  #maxLon = Number.NEGATIVE_INFINITY;
  #maxLat = Number.NEGATIVE_INFINITY;

  constructor(
    parcels: readonly Parcel[],
    index: ParcelIndex,
    params: ParcelOfAddressParams,
    cell: number,
    emit: (row: Row<typeof addressParcelAsset>) => void,
  ) {
    this.#parcels = parcels;
    this.#index = index;
    this.#params = params;
    this.#cell = cell;
    this.#emit = emit;
    this.#isReferred = new Uint8Array(parcels.length);
  }

  /** Box around the positions and the parcels of the addresses; null: there are none, or addresses without coordinates are all over the country. */
  get extent(): Bbox | null {
    if (this.#cell === NO_CELL || this.#minLon > this.#maxLon) return null;
    return [this.#minLon, this.#minLat, this.#maxLon, this.#maxLat];
  }

  add(row: InputRows<typeof locatedAddresses>[number]): void {
    const place = {
      lon: row.lon,
      lat: row.lat,
      lot_plan: row.lot_plan,
      hasParcelPosition: row.is_parcel_position,
    };
    const found = parcelOfAddress(this.#index, place, this.#params);
    const hit = found.parcel < 0 ? null : this.#parcels[found.parcel]!;
    if (hit) this.#refer(found.parcel, hit);
    if (row.is_parcel_position && row.lon !== null) this.#reach(row.lon, row.lat!, row.lon, row.lat!);
    const emit = this.#emit;
    emit({
      cell: this.#cell,
      gnaf_pid: row.gnaf_pid,
      state: row.state,
      sa2: row.sa2,
      sa3: row.sa3,
      sal_name: row.sal_name,
      lon: row.is_parcel_position ? row.lon : null,
      lat: row.is_parcel_position ? row.lat : null,
      parcel_id: hit?.parcel_id ?? null,
      parcel_cell: hit && hit.cell !== this.#cell ? hit.cell : null,
      parcel_area_sqm: hit?.area_sqm ?? null,
      method: found.method,
      distance_m: found.distance_m === null ? null : Math.round(found.distance_m * 100) / 100,
      is_unit: row.is_unit,
    });
  }

  #reach(min_lon: number, min_lat: number, max_lon: number, max_lat: number): void {
    if (min_lon < this.#minLon) this.#minLon = min_lon;
    if (min_lat < this.#minLat) this.#minLat = min_lat;
    if (max_lon > this.#maxLon) this.#maxLon = max_lon;
    if (max_lat > this.#maxLat) this.#maxLat = max_lat;
  }

  #refer(parcel: number, { min_lon, min_lat, max_lon, max_lat }: Parcel): void {
    if (this.#isReferred[parcel] === 1) return;
    this.#isReferred[parcel] = 1;
    this.#reach(min_lon, min_lat, max_lon, max_lat);
    const around = expandBbox([min_lon, min_lat, max_lon, max_lat], this.#params.legal_id_radius_m);
    for (const cell of cellsOfBbox(around)) this.refs.add(cell);
  }
}

export const addressParcelStage = (legal_id_radius_m: number) =>
  stage({
    name: 'address_parcel',
    version: 2,
    doc: 'The parcel of each live principal address: by legal parcel id, else point in parcel, else the nearest one.',
    subject: 'address',
    inputs: {
      address: locatedAddresses,
      parcel: input(parcelRecord, PARCEL_COLUMNS, {
        kind: 'near',
        halo_m: legal_id_radius_m,
        unplaced: { column: 'lot_plan', of: (address: { lot_plan: string | null }) => address.lot_plan },
      }),
    },
    output: addressParcelAsset,
    params: (config) => config.parcel,
    compute({ address, parcel }, { cell, params, emit }) {
      const boxes = new Float64Array(parcel.length * 4);
      const candidates: Candidate[] = [];
      for (let i = 0; i < parcel.length; i++) {
        const row = parcel[i]!;
        boxes[i * 4] = row.min_lon;
        boxes[i * 4 + 1] = row.min_lat;
        boxes[i * 4 + 2] = row.max_lon;
        boxes[i * 4 + 3] = row.max_lat;
        candidates.push(new Candidate(row));
      }
      const rows = new ParcelRows(parcel, buildParcelIndex(candidates, boxes), params, cell, emit);
      address.forEach(rows.add, rows);
      return {
        account: { in: address.length, out: address.length, drops: {} },
        refs: [...rows.refs],
        extent: rows.extent,
      };
    },
  });
