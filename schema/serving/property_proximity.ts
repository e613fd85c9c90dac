import { col, nullable, table } from '../table.ts';
import { located } from './located.ts';

const near = 'whole metres; null: none within 5 km, or no coordinates';
const far = 'whole metres; null: none within 20 km, or no coordinates';

/** Distances that the finder filters and sorts by, and that the valuation uses. */
export const propertyProximityTable = table({
  schema: 'serving',
  name: 'property_proximity',
  doc: 'Distances from the point of a property to the nearest of each kind of place.',
  columns: {
    gnaf_pid: col('text', 'Property.'),
    ...located,
    school_m: nullable('int4', `Nearest mainstream school, ${near}.`),
    school_id: nullable('int4', 'Id of that school; null: none.'),
    supermarket_m: nullable('int4', `Nearest supermarket, ${near}.`),
    park_m: nullable('int4', `Nearest green space, to its edge, 0 inside; ${near}.`),
    restaurant_m: nullable('int4', `Nearest restaurant or café, ${near}.`),
    beach_m: nullable('int4', `Nearest beach, to its edge; ${far}.`),
    railway_m: nullable('int4', `Nearest train stop of a timetable, ${far}.`),
    train_m: nullable('int4', `Nearest train stop, ${near}.`),
    tram_m: nullable('int4', `Nearest tram stop, ${near}.`),
    bus_m: nullable('int4', `Nearest bus stop, ${near}.`),
    ferry_m: nullable('int4', `Nearest ferry wharf, ${near}.`),
    public_housing_m: nullable(
      'int4',
      `Nearest SA1 with a share of public housing at or above the threshold, 0 on the property and at least 1 off it, measured as property_risk measures it; ${near}.`,
    ),
  },
  primaryKey: ['gnaf_pid'],
  tracked: 'gnaf_pid',
  indexes: [{ columns: ['cell'] }],
});
