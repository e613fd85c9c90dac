import { addressRegionAsset } from '../../schema/assets.ts';
import { addressRecord } from '../../schema/records/address.ts';
import { meshBlockAllocationRecord } from '../../schema/records/allocation.ts';
import { regionPieceRecord, regionRecord } from '../../schema/records/region.ts';
import { hasParcelPosition } from '../../transforms/address/geocode.ts';
import { isUnit } from '../../transforms/land_area.ts';
import {
  allocatedMeshBlock,
  CHAIN_FIELDS,
  editionOfYear,
  type LocatingRegion,
  type Location,
  locate,
} from '../../transforms/locate.ts';
import { buildPointLookup } from '../../transforms/point_lookup.ts';
import { input, stage } from '../engine/stage.ts';
import { groupBy } from './by_key.ts';
import { isServed, servedDrop } from './served.ts';

const ATTRIBUTES = ['edition', 'year', 'level', 'code', 'name', ...CHAIN_FIELDS] as const;

const NOWHERE: number[] = [];

export const addressRegionStage = stage({
  name: 'address_region',
  version: 2,
  doc: 'The ABS regions of each live principal address: by its mesh block, else by its point, and whether both agree; what most stages need of the address.',
  subject: 'address',
  inputs: {
    address: input(addressRecord, [
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
    ]),
    piece: input(regionPieceRecord, ['cell', ...ATTRIBUTES, 'geom']),
    mesh_block: input(
      regionRecord,
      ATTRIBUTES,
      { kind: 'keys', column: 'code', of: (address: { mesh_block: string | null }) => address.mesh_block },
      "level = 'MB'",
    ),
    allocation: input(meshBlockAllocationRecord, ['edition', 'mesh_block', 'level', 'year', 'code', 'name'], {
      kind: 'keys',
      column: 'mesh_block',
      of: (address: { mesh_block: string | null }) => address.mesh_block,
    }),
  },
  output: addressRegionAsset,
  compute({ address, piece, mesh_block, allocation }, { cell, emit }) {
    const allocations = groupBy(allocation, (row) => row.mesh_block);
    const lookup = buildPointLookup(piece.map((row) => row.geom));
    const meshBlocks = new Map<string, LocatingRegion>();
    for (const region of mesh_block) {
      const key = `${region.edition}:${region.code}`;
      const known = meshBlocks.get(key);
      if (!known || region.year > known.year) meshBlocks.set(key, region);
    }
    // Addresses of a mesh block that lie in the same regions are located alike; one that nothing tells of locates nothing.
    const located = new Map<string, Location>();
    const hasMeshBlocks = mesh_block.length + allocation.length > 0;
    let out = 0;
    const drops: Record<string, number> = {};
    for (const row of address) {
      if (!isServed(row)) {
        const name = servedDrop(row);
        drops[name] = (drops[name] ?? 0) + 1;
        continue;
      }
      const pieces = row.lon === null ? NOWHERE : lookup.all(row.lon, row.lat!);
      const of = hasMeshBlocks ? `${row.mesh_block}|${row.mesh_block_year}` : '';
      const key = pieces.length === 0 ? of : `${of}|${pieces.join()}`;
      let found = located.get(key);
      if (found === undefined) {
        const allocated = row.mesh_block === null ? [] : (allocations.get(row.mesh_block) ?? []);
        const edition = row.mesh_block === null ? 0 : editionOfYear(row.mesh_block_year!);
        const meshBlock =
          row.mesh_block === null
            ? null
            : (meshBlocks.get(`${edition}:${row.mesh_block}`) ??
              allocatedMeshBlock(row.mesh_block, edition, allocated));
        const atPoint = pieces.map((i) => piece[i]!);
        found = locate(meshBlock, atPoint, allocated);
        located.set(key, found);
      }
      out++;
      emit({
        cell,
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
    return { account: { in: address.length, out, drops } };
  },
});
