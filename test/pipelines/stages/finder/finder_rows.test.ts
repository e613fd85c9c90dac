import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  propertyTallyStage,
  serveFieldCoverageStage,
} from '../../../../pipelines/stages/finder/field_coverage.ts';
import { serveSandboxSampleStage } from '../../../../pipelines/stages/finder/sandbox_sample.ts';
import { searchPlaceStage, serveSearchAreaStage } from '../../../../pipelines/stages/finder/search_area.ts';
import { servePropertyFinderStage } from '../../../../pipelines/stages/finder/serve_property_finder.ts';
import { serveSettingStage } from '../../../../pipelines/stages/finder/serve_setting.ts';
import { createDatabase, type TestDatabase } from '../../../database.ts';
import { computed } from '../../computed.ts';
import { statementRows } from '../../statement.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database?.drop());

it('puts the fields of a property side by side, with the market of its suburb and type', async () => {
  const of = { gnaf_pid: 'P1' };
  const [row] = await statementRows(database, servePropertyFinderStage, {
    property: [
      {
        ...of,
        cell: 4,
        state: 'VIC',
        sal: 'Ash',
        street: 'HIGH STREET',
        number_first: '7',
        lon: 1,
        land_area_sqm: 500,
        dwelling_type: 'house',
      },
    ],
    profile: [{ ...of, lga: '7' }],
    coverage: [{ ...of, covered: ['public_housing'] }],
    proximity: [{ ...of, school_m: 100 }],
    basics: [{ ...of, bedrooms: 3, dwelling_type: 'unit' }],
    avm: [{ ...of, predicted_price: 1_000_000 }],
    market: [
      { cell: 4, sal: 'Ash', market: 'house', growth_percent: 1 },
      { cell: 4, sal: 'Ash', market: 'unit', growth_percent: 2 },
    ],
  });
  expect(row).toMatchObject({
    ...of,
    street: '7 HIGH STREET',
    property_type: 'unit',
    beds: 3,
    price: 1_000_000,
    price_per_sqm: 2000,
    public_housing_covered: true,
    growth_percent: 2,
    lga: '7',
    is_located: true,
  });
  expect(row!.default_score).toBeGreaterThan(0);
});

it('counts the fields of properties, and the share of a suburb that has each', async () => {
  const property = ['P1', 'P2'].map((gnaf_pid) => ({ gnaf_pid }));
  const tally = await statementRows(database, propertyTallyStage, {
    finder: [
      { gnaf_pid: 'P1', cell: 4, state: 'VIC', sal: 'Ash', lon: 1, default_score: 50, beds: 3, price: 5 },
      { gnaf_pid: 'P2', cell: 4, state: 'VIC', sal: 'Ash' },
    ],
    property: [{ ...property[0], postcode: '3000', lon: 1 }, property[1]!],
    property_avm: [{ gnaf_pid: 'P1', predicted_price: 5 }],
  });
  expect(tally.sort((a, b) => (String(a.gnaf_pid) < String(b.gnaf_pid) ? -1 : 1))).toMatchObject([
    { gnaf_pid: 'P1', cell: 4, is_default: true, known: 2 },
    { gnaf_pid: 'P2', is_default: false, known: null },
  ]);
  const rows = await statementRows(database, serveFieldCoverageStage, {
    property: [...tally, { ...tally[0], sal: null }],
  });
  const shareOf = (field: string) => rows.find((row) => row.field === field)?.share_filled;
  expect(
    ['property.postcode', 'property.lon', 'property_avm.predicted_price', 'property_zoning.code'].map(
      shareOf,
    ),
  ).toEqual([0.5, 0.5, 0.5, 0]);
  for (const row of rows) expect(row).toMatchObject({ sal: 'Ash', state: 'VIC', properties: 2 });
});

it('derives the search areas from their properties, and counts what a search without criteria finds', async () => {
  const address = (gnaf_pid: string, state: string, sa2: string, lon: number) => ({
    gnaf_pid,
    state,
    lon,
    lat: -lon,
    sa2,
    sa2_name: `Name ${sa2}`,
    sal: '9',
    sal_name: 'Mt Ash',
  });
  const place = await statementRows(database, searchPlaceStage, {
    address: [address('a', 'VIC', '21', 1), address('b', 'VIC', '22', 2), address('c', 'VIC', '22', 3)],
    coverage: [
      { gnaf_pid: 'a', covered: ['flood'], not_matched: [] },
      { gnaf_pid: 'b', covered: ['flood', 'zoning'], not_matched: [] },
      { gnaf_pid: 'c', covered: ['zoning'], not_matched: ['flood'] },
    ],
  });
  const keyed = (rows: Record<string, unknown>[]) =>
    Object.fromEntries(rows.map((row) => [`${row.level} ${row.code}`, row]));
  expect(Object.keys(keyed(place)).sort()).toEqual(['SA2 21', 'SA2 22', 'SAL 9', 'STE VIC']);
  expect(keyed(place)).toMatchObject({
    'SA2 21': { covered: ['flood'], properties: 1 },
    'SA2 22': { covered: ['flood', 'zoning'], properties: 2 },
    'SAL 9': {
      name: 'Mt Ash',
      state: 'VIC',
      sa2: '22',
      covered: ['flood'],
      min_lon: 1,
      max_lon: 3,
      properties: 3,
    },
    'STE VIC': { name: 'Victoria' },
  });
  const areas = await statementRows(database, serveSearchAreaStage, {
    place,
    property: [
      { state: 'VIC', sal: 'Mt Ash' },
      { state: 'VIC', sal: 'Elm' },
    ],
  });
  expect(keyed(areas)).toMatchObject({
    'SA2 21': { by_default: null },
    'SAL 9': { by_default: 1, name_key: expect.stringMatching(/ash/i) },
    'STE VIC': { by_default: 2 },
  });
});

it('serves the settings that answers name, once a state is served', () => {
  const { rows, account } = computed(serveSettingStage, { area: [{ code: 'VIC' }] });
  expect(rows).toContainEqual({ name: 'hazards.radius_m', value: 1000, unit: 'metres' });
  expect(rows).toHaveLength(5);
  expect(account).toEqual({ in: 1, out: 1, drops: {} });
});

it('samples of each state the property with the most subjects, of equals the first', async () => {
  const finder = (gnaf_pid: string, state: string) => ({ gnaf_pid, state, sal: 'Ash', beds: 3 });
  const rows = await statementRows(database, serveSandboxSampleStage, {
    property: ['a', 'b', 'c', 'd'].map((gnaf_pid) => ({
      gnaf_pid,
      state: gnaf_pid < 'c' ? 'VIC' : 'NSW',
      known: 1,
    })),
    finder: [finder('a', 'VIC'), finder('b', 'VIC'), finder('c', 'NSW'), finder('d', 'NSW')],
    zone: [{ gnaf_pid: 'b' }],
    risk: [
      { gnaf_pid: 'b', layer: 'flood' },
      { gnaf_pid: 'b', layer: 'flood' },
    ],
    event: [{ gnaf_pid: 'b', type: 'For Rent' }],
  });
  expect(rows.map(({ gnaf_pid, subjects }) => [gnaf_pid, subjects]).sort()).toEqual([
    ['b', ['beds', 'rent_history', 'risk_flood', 'zoning']],
    ['c', ['beds']],
  ]);
});
