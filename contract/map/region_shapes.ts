import type { Bbox } from '../../schema/grid.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { type MapShape, withoutNulls, wkbShape } from '../../transforms/geo/map_shape.ts';

/** Levels of regions that have a boundary. */
export const DRAWN_LEVELS = ['SAL', 'SA2', 'SA3', 'SA4', 'LGA', 'POA'] as const;
export type DrawnLevel = (typeof DRAWN_LEVELS)[number];

/** A suburb or region, with the box around it and how much there is to draw. */
export interface RegionBox {
  code: string;
  name: string;
  box: Bbox;
  vertices: number;
}

/** Boundaries read at a time, so that a country of them needs no more memory than these. */
const BATCH = 500;

/** The boxes of all regions of a level. They are not in the table, so this reads every boundary once. */
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

/** The boundaries of some regions of a level; `area` is what the tables of areas call a region: of a suburb its name. */
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
