import { col, nullable, table } from '../table.ts';
import { areaColumns, areaLevelCheck } from './area_level.ts';

/** Rows for the neighbours of a suburb or region, and the finder's neighbouring suburbs. */
export const regionNeighbourTable = table({
  schema: 'serving',
  name: 'region_neighbour',
  doc: 'Two suburbs or regions of one level that share a boundary; each pair is listed in both directions.',
  columns: {
    ...areaColumns,
    neighbour: col('text', 'Area of the same level that it shares a boundary with, named the same way.'),
    neighbour_code: col('text', 'ABS code of that area.'),
    neighbour_name: nullable('text', 'ABS name of that area; null: the level has no names.'),
    shared_m: col(
      'float8',
      'Length of the shared boundary, whole metres; an estimate at the edges of grid cells.',
    ),
  },
  primaryKey: ['level', 'area', 'neighbour'],
  checks: { region_neighbour_level: areaLevelCheck() },
});
