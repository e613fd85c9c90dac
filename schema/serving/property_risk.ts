import { HAZARD_LAYERS } from '../records/hazard.ts';
import { col, nullable, table } from '../table.ts';
import { located } from './located.ts';

const parcel = 'null: no known parcel';
const point = 'null: the address has no position on its parcel';

/** Rows for risks/…: one per class of a hazard layer within the search radius of the parcel or the point. */
export const propertyRiskTable = table({
  schema: 'serving',
  name: 'property_risk',
  doc: 'A class of a hazard layer within the search radius of a property, measured from its parcel and from its point.',
  columns: {
    gnaf_pid: col('text', 'Property.'),
    layer: col('text', 'Hazard layer such as flood.'),
    hazard_class: col(
      'text',
      'Class of the layer: the kind of listing in a register, else the name of its features without code and schedule; for public housing, the code of each SA1.',
    ),
    ...located,
    measured_from: col('text', 'parcel or point: where the next five columns are measured from.'),
    on_property: col('bool', 'The hazard lies on the property.'),
    nearest_distance_m: col(
      'int4',
      'Whole metres to the nearest feature: 0 on the property, at least 1 off it.',
    ),
    features_within_radius: col('int4', 'Source features of the class within the search radius.'),
    name: col(
      'text',
      'Name of the feature on the property (the most severe of several), otherwise of the nearest.',
    ),
    shape: col('text', 'Kind of the named feature: polygon, line or point.'),
    search_radius_m: col('int4', 'Search radius, metres.'),
    feature_id: col('text', 'Id of the named feature.'),
    code: nullable('text', 'Its published code; null: the layer has none.'),
    severity: nullable('int2', 'Its rank: 1 low to 4 extreme; null: the class has none.'),
    event_date: nullable('date', 'Date of the recorded event; null: modelled, or unknown.'),
    parcel_on: nullable('bool', `The hazard covers or crosses the parcel; ${parcel}.`),
    parcel_distance_m: nullable(
      'float8',
      `Metres from the parcel, 0 on it; null: none within the radius, or ${parcel.slice(6)}.`,
    ),
    parcel_features: nullable('int4', `Features within the radius of the parcel; ${parcel}.`),
    parcel_share: nullable(
      'float8',
      `Largest share of the parcel covered by one feature of the class, 0 to 1; ${parcel}.`,
    ),
    point_on: nullable('bool', `The point lies in the hazard; ${point}.`),
    point_distance_m: nullable(
      'float8',
      `Metres from the point, 0 inside; null: none within the radius, or ${point.slice(6)}.`,
    ),
    point_features: nullable('int4', `Features within the radius of the point; ${point}.`),
    point_margin_m: nullable(
      'float8',
      'Metres from the point to the nearest edge of a polygon of the layer, from inside or outside; null: none within the radius.',
    ),
  },
  primaryKey: ['gnaf_pid', 'layer', 'hazard_class'],
  tracked: 'gnaf_pid',
  indexes: [{ columns: ['cell'] }],
  checks: {
    property_risk_layer: `layer IN (${HAZARD_LAYERS.map((layer) => `'${layer}'`).join(', ')})`,
    property_risk_from: "measured_from IN ('parcel', 'point')",
    property_risk_distance:
      'on_property = (nearest_distance_m = 0) AND nearest_distance_m >= 0 AND features_within_radius >= 1',
  },
});
