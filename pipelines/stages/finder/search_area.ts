import { propertyTallyAsset, searchPlaceAsset } from '../../../schema/assets/api.ts';
import { addressHomeAsset } from '../../../schema/assets/property.ts';
import { FINDER_AREA_COLUMN } from '../../../schema/serving/finder_levels.ts';
import { propertyCoverageTable } from '../../../schema/serving/property_coverage.ts';
import { searchAreaTable } from '../../../schema/serving/search_area.ts';
import { STATE_NAMES } from '../../../schema/states.ts';
import { searchKeySql } from '../../../transforms/address/search_key.ts';
import { input } from '../../engine/input.ts';
import { sqlStage } from '../../engine/sql_stage.ts';

/** Columns with the areas of an address, besides its state. */
const PLACE = [
  'sa2',
  'sa2_name',
  'sa3',
  'sa3_name',
  'sa4',
  'sa4_name',
  'gccsa',
  'gccsa_name',
  'sal',
  'sal_name',
  'lga',
  'lga_name',
  'poa',
] as const;

const STATE_NAME = `CASE state ${Object.entries(STATE_NAMES)
  .map(([state, name]) => `WHEN '${state}' THEN '${name}'`)
  .join(' ')} ELSE state END`;

const FINDER_AREAS = Object.values(FINDER_AREA_COLUMN);

const AREA = [
  'level',
  'code',
  'name',
  'state',
  'sa2',
  'sa3',
  'sa4',
  'gccsa',
  'lga',
  'properties',
  'covered',
  'min_lon',
  'min_lat',
  'max_lon',
  'max_lat',
] as const;

export const searchPlaceStage = sqlStage({
  name: 'search_place',
  doc: 'Search areas derived from their properties.',
  subject: 'address',
  inputs: {
    address: input(addressHomeAsset, ['gnaf_pid', 'state', 'lon', 'lat', ...PLACE], { kind: 'all' }),
    coverage: input(propertyCoverageTable, ['gnaf_pid', 'covered', 'not_matched'], { kind: 'all' }),
  },
  output: searchPlaceAsset,
  sql: `
    WITH place AS (
      SELECT state, ${PLACE.join(', ')}, covered || not_matched AS covered, count(*) AS n,
        min(lon) AS min_lon, min(lat) AS min_lat, max(lon) AS max_lon, max(lat) AS max_lat
      FROM address JOIN coverage USING (gnaf_pid) GROUP BY state, ${PLACE.join(', ')}, covered || not_matched
    ), weighed AS MATERIALIZED (
      SELECT area.*, state, covered, n, min_lon, min_lat, max_lon, max_lat,
        sum(n) OVER (PARTITION BY level, code) AS in_area, sum(n) OVER (PARTITION BY level, code, state) AS in_state,
        sum(n) OVER (PARTITION BY level, code, area.sa2) AS in_sa2,
        sum(n) OVER (PARTITION BY level, code, area.lga) AS in_lga
      FROM place, LATERAL (VALUES
        ('SAL', sal, sal_name, sa2, sa3, sa4, gccsa, lga),
        ('SA2', sa2, sa2_name, sa2, sa3, NULL, NULL, NULL),
        ('SA3', sa3, sa3_name, NULL, sa3, NULL, NULL, NULL),
        ('SA4', sa4, sa4_name, NULL, NULL, NULL, NULL, NULL),
        ('LGA', lga, lga_name, NULL, NULL, NULL, NULL, NULL),
        ('POA', poa, poa, NULL, NULL, NULL, NULL, NULL),
        ('GCCSA', gccsa, gccsa_name, NULL, NULL, NULL, NULL, NULL),
        ('STE', state, ${STATE_NAME}, NULL, NULL, NULL, NULL, NULL)) area (level, code, name, sa2, sa3, sa4, gccsa, lga)
      WHERE code IS NOT NULL AND name IS NOT NULL
    ), area AS (
      SELECT level, code, min(name COLLATE "C") AS name,
        (array_agg(state ORDER BY in_state DESC, state COLLATE "C"))[1] AS state,
        (array_agg(sa2 ORDER BY sa2 IS NULL, in_sa2 DESC, sa2 COLLATE "C"))[1] AS sa2,
        (array_agg(sa3 ORDER BY sa2 IS NULL, in_sa2 DESC, sa2 COLLATE "C", sa3 COLLATE "C"))[1] AS sa3,
        (array_agg(sa4 ORDER BY sa2 IS NULL, in_sa2 DESC, sa2 COLLATE "C", sa4 COLLATE "C"))[1] AS sa4,
        (array_agg(gccsa ORDER BY sa2 IS NULL, in_sa2 DESC, sa2 COLLATE "C", gccsa COLLATE "C"))[1] AS gccsa,
        (array_agg(lga ORDER BY lga IS NULL, in_lga DESC, lga COLLATE "C"))[1] AS lga,
        sum(n) AS properties,
        min(min_lon) AS min_lon, min(min_lat) AS min_lat, max(max_lon) AS max_lon, max(max_lat) AS max_lat
      FROM weighed GROUP BY level, code
    ), covered_theme AS (
      SELECT level, code, theme FROM weighed, unnest(covered) theme
      GROUP BY level, code, theme, in_area HAVING sum(n) = in_area
    ), covered AS (
      SELECT level, code, array_agg(theme ORDER BY theme COLLATE "C") AS covered FROM covered_theme GROUP BY level, code
    )
    SELECT area.level, code, name, state, sa2, sa3, sa4, gccsa, lga, properties, COALESCE(covered, '{}') AS covered, min_lon, min_lat, max_lon, max_lat
    FROM area LEFT JOIN covered USING (level, code)`,
});

export const serveSearchAreaStage = sqlStage({
  name: 'serve_search_area',
  doc: 'Rows of serving.search_area.',
  subject: 'place',
  inputs: {
    place: input(searchPlaceAsset, AREA, { kind: 'all' }),
    property: input(propertyTallyAsset, FINDER_AREAS, { kind: 'all' }, { is_default: true }),
  },
  output: searchAreaTable,
  sql: `
    WITH found AS (
      SELECT level, area, sum(n) AS n
      FROM (SELECT ${FINDER_AREAS.join(', ')}, count(*) AS n FROM property GROUP BY ${FINDER_AREAS.join(', ')}) counted, LATERAL (VALUES ${Object.entries(
        FINDER_AREA_COLUMN,
      )
        .map(([level, column]) => `('${level}', ${column})`)
        .join(', ')}) at (level, area)
      WHERE area IS NOT NULL GROUP BY level, area
    )
    SELECT place.*, ${searchKeySql('name')} AS name_key,
      CASE WHEN place.level IN (${Object.keys(FINDER_AREA_COLUMN)
        .map((level) => `'${level}'`)
        .join(', ')}) THEN COALESCE(found.n, 0) END AS by_default
    FROM place LEFT JOIN found ON found.level = place.level AND found.area = CASE place.level WHEN 'SAL' THEN name ELSE code END`,
});
