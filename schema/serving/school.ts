import { col, nullable, table } from '../table.ts';
import { indexesByArea } from './area_level.ts';
import { locatedPlace } from './located.ts';

/** Rows for schools/nearby and schools/ranking, read by the grid cells within 5 km of a property, and for the schools of an area. */
export const schoolTable = table({
  schema: 'serving',
  name: 'school',
  doc: 'One campus of an open school with its ranks.',
  columns: {
    school_id: col('int4', 'ACARA SML ID, or the number in the state list.'),
    ...locatedPlace,
    sal: nullable('text', 'Suburb: canonical ABS SAL name; null: outside the boundaries.'),
    lga: nullable('text', 'LGA code; null: outside the boundaries.'),
    poa: nullable('text', 'ABS postal area; null: outside the boundaries.'),
    name: col('text', 'Name of the school or campus.'),
    level: nullable(
      'text',
      'Primary, Secondary, Combined, or Special for a special-purpose school; null: not stated. Nearest-school distances exclude Special.',
    ),
    sector: nullable('text', 'Government, Catholic or Independent; null: not stated.'),
    is_special: col('bool', 'Special-purpose school: special education, language, camp, distance education.'),
    year_range: nullable('text', 'Years taught; null: not stated.'),
    lon: col('float8', 'Longitude, GDA2020 degrees.'),
    lat: col('float8', 'Latitude, GDA2020 degrees.'),
    attendance_rate: nullable('float8', 'Attendance, per cent; null: not licensed or not stated.'),
    naplan_rank: nullable(
      'float8',
      'Share of comparable schools whose results it matches or exceeds, 0 to 1; null: not licensed or not stated.',
    ),
    naplan_label: nullable('text', 'Band of naplan_rank; null: no rank.'),
    socioeconomic_rank: nullable(
      'float8',
      'The same for socio-economic advantage: by ICSEA among its peers, or the SEIFA percentile of its SA1 or SA2; null: unknown.',
    ),
    socioeconomic_label: nullable('text', 'Band of socioeconomic_rank; null: no rank.'),
    socioeconomic_source: nullable('text', 'icsea, or seifa where ICSEA is not licensed; null: no rank.'),
  },
  primaryKey: ['school_id'],
  indexes: [{ columns: ['cell'] }, ...indexesByArea()],
});
