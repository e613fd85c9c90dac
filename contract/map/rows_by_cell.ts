import { cellBbox } from '../../schema/grid.ts';
import { HAZARD_LAYERS } from '../../schema/records/hazard.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { type MapShape, pointShape } from '../../transforms/geo/map_shape.ts';
import { DRAWN_LEVELS } from './region_shapes.ts';

const TABLES = {
  parcel: 'serving.parcel_shape',
  address: 'serving.property',
  place: 'serving.place',
  stop: 'serving.stop',
  school: 'serving.school',
} as const;
const isHazard = (name: string): boolean => (HAZARD_LAYERS as readonly string[]).includes(name);

/** Counts the rows of a map layer in each grid cell, as a point in its centre with `rows`. Reads every row. */
export async function rowsByCell(db: Serving, layer: string): Promise<MapShape[]> {
  const table = isHazard(layer) ? 'serving.hazard' : TABLES[layer as keyof typeof TABLES];
  const rows = await db
    .selectFrom(table as 'serving.hazard')
    .select((eb) => ['cell', eb.cast<number>(eb.fn.countAll(), 'integer').as('rows')])
    .where('cell', '>=', 0)
    .$if(isHazard(layer), (query) => query.where('layer', '=', layer))
    .groupBy('cell')
    .orderBy('cell')
    .execute();
  return rows.map(({ cell, rows: n }) => {
    const [west, south, east, north] = cellBbox(cell);
    return pointShape((west + east) / 2, (south + north) / 2, { rows: n });
  });
}

/** Counts the features of a map layer. A feature in several cells counts once. */
export async function featureCount(db: Serving, layer: string): Promise<number> {
  if ((DRAWN_LEVELS as readonly string[]).includes(layer)) {
    const regions = db.selectFrom('serving.region_shape').where('level', '=', layer);
    const row = await regions.select((eb) => eb.fn.countAll<string>().as('n')).executeTakeFirstOrThrow();
    return Number(row.n);
  }
  if (isHazard(layer)) {
    const pieces = db.selectFrom('serving.hazard').where('layer', '=', layer);
    const row = await pieces
      .select((eb) => eb.fn.count<string>('feature_id').distinct().as('n'))
      .executeTakeFirstOrThrow();
    return Number(row.n);
  }
  if (layer === 'place') {
    const pieces = db.selectFrom('serving.place');
    const row = await pieces
      .select((eb) => eb.fn.count<string>('place_id').distinct().as('n'))
      .executeTakeFirstOrThrow();
    return Number(row.n);
  }
  const rows = db.selectFrom(TABLES[layer as keyof typeof TABLES] as 'serving.school');
  const row = await rows.select((eb) => eb.fn.countAll<string>().as('n')).executeTakeFirstOrThrow();
  return Number(row.n);
}
