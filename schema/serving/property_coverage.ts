import { col, table } from '../table.ts';
import { located } from './located.ts';

/** Separates "none found" from "not covered", for the typed reasons of the endpoints. */
export const propertyCoverageTable = table({
  schema: 'serving',
  name: 'property_coverage',
  doc: 'The themes that a source covers at a property, or has a finding for there.',
  columns: {
    gnaf_pid: col('text', 'Property.'),
    ...located,
    covered: col(
      'text[]',
      'Themes that a source covers here, so that no finding means that there is none, sorted: parcel, zoning, overlay, school, transport, amenity, and hazard layers, including those in property_risk.',
    ),
    unassessed: col(
      'text[]',
      'Hazard layers that a source marks as not assessed here (evidence required, outback) and that have no finding, sorted.',
    ),
    not_matched: col(
      'text[]',
      'Zoning, overlay and hazard layers that a source covers here and that have no finding, of an address with neither a parcel nor a position on its property: whether there is one is not known. Sorted.',
    ),
  },
  primaryKey: ['gnaf_pid'],
  tracked: 'gnaf_pid',
  indexes: [{ columns: ['cell'] }],
});
