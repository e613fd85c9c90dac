import { addressParcelAsset, addressRegionAsset } from '../../schema/assets.ts';
import { cellsOfBbox, expandBbox, NO_CELL } from '../../schema/grid.ts';
import { parcelRecord } from '../../schema/records/parcel.ts';
import type { MultiPolygon } from '../../transforms/geo/geometry.ts';
import { decodeWkb } from '../../transforms/geo/wkb.ts';
import {
  buildParcelIndex,
  type CandidateParcel,
  parcelOfAddress,
} from '../../transforms/parcel_of_address.ts';
import { input, stage } from '../engine/stage.ts';

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

export const addressParcelStage = (legal_id_radius_m: number) =>
  stage({
    name: 'address_parcel',
    version: 1,
    doc: 'The parcel of each live principal address: by legal parcel id, else point in parcel, else the nearest one.',
    subject: 'address',
    inputs: {
      address: input(addressRegionAsset, [
        'gnaf_pid',
        'state',
        'lot_plan',
        'is_unit',
        'is_parcel_position',
        'lon',
        'lat',
        'sa2',
        'sa3',
        'sal_name',
      ]),
      parcel: input(
        parcelRecord,
        ['cell', 'parcel_id', 'lot_plan', 'area_sqm', 'min_lon', 'min_lat', 'max_lon', 'max_lat', 'geom'],
        {
          kind: 'near',
          halo_m: legal_id_radius_m,
          unplaced: { column: 'lot_plan', of: (address: { lot_plan: string | null }) => address.lot_plan },
        },
      ),
    },
    output: addressParcelAsset,
    params: (config) => config.parcel,
    compute({ address, parcel }, { cell, params, emit }) {
      const boxes = new Float64Array(parcel.length * 4);
      parcel.forEach((row, i) => {
        boxes.set([row.min_lon, row.min_lat, row.max_lon, row.max_lat], i * 4);
      });
      const index = buildParcelIndex(
        parcel.map((row) => new Candidate(row)),
        boxes,
      );
      let out = 0;
      // Addresses without coordinates may be on the same parcels.
      const refs = new Set<number>([NO_CELL]);
      for (const row of address) {
        const found = parcelOfAddress(
          index,
          { lon: row.lon, lat: row.lat, lot_plan: row.lot_plan, hasParcelPosition: row.is_parcel_position },
          params,
        );
        const hit = found.parcel < 0 ? null : parcel[found.parcel]!;
        if (hit) {
          const box = [hit.min_lon, hit.min_lat, hit.max_lon, hit.max_lat] as const;
          for (const c of cellsOfBbox(expandBbox(box, params.legal_id_radius_m))) refs.add(c);
        }
        out++;
        emit({
          cell,
          gnaf_pid: row.gnaf_pid,
          state: row.state,
          sa2: row.sa2,
          sa3: row.sa3,
          sal_name: row.sal_name,
          lon: row.is_parcel_position ? row.lon : null,
          lat: row.is_parcel_position ? row.lat : null,
          parcel_id: hit?.parcel_id ?? null,
          parcel_cell: hit && hit.cell !== cell ? hit.cell : null,
          parcel_area_sqm: hit?.area_sqm ?? null,
          method: found.method,
          distance_m: found.distance_m === null ? null : Math.round(found.distance_m * 100) / 100,
          is_unit: row.is_unit,
        });
      }
      return { account: { in: address.length, out, drops: {} }, refs: [...refs] };
    },
  });
