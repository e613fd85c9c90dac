import { ANY_STATE, unreadAreaAsset } from '../../../schema/assets/coverage.ts';
import { addressRecord } from '../../../schema/records/address.ts';
import { coverageCountRecord, coverageGapRecord } from '../../../schema/records/coverage.ts';
import { input } from '../../engine/input.ts';
import { sqlStage } from '../../engine/sql_stage.ts';

/** Maximum share of rejected rows without a place among the rows of one kind in a dataset. Source: our choice. */
const UNPLACED_SHARE_MAX = 0.005;

/**
 * Gaps with a box stay as they are. A gap that names a postcode or suburb is the box of its addresses: those that match both if there are
 * any, else the postcode, else the suburb. A gap that names only a state, or no known place in it, is the state. A dataset with too many
 * rejected rows without a place, of one kind, covers nothing. Overlays cover nothing in a state in which all datasets together have one kind:
 * a flood overlay does not tell that there is no heritage overlay.
 */
export const unreadAreaStage = sqlStage({
  name: 'unread_area',
  doc: 'Areas in which a dataset with coverage has rows that could not be read, as boxes; named postcodes and suburbs are the boxes of their addresses.',
  subject: 'counted',
  inputs: {
    gap: input(
      coverageGapRecord,
      [
        'dataset',
        'theme',
        'part',
        'gap_no',
        'west',
        'south',
        'east',
        'north',
        'state',
        'postcode',
        'suburb',
        'reason',
      ],
      { kind: 'all' },
    ),
    counted: input(
      coverageCountRecord,
      ['dataset', 'theme', 'part', 'count_no', 'kind', 'rows', 'unplaced', 'example', 'kinds'],
      { kind: 'all' },
    ),
    address: input(addressRecord, ['state', 'postcode', 'locality_name', 'lon', 'lat'], { kind: 'all' }),
  },
  output: unreadAreaAsset,
  sql: `
    WITH named AS (
      SELECT * FROM gap WHERE west IS NULL AND COALESCE(postcode, suburb) IS NOT NULL
    ), locality AS (
      SELECT state, postcode, locality_name AS suburb, min(lon) AS west, min(lat) AS south, max(lon) AS east, max(lat) AS north
      FROM address
      WHERE EXISTS (SELECT FROM named) AND lon IS NOT NULL
        AND (postcode IN (SELECT postcode FROM named) OR locality_name IN (SELECT suburb FROM named))
      GROUP BY state, postcode, locality_name
    ), matched AS (
      SELECT dataset, theme, part, gap_no, reason, l.state, l.west, l.south, l.east, l.north, match,
        max(match) OVER (PARTITION BY dataset, theme, part, gap_no) AS best
      FROM named n JOIN locality l ON (n.state IS NULL OR n.state = l.state) AND (n.postcode = l.postcode OR n.suburb = l.suburb),
        LATERAL (SELECT 2 * (n.postcode IS NOT DISTINCT FROM l.postcode)::int + (n.suburb IS NOT DISTINCT FROM l.suburb)::int) m (match)
    ), area AS (
      SELECT dataset, theme, part, gap_no, state, min(west) AS west, min(south) AS south, max(east) AS east, max(north) AS north, reason
      FROM matched WHERE match = best GROUP BY dataset, theme, part, gap_no, state, reason
    ), overlay AS (
      SELECT dataset, theme, split_part(name, ' ', 1) AS state, substr(name, position(' ' IN name) + 1) AS name
      FROM counted, unnest(kinds) kind (name)
    )
    SELECT * FROM area
    UNION ALL
    SELECT dataset, theme, part, gap_no, CASE WHEN west IS NULL THEN COALESCE(state, '${ANY_STATE}') ELSE '${ANY_STATE}' END, west, south, east, north, reason
    FROM gap WHERE (dataset, theme, part, gap_no) NOT IN (SELECT dataset, theme, part, gap_no FROM area)
    UNION ALL
    SELECT dataset, theme, '', row_number() OVER (PARTITION BY dataset, theme ORDER BY kind COLLATE "C"), '${ANY_STATE}', NULL, NULL, NULL, NULL,
      sum(unplaced) || ' of ' || sum(rows) || ' rows state no place, the first: '
        || (array_agg(example ORDER BY part COLLATE "C", count_no) FILTER (WHERE example IS NOT NULL))[1]
    FROM counted GROUP BY dataset, theme, kind HAVING sum(unplaced) > ${UNPLACED_SHARE_MAX} * sum(rows)
    UNION ALL
    SELECT dataset, theme, '', 0, state, NULL, NULL, NULL, NULL, 'the only kind of overlay is ' || min(name COLLATE "C")
    FROM overlay GROUP BY dataset, theme, state
    HAVING (SELECT count(DISTINCT o.name) FROM overlay o WHERE o.state = overlay.state) = 1`,
});
