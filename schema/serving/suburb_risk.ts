import { NO_CELL } from '../grid.ts';
import { HAZARD_LAYERS } from '../records/hazard.ts';
import { col, table } from '../table.ts';

/** Answers the hazard shares of a suburb. */
export const suburbRiskTable = table({
  schema: 'serving',
  name: 'suburb_risk',
  doc: 'How many properties of a suburb a hazard layer lies on, of those that some source covers.',
  columns: {
    sal: col('text', 'Canonical ABS SAL name.'),
    layer: col('text', 'Hazard layer such as flood.'),
    cell: col('int4', `Always ${NO_CELL}.`),
    properties_covered: col(
      'int4',
      'Properties at which a source covers the layer and did not leave it unassessed.',
    ),
    properties_on: col('int4', 'Of these, properties that the hazard lies on.'),
    share: col('float8', 'properties_on / properties_covered.'),
  },
  primaryKey: ['sal', 'layer'],
  checks: {
    suburb_risk_layer: `layer IN (${HAZARD_LAYERS.map((layer) => `'${layer}'`).join(', ')})`,
    suburb_risk_counts: 'properties_on <= properties_covered AND properties_covered > 0',
  },
});
