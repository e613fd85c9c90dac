import { addressRecord } from '../../../schema/records/address.ts';
import { localityTable } from '../../../schema/serving/locality.ts';
import { searchKeySql } from '../../../transforms/address/search_key.ts';
import { input } from '../../engine/input.ts';
import { sqlStage } from '../../engine/sql_stage.ts';

export const serveLocalityStage = sqlStage({
  name: 'serve_locality',
  doc: 'Rows of serving.locality.',
  subject: 'address',
  inputs: {
    address: input(
      addressRecord,
      ['state', 'locality_name', 'postcode', 'lon', 'lat'],
      { kind: 'all' },
      { is_live: true, alias_principal: 'P' },
    ),
  },
  output: localityTable,
  sql: `
    WITH part AS (
      SELECT state, locality_name AS name, postcode, count(*) AS n,
        min(lon) AS min_lon, min(lat) AS min_lat, max(lon) AS max_lon, max(lat) AS max_lat
      FROM address GROUP BY state, locality_name, postcode
    ), whole AS (
      SELECT state, name,
        COALESCE(array_agg(postcode ORDER BY postcode COLLATE "C") FILTER (WHERE postcode IS NOT NULL), '{}') AS postcodes,
        sum(n) AS properties,
        min(min_lon) AS min_lon, min(min_lat) AS min_lat, max(max_lon) AS max_lon, max(max_lat) AS max_lat
      FROM part GROUP BY state, name
    )
    SELECT *, ${searchKeySql('name')} AS name_key FROM whole`,
});
