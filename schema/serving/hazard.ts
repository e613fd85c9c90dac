import { HAZARD_LAYERS } from '../records/hazard.ts';
import { extent } from '../records/piece.ts';
import { col, nullable, table } from '../table.ts';

/** Rows for the geojson of risks/…: read by grid cell and clipped to the requested circle. */
export const hazardTable = table({
  schema: 'serving',
  name: 'hazard',
  doc: 'The part of a hazard feature in one grid cell. It belongs to no suburb, so it carries no SA2.',
  columns: {
    layer: col('text', 'Hazard layer such as flood.'),
    feature_id: col('text', 'Feature; its parts in other cells have the same id.'),
    cell: col('int4', 'Grid cell.'),
    shape: col('text', 'polygon, line or point.'),
    hazard_class: col(
      'text',
      'Class of the layer, as in property_risk: the kind of listing in a register, else the name without code and schedule.',
    ),
    name: col('text', 'Name of the feature.'),
    code: nullable('text', 'Published code; null: the layer has none.'),
    severity: nullable('int2', '1 low to 4 extreme; null: the class has no rank.'),
    is_assessed: col('bool', 'False: a precautionary class, which is not a finding.'),
    event_date: nullable('date', 'Date of the recorded event; null: modelled, or unknown.'),
    ...extent,
    geom: col('bytea', 'WKB in GDA2020 degrees, clipped to the cell widened by a margin.'),
  },
  primaryKey: ['cell', 'layer', 'feature_id'],
  checks: { hazard_layer: `layer IN (${HAZARD_LAYERS.map((layer) => `'${layer}'`).join(', ')})` },
});
