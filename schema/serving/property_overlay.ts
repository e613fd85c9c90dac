import { col, nullable, table } from '../table.ts';
import { located } from './located.ts';

/** Rows for development/zoning-overlays. */
export const propertyOverlayTable = table({
  schema: 'serving',
  name: 'property_overlay',
  doc: 'A planning overlay on a property: on its parcel if known, otherwise at its point.',
  columns: {
    gnaf_pid: col('text', 'Property.'),
    overlay_id: col('text', 'State, a colon, and the publisher’s identifier of the overlay.'),
    ...located,
    layer: col('text', 'What the overlay controls, for example Heritage Overlay.'),
    code: nullable('text', 'Published code such as HO12; null: the layer has none.'),
    value: col('text', 'Value with its unit, for example 8.5 m.'),
    overlap_sqm: nullable(
      'float8',
      'Area of the parcel under the overlay, square metres; null: determined at the point.',
    ),
    share: nullable('float8', 'The same as a fraction of the parcel, 0 to 1; null: determined at the point.'),
  },
  primaryKey: ['gnaf_pid', 'overlay_id'],
  tracked: 'gnaf_pid',
  indexes: [{ columns: ['cell'] }],
  checks: { property_overlay_share: 'share >= 0 AND share <= 1.001' },
});
