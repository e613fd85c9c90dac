import type pg from 'pg';
import { addressRegionAsset } from '../../schema/assets/address.ts';
import { qualified } from '../../schema/ddl.ts';
import { NO_CELL } from '../../schema/grid.ts';
import { addressRecord } from '../../schema/records/address.ts';
import { meshBlockAllocationRecord } from '../../schema/records/allocation.ts';
import { regionRecord } from '../../schema/records/region.ts';
import { editionOfYear } from '../../transforms/regions/locate.ts';

/** Reads a column from one row of each active load. All rows of a load have the same edition. */
async function ofEachLoad(
  client: pg.ClientBase,
  table: Parameters<typeof qualified>[0],
  column: string,
  where: string,
): Promise<number[]> {
  const loads = await client.query<{ load_id: number }>(
    `SELECT DISTINCT d.load_id FROM control.load_digest d JOIN control.load l USING (load_id)
     WHERE l.state = 'active' AND d.table_name = $1 ORDER BY d.load_id`,
    [table.name],
  );
  const values = new Set<number>();
  for (const { load_id } of loads.rows) {
    const { rows } = await client.query<{ value: number }>(
      `SELECT ${column} AS value FROM ${qualified(table)} WHERE load_id = ${load_id} AND ${where} LIMIT 1`,
    );
    for (const { value } of rows) values.add(value);
  }
  return [...values].sort((a, b) => a - b);
}

/**
 * Returns a sentence for each year of mesh blocks that addresses name without a loaded boundary or allocation file of that ASGS edition.
 * Regions then come from the address point. None if no regions are loaded.
 */
export async function meshBlockNotes(client: pg.ClientBase): Promise<string[]> {
  const regions = await ofEachLoad(client, regionRecord, 'edition', 'true');
  const allocated = await ofEachLoad(client, meshBlockAllocationRecord, 'edition', "level = 'SA1'");
  if (regions.length + allocated.length === 0) return [];
  const shapes = await ofEachLoad(client, regionRecord, 'edition', "level = 'MB'");
  const years = await ofEachLoad(client, addressRecord, 'mesh_block_year', 'mesh_block_year IS NOT NULL');
  return years
    .filter((year) => ![...shapes, ...allocated].includes(editionOfYear(year)))
    .map((year) => {
      const edition = editionOfYear(year);
      return (
        `Addresses name mesh blocks of ${year}, but no boundaries or allocation file (with SA1) of that year are loaded. Their regions come ` +
        `from their point, edition ${[...new Set(regions)].join(', ') || 'none'}. To assign regions by mesh block, load ASGS edition ${edition}, or a G-NAF with the mesh blocks of the loaded edition.`
      );
    });
}

/**
 * Returns a sentence if homes without coordinates are missing from suburbs and LGAs: no boundaries or
 * allocation files of the ABS locate their mesh blocks.
 */
export async function unplacedNotes(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM ${qualified(addressRegionAsset)}
     WHERE cell = $1 AND mesh_block IS NOT NULL AND (sal IS NULL OR lga IS NULL)`,
    [NO_CELL],
  );
  if (rows[0]!.n === 0) return [];
  return [
    `Homes without coordinates that have a mesh block, but no suburb or LGA: ${rows[0]!.n}. They are missing from the figures of suburbs and LGAs. ` +
      'Load the boundaries of mesh blocks, suburbs and LGAs, or the allocation of mesh blocks to suburbs and LGAs (SAL_2021_AUST.xlsx and LGA_2021_AUST.xlsx of the ABS), in the dataset of the boundaries.',
  ];
}
