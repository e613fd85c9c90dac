import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ComputedStage } from '../../../../pipelines/engine/stage.ts';
import { publicHousingAreaStage } from '../../../../pipelines/stages/hazards/public_housing_area.ts';
import { recordedFloodStage } from '../../../../pipelines/stages/hazards/recorded_flood.ts';
import { serveHazardStage } from '../../../../pipelines/stages/hazards/serve_hazard.ts';
import { servePropertyRiskStage } from '../../../../pipelines/stages/hazards/serve_property_risk.ts';
import { createDatabase, type TestDatabase } from '../../../database.ts';
import { computed } from '../../computed.ts';
import { statementRows } from '../../statement.ts';
import { CELL, home, parcel, square } from '../squares.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database?.drop());

it('serves the pieces of hazards unchanged', async () => {
  const piece = [{ cell: 3, layer: 'flood', feature_id: 'VIC:1', geom: '\\x01' }];
  expect(await statementRows(database, serveHazardStage, { piece })).toMatchObject(piece);
});

it('takes one feature of each recorded flood: the first by id', async () => {
  const of = (feature_id: string, event_date: string) => ({ feature_id, event_date, shape: 'polygon' });
  const rows = await statementRows(database, recordedFloodStage, {
    piece: [
      of('VIC:b', '2011-01-01'),
      of('VIC:a', '2011-01-01'),
      of('VIC:c', '2012-01-01'),
      of('NSW:d', '2011-01-01'),
    ],
  });
  expect(rows.map(({ state, feature_id }) => [state, feature_id]).sort()).toEqual([
    ['NSW', 'NSW:d'],
    ['VIC', 'VIC:a'],
    ['VIC', 'VIC:c'],
  ]);
});

it('finds the SA1s whose share of public housing reaches the threshold, by the newest Census', () => {
  const piece = ['high', 'low', 'small', 'unknown'].map((code, x) => ({
    edition: 3,
    year: 2021,
    level: 'SA1',
    code,
    ...square(x, 0),
  }));
  const census = (code: string, year: number, rented: number, dwellings: number) => ({
    edition: 3,
    year,
    code,
    rented_from_state: rented,
    rented_from_community: 5,
    tenure_total: dwellings + 10,
    tenure_not_stated: 10,
  });
  const { rows, account } = computed(
    publicHousingAreaStage,
    {
      piece,
      census: [
        census('high', 2016, 0, 100),
        census('high', 2021, 15, 100),
        census('low', 2021, 4, 100),
        census('small', 2021, 9, 20),
      ],
    },
    CELL,
  );
  const { geom, min_lon, max_lat } = piece[0]!;
  expect(rows).toMatchObject([{ cell: CELL, sa1: 'high', share: 0.2, geom, min_lon, max_lat }]);
  expect(account).toEqual({
    in: 4,
    out: 1,
    drops: { below_threshold: 1, too_few_dwellings: 1, no_census: 1 },
  });
});

it('finds each class of hazard on and near a property, from its parcel, else from its point', () => {
  const hazard = (
    feature_id: string,
    layer: string,
    hazard_class: string,
    ...at: Parameters<typeof square>
  ) => ({
    layer,
    feature_id,
    shape: 'polygon',
    hazard_class,
    name: hazard_class,
    code: null,
    severity: null,
    event_date: null,
    ...square(...at),
  });
  const { rows, account } = computed(
    servePropertyRiskStage(1000) as ComputedStage,
    {
      parcel: [
        home('on', 'P', [0.5, 0.5]),
        home('point', null, [2.5, 0.5]),
        home('far', 'F', null),
        home('nowhere', null, null),
      ],
      shape: [parcel('P', 0, 0), parcel('F', 30, 0)],
      hazard: [
        hazard('VIC:1', 'flood', 'one', 0, 0, 0.5),
        hazard('VIC:2', 'flood', 'one', 3, 0),
        hazard('VIC:3', 'bushfire', 'two', 0, 2),
      ],
      housing: [],
      flood: [],
    },
    CELL,
  );
  const found = rows.map((row) => [
    row.gnaf_pid,
    row.layer,
    row.measured_from,
    row.on_property,
    row.features_within_radius,
  ]);
  expect(found).toEqual([
    ['on', 'bushfire', 'parcel', false, 1],
    ['on', 'flood', 'parcel', true, 2],
    ['point', 'bushfire', 'point', false, 1],
    ['point', 'flood', 'point', false, 2],
  ]);
  expect(rows[1]).toMatchObject({
    feature_id: 'VIC:1',
    nearest_distance_m: 0,
    point_on: false,
    search_radius_m: 1000,
  });
  expect(rows[1]!.parcel_share).toBeCloseTo(0.5, 3);
  expect(rows[0]!.nearest_distance_m).toBeCloseTo(111, -1);
  expect(rows[3]!.nearest_distance_m).toBeCloseTo(44, -1);
  expect(account).toEqual({ in: 4, out: 2, drops: { no_hazard: 2 } });
});
