import { col, table } from '../table.ts';
import { located } from './located.ts';

/** Tells "none found" from "not covered": the typed reasons of the endpoints read it. */
export const propertyCoverageTable = table({
  schema: 'serving',
  name: 'property_coverage',
  doc: 'The themes that some source covers at a property, or has found something of there.',
  columns: {
    gnaf_pid: col('text', 'Property.'),
    ...located,
    covered: col(
      'text[]',
      'Themes that a source covers here, sorted: parcel, zoning, overlay, school, transport, amenity, and hazard layers, those in property_risk among them.',
    ),
    unassessed: col(
      'text[]',
      'Hazard layers of which a source says here that nobody looked (evidence required, outback) and nothing was found, sorted.',
    ),
  },
  primaryKey: ['gnaf_pid'],
  tracked: 'gnaf_pid',
  indexes: [{ columns: ['cell'] }],
});
