import type pg from 'pg';
import { type Bbox, cellsOfBbox } from '../../schema/grid.ts';
import { type MapShape, pieceShape, withoutNulls } from '../../transforms/geo/map_shape.ts';
import { overlayKind } from './overlay_kinds.ts';

/**
 * Queries for shapes of zones and overlays, from the loaded records: the serving tables have no shapes of them. Parks and water are zones,
 * plus the served green spaces.
 */
const PLANNING = {
  park_water: `SELECT category, cell, geom FROM (
    SELECT zone_id AS id, category, cell, geom FROM record.zone_piece WHERE cell = ANY ($1) AND category IN ('open_space', 'water')
    UNION ALL SELECT place_id, 'open_space', cell, geom FROM serving.place WHERE cell = ANY ($1) AND category = 'green_space' AND geom IS NOT NULL
    ) found ORDER BY id, cell`,
  zone: `SELECT zone_id, code, name, category, cell, geom FROM record.zone_piece WHERE cell = ANY ($1) ORDER BY zone_id, cell`,
  overlay: `SELECT overlay_id, layer, code, value, cell, geom FROM record.overlay_piece WHERE cell = ANY ($1) ORDER BY overlay_id, cell`,
} as const;
export type PlanningLayer = keyof typeof PLANNING;
export const isPlanning = (name: string): name is PlanningLayer => Object.hasOwn(PLANNING, name);

interface PlanningPieceRow {
  cell: number;
  geom: Buffer;
  /** What an overlay controls; absent in zones. */
  layer?: string;
}

/** Reads the zones or overlays of the cells that a box touches. */
export async function planningShapes(
  client: pg.ClientBase,
  layer: PlanningLayer,
  box: Bbox,
): Promise<MapShape[]> {
  const { rows } = await client.query<PlanningPieceRow>(PLANNING[layer], [cellsOfBbox(box)]);
  return rows
    .map(({ geom, cell, layer, ...says }) => {
      const overlay: Record<string, string> = layer === undefined ? {} : { layer, kind: overlayKind(layer) };
      return pieceShape(geom, cell, withoutNulls({ ...says, ...overlay }));
    })
    .filter((shape) => shape !== null);
}
