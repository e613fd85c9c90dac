import { addressRegionAsset } from '../../schema/assets/property.ts';
import { addressRecord } from '../../schema/records/address.ts';
import { meshBlockAllocationRecord } from '../../schema/records/allocation.ts';
import { regionPieceRecord, regionRecord } from '../../schema/records/region.ts';
import type { Row } from '../../schema/table.ts';
import { hasParcelPosition } from '../../transforms/address/geocode.ts';
import { isUnit } from '../../transforms/land_area.ts';
import { CHAIN_FIELDS } from '../../transforms/locate.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';
import { AddressLocator } from './address_locator.ts';
import { isServed, servedDrop } from './served.ts';

const ATTRIBUTES = ['edition', 'year', 'level', 'code', 'name', ...CHAIN_FIELDS] as const;

const ADDRESS_COLUMNS = [
  'cell',
  'gnaf_pid',
  'state',
  'postcode',
  'is_live',
  'alias_principal',
  'lot_plan',
  'flat_type',
  'flat_number',
  'primary_secondary',
  'geocode_type',
  'geocode_level',
  'lon',
  'lat',
  'mesh_block',
  'mesh_block_year',
] as const;

type Address = Pick<Row<typeof addressRecord>, (typeof ADDRESS_COLUMNS)[number]>;

/** Makes the rows of a cell, one call for each address. */
class RegionRows {
  out = 0;
  readonly drops: Record<string, number> = {};
  readonly #locator: AddressLocator;
  readonly #cell: number;
  readonly #emit: (row: Row<typeof addressRegionAsset>) => void;

  constructor(locator: AddressLocator, cell: number, emit: (row: Row<typeof addressRegionAsset>) => void) {
    this.#locator = locator;
    this.#cell = cell;
    this.#emit = emit;
  }

  add(row: Address): void {
    if (!isServed(row)) {
      const name = servedDrop(row);
      this.drops[name] = (this.drops[name] ?? 0) + 1;
      return;
    }
    this.out++;
    const found = this.#locator.locate(row);
    const emit = this.#emit;
    emit({
      cell: this.#cell,
      gnaf_pid: row.gnaf_pid,
      state: row.state,
      postcode: row.postcode,
      lon: row.lon,
      lat: row.lat,
      is_parcel_position: hasParcelPosition(row),
      lot_plan: row.lot_plan,
      is_unit: isUnit(row),
      mesh_block: found.mesh_block ?? row.mesh_block,
      sa1: found.sa1,
      sa2: found.sa2,
      sa2_name: found.sa2_name,
      sa3: found.sa3,
      sa3_name: found.sa3_name,
      sa4: found.sa4,
      sa4_name: found.sa4_name,
      gccsa: found.gccsa,
      gccsa_name: found.gccsa_name,
      sal: found.sal,
      sal_name: found.sal_name,
      lga: found.lga,
      lga_name: found.lga_name,
      poa: found.poa,
      edition: found.edition,
      method: found.method,
      agrees: found.agrees,
    });
  }
}

export const addressRegionStage = stage({
  name: 'address_region',
  version: 2,
  doc: 'The ABS regions of each live principal address: by its mesh block, else by its point, and whether both agree; what most stages need of the address.',
  subject: 'address',
  inputs: {
    address: input(addressRecord, ADDRESS_COLUMNS),
    piece: input(regionPieceRecord, ['cell', ...ATTRIBUTES, 'geom']),
    mesh_block: input(
      regionRecord,
      ATTRIBUTES,
      { kind: 'keys', column: 'code', of: (address: { mesh_block: string | null }) => address.mesh_block },
      { level: 'MB' },
    ),
    allocation: input(meshBlockAllocationRecord, ['edition', 'mesh_block', 'level', 'year', 'code', 'name'], {
      kind: 'keys',
      column: 'mesh_block',
      of: (address: { mesh_block: string | null }) => address.mesh_block,
    }),
  },
  output: addressRegionAsset,
  compute({ address, piece, mesh_block, allocation }, { cell, emit }) {
    const rows = new RegionRows(new AddressLocator(piece, mesh_block, allocation), cell, emit);
    address.forEach(rows.add, rows);
    return { account: { in: address.length, out: rows.out, drops: rows.drops } };
  },
});
