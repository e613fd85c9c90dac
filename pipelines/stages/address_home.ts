import { addressHomeAsset } from '../../schema/assets/property.ts';
import { cellOf, NO_CELL } from '../../schema/grid.ts';
import { addressRecord, localityRecord } from '../../schema/records/address.ts';
import { meshBlockAllocationRecord } from '../../schema/records/allocation.ts';
import { parcelRecord } from '../../schema/records/parcel.ts';
import { regionPieceRecord, regionRecord } from '../../schema/records/region.ts';
import type { Row } from '../../schema/table.ts';
import { hasParcelPosition } from '../../transforms/address/geocode.ts';
import { impliedDwellingType } from '../../transforms/property/dwelling_type.ts';
import { isUnit } from '../../transforms/property/land_area.ts';
import { CHAIN_FIELDS } from '../../transforms/regions/locate.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';
import { AddressLocator } from './homes/address_locator.ts';
import { type FoundParcel, PARCEL_COLUMNS, ParcelFinder } from './homes/parcel_finder.ts';
import { isServed, servedDrop } from './homes/served.ts';

const ATTRIBUTES = ['edition', 'year', 'level', 'code', 'name', ...CHAIN_FIELDS] as const;

const ADDRESS_COLUMNS = [
  'cell',
  'gnaf_pid',
  'state',
  'label',
  'building_name',
  'flat_type',
  'flat_number',
  'level_number',
  'number_first',
  'number_last',
  'lot_number',
  'street_name',
  'street_type',
  'street_suffix',
  'locality_name',
  'confidence',
  'street_pid',
  'locality_pid',
  'postcode',
  'lot_plan',
  'alias_principal',
  'primary_secondary',
  'is_live',
  'geocode_type',
  'geocode_level',
  'lon',
  'lat',
  'mesh_block',
  'mesh_block_year',
] as const;

type Address = Pick<Row<typeof addressRecord>, (typeof ADDRESS_COLUMNS)[number]>;
type Locality = Pick<Row<typeof localityRecord>, 'locality_pid' | 'lon' | 'lat'>;

/** Cells of the points of localities, by their id. */
const cellsOf = (localities: readonly Locality[]): Map<string, number> =>
  new Map(
    localities.map(({ locality_pid, lon, lat }) => [
      locality_pid,
      lon === null ? NO_CELL : cellOf(lon, lat!),
    ]),
  );

/** Name, type and suffix of the street of an address; null: it has none. */
function streetOf({
  street_name,
  street_type,
  street_suffix,
}: Pick<Address, 'street_name' | 'street_type' | 'street_suffix'>): string | null {
  if (street_name === null) return null;
  const typed = street_type === null ? street_name : `${street_name} ${street_type}`;
  return street_suffix === null ? typed : `${typed} ${street_suffix}`;
}

/** Makes the rows of a cell. */
class HomeRows {
  out = 0;
  readonly drops: Record<string, number> = {};
  readonly #locator: AddressLocator;
  readonly #parcels: ParcelFinder;
  readonly #localities: ReadonlyMap<string, number>;
  readonly #cell: number;
  readonly #emit: (row: Row<typeof addressHomeAsset>) => void;

  constructor(
    locator: AddressLocator,
    parcels: ParcelFinder,
    localities: ReadonlyMap<string, number>,
    cell: number,
    emit: (row: Row<typeof addressHomeAsset>) => void,
  ) {
    this.#locator = locator;
    this.#parcels = parcels;
    this.#localities = localities;
    this.#cell = cell;
    this.#emit = emit;
  }

  /** All addresses of the cell: a parcel that one of them is on is not the nearest of another number. */
  addAll(rows: readonly Address[]): void {
    const served: Address[] = [];
    for (const row of rows) {
      if (isServed(row)) served.push(row);
      else {
        const name = servedDrop(row);
        this.drops[name] = (this.drops[name] ?? 0) + 1;
      }
    }
    const parcels = this.#parcels.find(served);
    for (let i = 0; i < served.length; i++) this.#add(served[i]!, parcels[i]!);
  }

  #add(row: Address, { parcel, method, distance_m, coincides }: FoundParcel): void {
    this.out++;
    const found = this.#locator.locate(row);
    const { lon, lat } = row;
    const point = this.#cell === NO_CELL ? (this.#localities.get(row.locality_pid) ?? NO_CELL) : this.#cell;
    const emit = this.#emit;
    emit({
      cell: this.#cell,
      home: parcel === null ? point : parcel.cell,
      gnaf_pid: row.gnaf_pid,
      state: row.state,
      sa2: found.sa2,
      sa3: found.sa3,
      sal_name: found.sal_name,
      lon,
      lat,
      is_parcel_position: hasParcelPosition(row),
      parcel_id: parcel === null ? null : parcel.parcel_id,
      parcel_area_sqm: parcel === null ? null : parcel.area_sqm,
      parcel_coincides: coincides,
      parcel_method: method,
      parcel_distance_m: distance_m === null ? null : Math.round(distance_m * 100) / 100,
      is_unit: isUnit(row),
      min_lon: parcel === null ? lon : lon === null ? parcel.min_lon : Math.min(lon, parcel.min_lon),
      min_lat: parcel === null ? lat : lat === null ? parcel.min_lat : Math.min(lat, parcel.min_lat),
      max_lon: parcel === null ? lon : lon === null ? parcel.max_lon : Math.max(lon, parcel.max_lon),
      max_lat: parcel === null ? lat : lat === null ? parcel.max_lat : Math.max(lat, parcel.max_lat),
      postcode: row.postcode,
      mesh_block: found.mesh_block ?? row.mesh_block,
      sa1: found.sa1,
      sa2_name: found.sa2_name,
      sa3_name: found.sa3_name,
      sa4: found.sa4,
      sa4_name: found.sa4_name,
      gccsa: found.gccsa,
      gccsa_name: found.gccsa_name,
      sal: found.sal,
      lga: found.lga,
      lga_name: found.lga_name,
      poa: found.poa,
      edition: found.edition,
      method: found.method,
      agrees: found.agrees,
      label: row.label,
      building_name: row.building_name,
      flat_type: row.flat_type,
      flat_number: row.flat_number,
      level_number: row.level_number,
      number_first: row.number_first,
      number_last: row.number_last,
      lot_number: row.lot_number,
      street: streetOf(row),
      locality: row.locality_name,
      geocode_type: row.geocode_type,
      confidence: row.confidence,
      primary_secondary: row.primary_secondary,
      ...impliedDwellingType(row),
    });
  }
}

/** Each address with its parcel and its home; how far a legal parcel id leads decides how far the stage looks, so it is part of the declaration. */
export const addressHomeStage = (legal_id_radius_m: number) =>
  stage({
    name: 'address_home',
    version: 4,
    doc: 'Each live principal address: its parcel by legal parcel id, else by point in parcel, else the nearest parcel without an address of another number; its ABS regions by mesh block, else by point, and whether both agree; its home; and its fields from the address file.',
    subject: 'address',
    inputs: {
      address: input(addressRecord, ADDRESS_COLUMNS),
      parcel: input(parcelRecord, PARCEL_COLUMNS, { kind: 'near', halo_m: legal_id_radius_m }),
      parcel_anywhere: input(parcelRecord, PARCEL_COLUMNS, {
        kind: 'keys',
        column: 'lot_plan',
        of: (address: { lot_plan: string | null }) => address.lot_plan,
        nowhere: true,
      }),
      locality: input(localityRecord, ['locality_pid', 'lon', 'lat'], {
        kind: 'keys',
        column: 'locality_pid',
        of: (address: { locality_pid: string }) => address.locality_pid,
        nowhere: true,
      }),
      piece: input(regionPieceRecord, ['cell', ...ATTRIBUTES, 'geom']),
      mesh_block: input(
        regionRecord,
        ATTRIBUTES,
        { kind: 'keys', column: 'code', of: (address: { mesh_block: string | null }) => address.mesh_block },
        { level: 'MB' },
      ),
      allocation: input(
        meshBlockAllocationRecord,
        ['edition', 'mesh_block', 'level', 'year', 'code', 'name'],
        {
          kind: 'keys',
          column: 'mesh_block',
          of: (address: { mesh_block: string | null }) => address.mesh_block,
        },
      ),
    },
    output: addressHomeAsset,
    params: (config) => config.parcel,
    compute(
      { address, parcel, parcel_anywhere, locality, piece, mesh_block, allocation },
      { cell, params, emit },
    ) {
      const rows = new HomeRows(
        new AddressLocator(piece, mesh_block, allocation),
        new ParcelFinder(cell === NO_CELL ? parcel_anywhere : parcel, params),
        cellsOf(locality),
        cell,
        emit,
      );
      rows.addAll(address);
      return { account: { in: address.length, out: rows.out, drops: rows.drops } };
    },
  });
