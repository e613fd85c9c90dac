import type { Bbox } from '../../schema/grid.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { type MapShape, withoutNulls, wkbShape } from '../../transforms/geo/map_shape.ts';

/** Levels of regions that have a boundary. */
export const DRAWN_LEVELS = ['SAL', 'SA2', 'SA3', 'SA4', 'LGA', 'POA'] as const;
export type DrawnLevel = (typeof DRAWN_LEVELS)[number];

/** A suburb or region with its bounding box and the size of its shape. */
export interface RegionBox {
  code: string;
  name: string;
  box: Bbox;
  vertices: number;
}

/** Boundaries to read at a time, which bounds memory. */
const BATCH = 500;

/** Reads the boxes of all regions of a level. The table has no boxes, so this reads every boundary once. */
export async function regionBoxes(db: Serving, level: DrawnLevel): Promise<RegionBox[]> {
  const boxes: RegionBox[] = [];
  for (let after = ''; ; ) {
    const rows = await db
      .selectFrom('serving.region_shape')
      .select(['code', 'name', 'geom'])
      .where('level', '=', level)
      .where('code', '>', after)
      .orderBy('code')
      .limit(BATCH)
      .execute();
    for (const { code, name, geom } of rows) {
      const { box, shape } = wkbShape(geom, {});
      boxes.push({ code, name: name ?? code, box, vertices: shape.geometry.coords.length / 2 });
    }
    if (rows.length < BATCH) return boxes;
    after = rows.at(-1)!.code;
  }
}

/** Reads boundaries of regions of a level. `area` is the key of the area tables: the name of a suburb, the code of a region. */
export async function regionShapes(
  db: Serving,
  level: DrawnLevel,
  codes: readonly string[],
): Promise<MapShape[]> {
  if (codes.length === 0) return [];
  const rows = await db
    .selectFrom('serving.region_shape')
    .select(['code', 'name', 'state', 'geom'])
    .where('level', '=', level)
    .where('code', 'in', codes)
    .orderBy('code')
    .execute();
  return rows.map(({ geom, code, name, state }) =>
    wkbShape(
      geom,
      withoutNulls({ code, name: name ?? code, state, area: level === 'SAL' ? (name ?? code) : code }),
    ),
  );
}
