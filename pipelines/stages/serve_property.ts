import { addressParcelAsset } from '../../schema/assets/property.ts';
import { addressRecord } from '../../schema/records/address.ts';
import { propertyTable } from '../../schema/serving/property.ts';
import type { Row } from '../../schema/table.ts';
import { hasParcelPosition } from '../../transforms/address/geocode.ts';
import { impliedDwellingType } from '../../transforms/dwelling_type.ts';
import { landArea, type ParcelAddresses } from '../../transforms/land_area.ts';
import { type InputRows, input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';
import { byPid, type PidRows } from './by_key.ts';
import { placedAddresses } from './placed_addresses.ts';
import { isServed, servedDrop } from './served.ts';

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
  'postcode',
  'confidence',
  'alias_principal',
  'primary_secondary',
  'is_live',
  'geocode_type',
  'geocode_level',
  'lon',
  'lat',
] as const;

/** What the rows of a cell are made with, and how many there are. */
interface PropertyRows {
  readonly cell: number;
  readonly emit: (row: Row<typeof propertyTable>) => void;
  readonly parcels: PidRows<InputRows<typeof placedAddresses>[number]>;
  /** Units and other addresses on each parcel, of those of the cell and those elsewhere. */
  readonly onParcel: ReadonlyMap<string, ParcelAddresses>;
  out: number;
  readonly drops: Record<string, number>;
}

function countAddress(
  this: Map<string, ParcelAddresses>,
  { parcel_id, is_unit }: { parcel_id: string | null; is_unit: boolean },
): void {
  if (parcel_id === null) return;
  let on = this.get(parcel_id);
  if (on === undefined) {
    on = { units: 0, others: 0 };
    this.set(parcel_id, on);
  }
  if (is_unit) on.units++;
  else on.others++;
}

const NO_ADDRESSES: ParcelAddresses = { units: 0, others: 0 };

function street(name: string | null, type: string | null, suffix: string | null): string | null {
  if (name === null) return null;
  const typed = type === null ? name : `${name} ${type}`;
  return suffix === null ? typed : `${typed} ${suffix}`;
}

function add(
  this: PropertyRows,
  row: Pick<Row<typeof addressRecord>, (typeof ADDRESS_COLUMNS)[number]>,
): void {
  if (!isServed(row)) {
    const name = servedDrop(row);
    this.drops[name] = (this.drops[name] ?? 0) + 1;
    return;
  }
  this.out++;
  const link = this.parcels.get(row.gnaf_pid)!;
  const on = link.parcel_id === null ? null : this.onParcel.get(link.parcel_id)!;
  const land = landArea(link.is_unit, link.parcel_area_sqm, on ?? NO_ADDRESSES);
  this.emit({
    gnaf_pid: row.gnaf_pid,
    cell: this.cell,
    state: row.state,
    sa2: link.sa2,
    sa3: link.sa3,
    sal: link.sal_name,
    address: row.label,
    building_name: row.building_name,
    flat_type: row.flat_type,
    flat_number: row.flat_number,
    level_number: row.level_number,
    number_first: row.number_first,
    number_last: row.number_last,
    lot_number: row.lot_number,
    street: street(row.street_name, row.street_type, row.street_suffix),
    locality: row.locality_name,
    postcode: row.postcode,
    lon: row.lon,
    lat: row.lat,
    geocode_type: row.geocode_type,
    is_parcel_position: hasParcelPosition(row),
    confidence: row.confidence,
    primary_secondary: row.primary_secondary,
    dwelling_type: impliedDwellingType(row),
    parcel_id: link.parcel_id,
    parcel_method: link.method,
    parcel_distance_m: link.distance_m,
    parcel_addresses: on && on.units + on.others,
    land_area_sqm: land.land_area_sqm,
    land_area_reason: land.land_area_reason,
  });
}

export const servePropertyStage = stage({
  name: 'serve_property',
  version: 1,
  doc: 'Rows of serving.property: address, parcel and land area.',
  subject: 'address',
  inputs: {
    address: input(addressRecord, ADDRESS_COLUMNS),
    parcel: placedAddresses,
    sharing: input(addressParcelAsset, ['parcel_id', 'is_unit'], {
      kind: 'refs',
      within: { table: addressParcelAsset, column: 'parcel_id' },
      elsewhere: true,
    }),
  },
  output: propertyTable,
  compute({ address, parcel, sharing }, { cell, emit }) {
    const onParcel = new Map<string, ParcelAddresses>();
    parcel.forEach(countAddress, onParcel);
    sharing.forEach(countAddress, onParcel);
    const rows: PropertyRows = { cell, emit, parcels: byPid(parcel), onParcel, out: 0, drops: {} };
    address.forEach(add, rows);
    return { account: { in: address.length, out: rows.out, drops: rows.drops } };
  },
});
