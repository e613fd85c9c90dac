import type pg from 'pg';
import { type MapShape, pieceShape, saying } from '../../contract/map/shape.ts';

/** Zones and overlays are published as what they say of a property. Their shapes are those of the records that are loaded now. */
const PLANNING = {
  zone: `SELECT zone_id, code, name, category, geom FROM record.zone_piece WHERE cell = $1 ORDER BY zone_id`,
  overlay: `SELECT overlay_id, layer, code, value, geom FROM record.overlay_piece WHERE cell = $1 ORDER BY overlay_id`,
} as const;
export type PlanningLayer = keyof typeof PLANNING;

type Piece = Record<string, string | null> & { geom: Buffer };

/** The zones or overlays of a grid cell. */
export async function planningShapes(
  client: pg.ClientBase,
  layer: PlanningLayer,
  cell: number,
): Promise<MapShape[]> {
  const { rows } = await client.query(PLANNING[layer], [cell]);
  return (rows as Piece[])
    .map(({ geom, ...says }) => pieceShape(geom, cell, saying(says as Record<string, string | null>)))
    .filter((shape) => shape !== null);
}
