import { expect, it } from 'vitest';
import { servePlaceStage } from '../../../../pipelines/stages/places/serve_place.ts';
import { servePropertyProximityStage } from '../../../../pipelines/stages/places/serve_property_proximity.ts';
import { serveSchoolStage } from '../../../../pipelines/stages/places/serve_school.ts';
import { serveStopStage } from '../../../../pipelines/stages/places/serve_stop.ts';
import { computed } from '../../computed.ts';
import { CELL, home, parcel, pointAt, square } from '../squares.ts';

const area = (level: string, code: string, year: number, ...at: Parameters<typeof square>) => ({
  edition: 3,
  year,
  level,
  code,
  name: `Name ${code}`,
  sa3: `${code}0`,
  ste: null,
  ...square(...at),
});
const region = [area('SA2', '21', 2021, 0, 0), area('SA2', '22', 2022, 0, 0), area('SA2', '31', 2021, 1, 0)];
const HERE = { state: 'VIC', sa2: '22', sa3: '220' };

it('places each place and stop in the newest region that contains it', () => {
  const at = (place_id: string, x: number) => ({
    place_id,
    category: 'park',
    ...square(x, 0),
    ...pointAt(x + 0.5, 0.5),
  });
  const places = computed(servePlaceStage, { place: [at('a', 0), at('b', 1), at('c', 5)], region });
  expect(places.rows).toMatchObject([
    { place_id: 'a', category: 'park', ...HERE },
    { place_id: 'b', state: 'QLD', sa2: '31', sa3: '310' },
    { place_id: 'c', state: null, sa2: null, sa3: null },
  ]);
  const stop = [
    { cell: CELL, source: 's', stop_id: '1', mode: 'bus', label: 'High St', ...pointAt(0.5, 0.5) },
  ];
  const stops = computed(serveStopStage, { stop, around: stop, region });
  expect(stops.rows).toMatchObject([{ stop_id: '1', one_stop_id: '1', ...HERE }]);
});

it('serves a school with its ranks and the area of every level, and none without a point', () => {
  const of = (school_id: number, given: object) => ({
    school_id,
    name: 'S',
    level: 'Primary',
    sector: 'Government',
    is_special: false,
    state: 'VIC',
    lon: null,
    lat: null,
    ...given,
  });
  const areas = [
    ...region,
    area('SAL', '9', 2021, 0, 0),
    area('LGA', '8', 2021, 0, 0),
    area('POA', '7', 2021, 0, 0),
  ];
  const rank = [1, 2, 3].map((school_id) => ({ school_id, naplan_rank: school_id, attendance_rate: 90 }));
  const school = [of(1, pointAt(0.5, 0.5)), of(2, { is_special: true, ...pointAt(9, 9) }), of(3, {})];
  const { rows, account } = computed(serveSchoolStage, { school, region: areas, rank }, CELL);
  expect(rows).toMatchObject([
    {
      school_id: 1,
      cell: CELL,
      level: 'Primary',
      naplan_rank: 1,
      ...HERE,
      sal: 'Name 9',
      lga: '8',
      poa: '7',
    },
    {
      school_id: 2,
      level: 'Special',
      naplan_rank: 2,
      state: 'VIC',
      sa2: null,
      sal: null,
      lga: null,
      poa: null,
    },
  ]);
  expect(account).toEqual({ in: 3, out: 2, drops: { no_point: 1 } });
});

it('measures to the nearest of each kind: an area to its edge, stations further than stops', () => {
  const place = (place_id: string, category: string, geom: Uint8Array | null, x: number) => ({
    cell: CELL,
    place_id,
    category,
    ...pointAt(x, 0),
    geom,
  });
  const stop = (stop_id: string, mode: string, x: number) => ({
    cell: CELL,
    stop_id,
    mode,
    ...pointAt(x, 0),
  });
  const { rows } = computed(
    servePropertyProximityStage,
    {
      region: [home('a', 'P', [0, 0]), home('b', null, null)],
      school: [
        { cell: CELL, school_id: 7, ...pointAt(3, 0) },
        { cell: CELL, school_id: 8, ...pointAt(2, 0) },
      ],
      stop: [stop('bus', 'bus', 4), stop('tram', 'tram', 1)],
      station: [stop('train', 'train', 100)],
      place: [
        place('shop', 'supermarket', null, 5),
        place('park', 'green_space', square(10, -5, 10, 10).geom, 15),
      ],
      beach: [place('sea', 'beach', null, 300)],
      shape: [parcel('P', 0, 0)],
      housing: [{ sa1: '1', share: 0.5, ...square(3, 0) }],
    },
    CELL,
  );
  const metres = (x: number) => expect.toSatisfy((m: number) => Math.abs(m - 88 * x) < 3 + x / 2);
  expect(rows[0]).toMatchObject({
    gnaf_pid: 'a',
    school_id: 8,
    school_m: metres(2),
    supermarket_m: metres(5),
    park_m: metres(10),
    railway_m: metres(100),
    bus_m: metres(4),
    tram_m: metres(1),
    public_housing_m: metres(2),
    train_m: null,
    ferry_m: null,
    restaurant_m: null,
    beach_m: null,
  });
  expect(rows[1]).toMatchObject({
    gnaf_pid: 'b',
    school_m: null,
    school_id: null,
    railway_m: null,
    public_housing_m: null,
  });
});
