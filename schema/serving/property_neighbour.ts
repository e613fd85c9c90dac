import { col, table } from '../table.ts';
import { located } from './located.ts';

/**
 * Rows for neighbours: one per property and adjoining parcel. The addresses there are the rows of `property` with that parcel_id,
 * so a tower of 400 units next to another takes 400 rows, not 160,000.
 */
export const propertyNeighbourTable = table({
  schema: 'serving',
  name: 'property_neighbour',
  doc: 'A parcel that adjoins the parcel of a property.',
  columns: {
    gnaf_pid: col('text', 'Property.'),
    neighbour_parcel_id: col(
      'text',
      'Adjoining parcel; its addresses are the properties with this parcel_id.',
    ),
    ...located,
    shared_m: col('float8', 'Length of the shared boundary, metres.'),
    is_corner: col('bool', 'The parcels touch only at a corner; not counted as neighbours.'),
  },
  primaryKey: ['gnaf_pid', 'neighbour_parcel_id'],
  tracked: 'gnaf_pid',
  indexes: [{ columns: ['cell'] }],
  checks: { property_neighbour_shared: 'shared_m >= 0' },
});
