import { HAZARD_LAYERS } from '../records/hazard.ts';
import { col, table } from '../table.ts';
import { areaColumns, areaLevelCheck } from './area_level.ts';

/** Answers the hazard shares of a suburb or region. */
export const regionRiskTable = table({
  schema: 'serving',
  name: 'region_risk',
  doc: 'How many properties of a suburb or region a hazard layer lies on, of those that some source covers.',
  columns: {
    ...areaColumns,
    layer: col('text', 'Hazard layer such as flood.'),
    properties_covered: col(
      'int4',
      'Properties whose own answer on the layer is a finding or that there is none: a source covers it there and did not leave it unassessed, and the property has a parcel or a point of its own.',
    ),
    properties_on: col('int4', 'Of these, properties that the hazard lies on.'),
    share: col('float8', 'properties_on / properties_covered.'),
  },
  primaryKey: ['level', 'area', 'layer'],
  checks: {
    region_risk_level: areaLevelCheck(),
    region_risk_layer: `layer IN (${HAZARD_LAYERS.map((layer) => `'${layer}'`).join(', ')})`,
    region_risk_counts: 'properties_on <= properties_covered AND properties_covered > 0',
  },
});
