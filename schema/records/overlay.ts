import { col, nullable, table } from '../table.ts';
import { extent, provenance } from './piece.ts';

/** Planning overlays cut into grid cells. Source: state and council planning layers through the field map of the dataset. */
export const overlayPieceRecord = table({
  schema: 'record',
  name: 'overlay_piece',
  doc: 'The part of a planning overlay in one grid cell.',
  columns: {
    ...provenance,
    cell: col('int4', 'Grid cell.'),
    overlay_id: col(
      'text',
      'State, a colon, and the publisher’s identifier of the feature (Vicmap: PFI); where there is none, dataset, file and feature number.',
    ),
    layer: col('text', 'What the overlay controls, for example Heritage Overlay, Height of Building.'),
    code: nullable('text', 'Published code such as HO12; null: the layer has none.'),
    value: col(
      'text',
      'Value with its unit, for example 8.5 m, 0.5:1, 450 m2, Item - General: I123 Cottage, DDO5 Design and Development Overlay - Schedule 5; an elevation says so: 45.2 m RL (elevation above datum).',
    ),
    ...extent,
    geom: col('bytea', 'WKB multipolygon, GDA2020 degrees, clipped to the cell widened by a margin.'),
  },
  primaryKey: ['cell', 'overlay_id'],
  tracked: 'overlay_id',
});
