import { mkdir, rm } from 'node:fs/promises';
import { type Bbox, unionBox } from '../../../schema/grid.ts';
import type { Table, UntypedRow } from '../../../schema/table.ts';
import {
  type MapShape,
  pieceShape,
  type Says,
  withoutNulls,
  wkbShape,
} from '../../../transforms/geo/map_shape.ts';
import { wkbOf } from '../exported_geometry.ts';
import type { RowFile } from '../row_file.ts';
import { Archive } from './archive.ts';
import { pyramid } from './pyramid.ts';
import { ShapeSpool } from './spool.ts';
import { TILED_TABLES } from './tiled_tables.ts';

/** Tables whose rows are pieces of features, clipped with a margin beyond their cells. */
const PIECES: ReadonlySet<string> = new Set(['hazard', 'place']);

/** Returns the shape of a row as drawn on a map; null: no location. */
function shapeOf(table: string, row: UntypedRow, says: Says): MapShape | null {
  const wkb = wkbOf(row);
  if (wkb === null) return null;
  const isPiece = PIECES.has(table) && row.geom != null;
  return isPiece ? pieceShape(wkb, row.cell as number, says) : wkbShape(wkb, says);
}

/** Returns an attribute's type as TileJSON names it. */
const fieldType = (type: string): string =>
  type === 'bool' ? 'Boolean' : /^(int|float)/.test(type) ? 'Number' : 'String';

/**
 * Writes a table as vector tiles in a PMTiles archive with one layer, named like the table. `table`: its declaration. `source`: its rows or
 * their changes. `about`: further metadata.
 */
export async function tileFile(
  path: string,
  table: Table,
  source: Table,
  about: Readonly<Record<string, string>>,
): Promise<RowFile> {
  const tiled = TILED_TABLES[table.name];
  if (tiled === undefined) throw new Error(`${table.name} has no tiles`);
  const { min_zoom, max_zoom, from } = tiled;
  const isChange = 'change' in source.columns && !('change' in table.columns);
  const names = [...new Set([...(isChange ? ['change'] : []), ...table.primaryKey, ...tiled.says])];
  const folder = `${path}.tiles`;
  await mkdir(folder);
  const spool = new ShapeSpool(`${folder}/rows`);
  let box: Bbox | null = null;
  return {
    async add(rows) {
      for (const row of rows) {
        const says = withoutNulls(Object.fromEntries(names.map((name) => [name, row[name]])) as Says);
        const shape = shapeOf(table.name, row, says);
        if (shape === null) continue;
        box = box === null ? shape.box : unionBox([box, shape.box]);
        spool.add({ ...shape, from: from?.(row) ?? 0 });
      }
    },
    async end() {
      const archive = new Archive(path, folder);
      const leftOut: Record<string, number> = {};
      for await (const tile of pyramid(spool, { layer: table.name, min_zoom, max_zoom, folder })) {
        archive.add(tile);
        leftOut[tile.z] = (leftOut[tile.z] ?? 0) + tile.left_out;
      }
      const fields = Object.fromEntries(names.map((name) => [name, fieldType(source.columns[name]!.type)]));
      const layer = { id: table.name, description: table.doc, minzoom: min_zoom, maxzoom: max_zoom, fields };
      const metadata = { ...about, type: 'overlay', left_out: leftOut, vector_layers: [layer] };
      await archive.end({ min_zoom, max_zoom, box, metadata });
      await rm(folder, { recursive: true });
    },
  };
}
