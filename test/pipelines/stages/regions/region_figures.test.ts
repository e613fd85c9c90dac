import { afterAll, beforeAll, expect, it } from 'vitest';
import { serveRegionNeighbourStage } from '../../../../pipelines/stages/regions/region_border.ts';
import { serveRegionCensusStage } from '../../../../pipelines/stages/regions/region_census.ts';
import { serveRegionRiskStage } from '../../../../pipelines/stages/regions/region_risk.ts';
import { serveRegionDemographicsStage } from '../../../../pipelines/stages/regions/serve_region_demographics.ts';
import { serveRegionShapeStage } from '../../../../pipelines/stages/regions/serve_region_shape.ts';
import { censusFigures } from '../../../../schema/records/census.ts';
import { createDatabase, type TestDatabase } from '../../../database.ts';
import { computed } from '../../computed.ts';
import { statementRows } from '../../statement.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database?.drop());

const of = (level: string, code: string, year: number) => ({
  edition: year === 2016 ? 2 : 3,
  level,
  code,
  year,
});

it('takes the demographics of a region from its newest Census, with the indexes and the name of that edition', () => {
  const blank = Object.fromEntries(Object.keys(censusFigures).map((name) => [name, null]));
  const { rows, account } = computed(serveRegionDemographicsStage, {
    census: [
      { ...blank, ...of('SA2', '21', 2016), population: 1 },
      { ...blank, ...of('SA2', '21', 2021), population: 2 },
      { ...blank, ...of('POA', '3000', 2016), population: 3 },
    ],
    seifa: [{ ...of('SA2', '21', 2021), irsd_score: 990, irsd_decile: 4 }],
    region: [
      { ...of('SA2', '21', 2016), name: 'Old' },
      { ...of('SA2', '21', 2021), name: 'New' },
    ],
  });
  expect(rows).toMatchObject([
    {
      code: '21',
      name: 'New',
      state: 'VIC',
      census_year: 2021,
      population: 2,
      irsd_score: 990,
      irsd_decile: 4,
    },
    { code: '3000', name: null, state: null, census_year: 2016, population: 3, irsd_score: null },
  ]);
  expect(account).toEqual({ in: 3, out: 2, drops: { older_census: 1 } });
});

it('serves the subjects of a Census that has some, with shares of those who answered', () => {
  const part = (category: string, persons: number) => ({ category, census_name: category, persons });
  const subject = { subject: 'ancestry', total: 100, not_stated: 20, parts: [part('a', 60), part('b', 20)] };
  const { rows, account } = computed(
    serveRegionCensusStage,
    { census: [of('SA2', '21', 2016), of('SA2', '21', 2021)] },
    -1,
    new Map([['SA2|21|2021', [subject]]]),
  );
  expect(rows).toEqual([
    {
      level: 'SA2',
      code: '21',
      subject: 'ancestry',
      state: 'VIC',
      census_year: 2021,
      counted: 80,
      categories: [
        { ...part('a', 60), share: 0.75 },
        { ...part('b', 20), share: 0.25 },
      ],
    },
  ]);
  expect(account).toEqual({ in: 2, out: 1, drops: { older_census: 1 } });
});

it('serves the newest boundary of each region', () => {
  const region = (code: string, year: number, ste: string | null) => ({
    ...of('LGA', code, year),
    name: `${code} of ${year}`,
    ste,
    area_sqkm: year,
    outline: Uint8Array.of(1),
  });
  const { rows, account } = computed(serveRegionShapeStage, {
    region: [region('a', 2016, '1'), region('a', 2021, '1'), region('b', 2021, null)],
  });
  expect(rows).toMatchObject([
    { code: 'a', name: 'a of 2021', state: 'NSW', area_sqkm: 2021, geom: Uint8Array.of(1) },
    { code: 'b', state: null },
  ]);
  expect(account).toEqual({ in: 3, out: 2, drops: { older_edition: 1 } });
});

it('shares out the properties of an area on a hazard among those that were assessed', async () => {
  const region = ['on', 'off', 'unassessed', 'street'].map((gnaf_pid) => ({
    gnaf_pid,
    parcel_id: gnaf_pid === 'on' ? 'P' : null,
    is_parcel_position: gnaf_pid !== 'street',
    sal_name: 'Ash',
    sa2: '2',
  }));
  const covered = ['flood', 'zoning'];
  const rows = await statementRows(database, serveRegionRiskStage, {
    region,
    coverage: region.map(({ gnaf_pid }) => ({
      gnaf_pid,
      covered,
      unassessed: gnaf_pid === 'unassessed' ? ['flood'] : [],
    })),
    risk: [
      { gnaf_pid: 'on', layer: 'flood' },
      { gnaf_pid: 'on', layer: 'flood' },
    ],
  });
  const figures = { layer: 'flood', properties_covered: 2, properties_on: 1, share: 0.5 };
  expect(rows.sort((a, b) => (String(a.level) < String(b.level) ? -1 : 1))).toEqual([
    { level: 'SA2', area: '2', ...figures },
    { level: 'SAL', area: 'Ash', ...figures },
  ]);
});

it('serves the neighbours of a region once, from whatever cells they border in', async () => {
  const border = { level: 'SA2', area: 'a', neighbour: 'b' };
  const rows = await statementRows(database, serveRegionNeighbourStage, {
    part: [
      { ...border, cell: 1, shared_m: 10.2, neighbour_name: 'old' },
      { ...border, cell: 2, shared_m: 5.4, neighbour_name: 'new' },
    ],
  });
  expect(rows).toMatchObject([{ ...border, shared_m: 16, neighbour_name: 'new' }]);
});
