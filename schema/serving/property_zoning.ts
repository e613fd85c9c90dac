import { ZONE_CATEGORIES } from '../records/zone.ts';
import { col, nullable, table } from '../table.ts';
import { located } from './located.ts';

/** Rows for development/zoning-code. A property outside every zone has no row. */
export const propertyZoningTable = table({
  schema: 'serving',
  name: 'property_zoning',
  doc: 'The primary planning zone of a property.',
  columns: {
    gnaf_pid: col('text', 'Property.'),
    ...located,
    zone_id: col('text', 'State, a colon, and the publisher’s identifier of the zone.'),
    code: nullable('text', 'Published code such as NRZ1; null: the council publishes none.'),
    name: nullable('text', 'Published description; null: none.'),
    method: col(
      'text',
      'point: the only zone at the point; largest_share: several or none there, so the zone that covers most of the parcel.',
    ),
    share: nullable('float8', 'Share of the parcel in that zone, 0 to 1; null: no known parcel.'),
    category: nullable('text', 'Category normalised across states; null: the code is not in the list.'),
  },
  primaryKey: ['gnaf_pid'],
  tracked: 'gnaf_pid',
  indexes: [{ columns: ['cell'] }],
  checks: {
    property_zoning_method: "method IN ('point', 'largest_share')",
    property_zoning_category: `category IN (${ZONE_CATEGORIES.map((c) => `'${c}'`).join(', ')})`,
  },
});
