import { addressRecord } from '../../../schema/records/address.ts';
import { propertyAliasTable } from '../../../schema/serving/property_alias.ts';
import { propertySuccessorTable } from '../../../schema/serving/property_successor.ts';
import { input } from '../../engine/input.ts';
import { sqlStage } from '../../engine/sql_stage.ts';

const ADDRESS = [
  'level_type',
  'level_number',
  'flat_type',
  'flat_number',
  'number_first',
  'number_last',
] as const;
const STREET = ['street_name', 'street_type', 'street_suffix', 'locality_name'] as const;
const COLUMNS = [
  'gnaf_pid',
  'state',
  ...ADDRESS,
  'lot_number',
  ...STREET,
  'lot_plan',
  'lon',
  'lat',
  'geocode_level',
] as const;

/** Text of an address without building name and postcode. Null: it has no number or no street. */
const TEXT = `CASE WHEN street_name IS NOT NULL AND COALESCE(number_first, lot_number) IS NOT NULL THEN
  jsonb_build_array(state, ${[...ADDRESS, ...STREET].join(', ')}, CASE WHEN number_first IS NULL THEN lot_number END)::text END`;

/** Maximum distance to a successor, metres. */
const REACH_M = 5;
const METRES_OF_DEGREE = 111_320;
/** Width of the squares in which successors are looked for, degrees: more than the distance everywhere in Australia. */
const SQUARE = 0.0001;
const squareOf = (column: string): string => `floor(${column} / ${SQUARE})::int8`;

export const servePropertySuccessorStage = sqlStage({
  name: 'serve_property_successor',
  doc: 'Rows of serving.property_successor. Among addresses, lot and distance, the first with exactly one candidate decides.',
  subject: 'retired',
  inputs: {
    retired: input(addressRecord, COLUMNS, { kind: 'all' }, { is_live: false }),
    live: input(addressRecord, [...COLUMNS, 'alias_principal'], { kind: 'all' }, { is_live: true }),
    alias: input(propertyAliasTable, ['alias_pid', 'principal_pid'], { kind: 'all' }),
  },
  output: propertySuccessorTable,
  sql: `
    WITH old AS (
      SELECT gnaf_pid, state, lot_plan, lon, lat, geocode_level % 2 = 1 AS is_placed, ${TEXT} AS address FROM retired
    ), principal AS (
      SELECT gnaf_pid AS pid, state, lot_plan, lon, lat, geocode_level % 2 = 1 AS is_placed FROM live WHERE alias_principal = 'P'
    ), named AS (
      SELECT COALESCE(principal_pid, gnaf_pid) AS pid, ${TEXT} AS address FROM live LEFT JOIN alias ON alias_pid = gnaf_pid
    ), found AS (
      SELECT gnaf_pid, 1 AS rank, 'address' AS evidence, pid FROM old JOIN named USING (address) JOIN principal USING (pid)
      UNION ALL
      SELECT gnaf_pid, 2, 'place', pid FROM old JOIN principal USING (state, lot_plan)
      UNION ALL
      SELECT gnaf_pid, 3, 'place', pid FROM old
        CROSS JOIN generate_series(-1, 1) AS east CROSS JOIN generate_series(-1, 1) AS north
        JOIN principal ON ${squareOf('principal.lon')} = ${squareOf('old.lon')} + east AND ${squareOf('principal.lat')} = ${squareOf('old.lat')} + north
      WHERE old.is_placed AND principal.is_placed AND
        sqrt(((principal.lon - old.lon) * cos(radians(old.lat))) ^ 2 + (principal.lat - old.lat) ^ 2) * ${METRES_OF_DEGREE} <= ${REACH_M}
    ), single AS (
      SELECT gnaf_pid, rank, evidence, min(pid COLLATE "C") AS pid FROM found GROUP BY gnaf_pid, rank, evidence HAVING count(DISTINCT pid) = 1
    ), best AS (
      SELECT DISTINCT ON (gnaf_pid) gnaf_pid, pid, evidence FROM single ORDER BY gnaf_pid, rank
    )
    SELECT retired.gnaf_pid AS retired_pid, pid AS successor_pid, evidence FROM retired LEFT JOIN best USING (gnaf_pid)`,
});
