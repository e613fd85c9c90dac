import type pg from 'pg';
import { type Bbox, cellsOfBbox } from '../../schema/grid.ts';
import { type MapShape, pieceShape, saying } from '../../transforms/geo/map_shape.ts';

/** Zones and overlays are published as what they say of a property. Their shapes are those of the records that are loaded now. */
const PLANNING = {
  zone: `SELECT zone_id, code, name, category, cell, geom FROM record.zone_piece WHERE cell = ANY ($1) ORDER BY zone_id, cell`,
  overlay: `SELECT overlay_id, layer, code, value, cell, geom FROM record.overlay_piece WHERE cell = ANY ($1) ORDER BY overlay_id, cell`,
} as const;
export type PlanningLayer = keyof typeof PLANNING;

interface Piece {
  cell: number;
  geom: Buffer;
}

/** The zones or overlays of the cells that a box touches. */
export async function planningShapes(
  client: pg.ClientBase,
  layer: PlanningLayer,
  box: Bbox,
): Promise<MapShape[]> {
  const { rows } = await client.query<Piece>(PLANNING[layer], [cellsOfBbox(box)]);
  return rows
    .map(({ geom, cell, ...says }) => pieceShape(geom, cell, saying(says)))
    .filter((shape) => shape !== null);
}
