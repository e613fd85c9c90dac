import { addressRegionAsset } from '../../../schema/assets/address.ts';
import { addressRecord } from '../../../schema/records/address.ts';
import { suburbTable } from '../../../schema/serving/suburb.ts';
import { input } from '../../engine/input.ts';
import { sqlStage } from '../../engine/sql_stage.ts';

export const serveSuburbStage = sqlStage({
  name: 'serve_suburb',
  doc: 'Rows of serving.suburb.',
  subject: 'region',
  inputs: {
    region: input(addressRegionAsset, ['gnaf_pid', 'sa2', 'sa3', 'sal', 'sal_name'], { kind: 'all' }),
    address: input(addressRecord, ['gnaf_pid', 'state', 'lon', 'lat'], { kind: 'all' }),
  },
  output: suburbTable,
  dropped: { no_suburb: 'sal IS NULL OR sal_name IS NULL' },
  sql: `
    WITH part AS (
      SELECT sal_name, sal, state, sa2, min(sa3 COLLATE "C") AS sa3, count(*) AS n,
        min(lon) AS min_lon, min(lat) AS min_lat, max(lon) AS max_lon, max(lat) AS max_lat
      FROM region JOIN address USING (gnaf_pid) WHERE sal IS NOT NULL AND sal_name IS NOT NULL GROUP BY sal_name, sal, state, sa2
    ), weighed AS (
      SELECT *, sum(n) OVER (PARTITION BY sal_name, sal) AS in_sal, sum(n) OVER (PARTITION BY sal_name, state) AS in_state,
        sum(n) OVER (PARTITION BY sal_name, sa2) AS in_sa2
      FROM part
    )
    SELECT sal_name AS sal,
      (array_agg(state ORDER BY in_state DESC, state COLLATE "C"))[1] AS state,
      (array_agg(sa2 ORDER BY sa2 IS NULL, in_sa2 DESC, sa2 COLLATE "C"))[1] AS sa2,
      (array_agg(sa3 ORDER BY sa2 IS NULL, in_sa2 DESC, sa2 COLLATE "C", sa3 COLLATE "C"))[1] AS sa3,
      (array_agg(sal ORDER BY in_sal DESC, sal COLLATE "C"))[1] AS sal_code,
      sum(n) AS properties,
      min(min_lon) AS min_lon, min(min_lat) AS min_lat, max(max_lon) AS max_lon, max(max_lat) AS max_lat
    FROM weighed GROUP BY sal_name`,
});
