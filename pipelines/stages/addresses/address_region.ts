import { addressRegionAsset } from '../../../schema/assets/address.ts';
import { NO_CELL } from '../../../schema/grid.ts';
import { groupBy } from '../../../schema/group_by.ts';
import { addressRecord } from '../../../schema/records/address.ts';
import { meshBlockAllocationRecord } from '../../../schema/records/allocation.ts';
import { regionPieceRecord, regionRecord } from '../../../schema/records/region.ts';
import { CHAIN_FIELDS } from '../../../transforms/regions/locate.ts';
import type { DeclaredReader } from '../../engine/declared_reader.ts';
import { input } from '../../engine/input.ts';
import { stage } from '../../engine/stage.ts';
import { AddressLocator } from './address_locator.ts';
import { type AreasByMeshBlock, addMeshBlockAreas, MESH_BLOCK_AREA_LEVELS } from './mesh_block_areas.ts';
import { isServed, notServed } from './served.ts';

const ATTRIBUTES = ['edition', 'year', 'level', 'code', 'name', ...CHAIN_FIELDS] as const;

type WithMeshBlock = { mesh_block: string | null };

const PIECE_COLUMNS = ['cell', ...ATTRIBUTES, 'geom'] as const;

const INPUTS = {
  address: input(addressRecord, [
    'gnaf_pid',
    'alias_principal',
    'is_live',
    'lon',
    'lat',
    'mesh_block',
    'mesh_block_year',
  ]),
  piece: input(regionPieceRecord, PIECE_COLUMNS),
  mesh_block: input(
    regionRecord,
    ATTRIBUTES,
    { kind: 'named', column: 'code', of: (address: WithMeshBlock) => address.mesh_block },
    { level: 'MB' },
  ),
  allocation: input(meshBlockAllocationRecord, ['edition', 'mesh_block', 'level', 'year', 'code', 'name'], {
    kind: 'named',
    column: 'mesh_block',
    of: (address: WithMeshBlock) => address.mesh_block,
  }),
  piece_anywhere: input(
    regionPieceRecord,
    PIECE_COLUMNS,
    { kind: 'resource' },
    { level: MESH_BLOCK_AREA_LEVELS },
  ),
};

/** Maximum cells of region pieces to read at a time. */
const CELLS_TOGETHER = 100;

async function readMeshBlockAreas(reader: DeclaredReader<typeof INPUTS>): Promise<AreasByMeshBlock> {
  const areas: AreasByMeshBlock = new Map();
  const cells = await reader.cells('piece_anywhere');
  for (let from = 0; from < cells.length; from += CELLS_TOGETHER) {
    const together = cells.slice(from, from + CELLS_TOGETHER);
    const byCell = groupBy(await reader.rows('piece_anywhere', { cell: together }), ({ cell }) => cell);
    for (const cell of together) addMeshBlockAreas(areas, byCell.get(cell) ?? []);
  }
  return areas;
}

export const addressRegionStage = stage({
  name: 'address_region',
  version: 2,
  doc: 'The ABS regions of each live principal address by mesh block, else by point, and whether both agree. Suburb, LGA and postal area are those of the point, or of the mesh block if there is no point.',
  subject: 'address',
  inputs: INPUTS,
  output: addressRegionAsset,
  resource: {
    // Only addresses without coordinates need the areas of their mesh blocks.
    keyOf: (cell) => (cell === NO_CELL ? 'mesh blocks' : ''),
    build: async (reader, key): Promise<AreasByMeshBlock> =>
      key === '' ? new Map() : readMeshBlockAreas(reader),
  },
  compute({ address, piece, mesh_block, allocation }, { cell, resource, emit }) {
    const locator = new AddressLocator(piece, mesh_block, allocation, resource);
    const served = address.filter(isServed);
    for (const row of served) {
      const regions = locator.locate(row);
      emit({
        cell,
        gnaf_pid: row.gnaf_pid,
        mesh_block: regions.mesh_block ?? row.mesh_block,
        sa1: regions.sa1,
        sa2: regions.sa2,
        sa2_name: regions.sa2_name,
        sa3: regions.sa3,
        sa3_name: regions.sa3_name,
        sa4: regions.sa4,
        sa4_name: regions.sa4_name,
        gccsa: regions.gccsa,
        gccsa_name: regions.gccsa_name,
        sal: regions.sal,
        sal_name: regions.sal_name,
        lga: regions.lga,
        lga_name: regions.lga_name,
        poa: regions.poa,
        edition: regions.edition,
        method: regions.method,
        agrees: regions.agrees,
      });
    }
    return { account: { in: address.length, out: served.length, drops: notServed(address, served) } };
  },
});
