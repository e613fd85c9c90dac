import { NO_CELL } from '../grid.ts';
import { col, nullable, table } from '../table.ts';
import { provenance } from './piece.ts';

/** Source: ACARA school location and profile workbooks, state school locations. */
export const schoolRecord = table({
  schema: 'record',
  name: 'school',
  doc: 'One campus of an open school.',
  columns: {
    ...provenance,
    cell: col('int4', `Grid cell; ${NO_CELL}: no coordinates.`),
    school_id: col('int4', 'ACARA SML ID of the campus, or the number that a state list gives it.'),
    head_id: col('int4', 'Campus whose figures it shares: the head campus, or itself.'),
    name: col('text', 'Name of the school or campus.'),
    level: nullable('text', 'Primary, Secondary, Combined or Special; null: not stated.'),
    sector: nullable('text', 'Government, Catholic or Independent; null: not stated.'),
    is_special: col('bool', 'Special-purpose school: special education, language, camp, distance education.'),
    year_range: nullable('text', 'Years taught as published, for example Prep-12; null: not stated.'),
    state: nullable('text', 'State abbreviation; null: not stated.'),
    suburb: nullable('text', 'Suburb as published; null: not stated.'),
    postcode: nullable('text', 'Four digits; null: not stated.'),
    sa1: nullable('text', 'SA1 code as published; null: not stated.'),
    icsea: nullable(
      'int4',
      'Index of community socio-educational advantage; null: not stated or not licensed.',
    ),
    enrolments: nullable('int4', 'Enrolled students; null: not stated.'),
    lon: nullable('float8', 'Longitude, GDA2020 degrees; null: no coordinates.'),
    lat: nullable('float8', 'Latitude, GDA2020 degrees; null: no coordinates.'),
  },
  primaryKey: ['school_id'],
  indexes: [{ columns: ['cell'] }],
});

/** Source: an operator's own file (attendance, NAPLAN and ICSEA are not open data). */
export const schoolMeasureRecord = table({
  schema: 'record',
  name: 'school_measure',
  doc: 'Measures of a school for one year.',
  columns: {
    ...provenance,
    school_id: col('int4', 'ACARA SML ID.'),
    year: col('int4', 'Calendar year.'),
    attendance_rate: nullable('float8', 'Attendance as a percentage, 0 to 100; null: not stated.'),
    naplan_mean: nullable(
      'float8',
      'Mean NAPLAN score over domains and years of schooling; null: not stated.',
    ),
    icsea: nullable('int4', 'Index of community socio-educational advantage; null: not stated.'),
  },
  primaryKey: ['school_id', 'year'],
});
