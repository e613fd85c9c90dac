import { areaColumns } from '../serving/area_level.ts';
import { col, nullable, table } from '../table.ts';

/** Output of the stage region_border_part. */
export const regionBorderPartAsset = table({
  schema: 'asset',
  name: 'region_border_part',
  doc: 'The boundary that two suburbs or regions of one level share in one grid cell.',
  columns: {
    cell: col('int4', 'Grid cell.'),
    ...areaColumns,
    neighbour: col('text', 'Area of the same level.'),
    neighbour_code: col('text', 'ABS code of that area.'),
    neighbour_name: nullable('text', 'ABS name of that area; null: the level has no names.'),
    shared_m: col('float8', 'Length of the shared boundary in the cell, metres.'),
  },
  primaryKey: ['cell', 'level', 'area', 'neighbour'],
});
