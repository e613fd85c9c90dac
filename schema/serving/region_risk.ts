import { HAZARD_LAYERS } from '../records/hazard.ts';
import { col, table } from '../table.ts';
import { areaColumns, areaLevelCheck } from './area_level.ts';

/** Rows for the hazard shares of a suburb or region. */
export const regionRiskTable = table({
  schema: 'serving',
  name: 'region_risk',
  doc: 'Number of properties of a suburb or region on a hazard layer, among those that a source covers.',
  columns: {
    ...areaColumns,
    layer: col('text', 'Hazard layer such as flood.'),
    properties_covered: col(
      'int4',
      'Properties whose own answer on the layer is a finding or none found: a source covers and assessed the place, and the property has a parcel or its own point.',
    ),
    properties_on: col('int4', 'Of these, properties on the hazard.'),
    share: col('float8', 'properties_on / properties_covered.'),
  },
  primaryKey: ['level', 'area', 'layer'],
  checks: {
    region_risk_level: areaLevelCheck(),
    region_risk_layer: `layer IN (${HAZARD_LAYERS.map((layer) => `'${layer}'`).join(', ')})`,
    region_risk_counts: 'properties_on <= properties_covered AND properties_covered > 0',
  },
});
