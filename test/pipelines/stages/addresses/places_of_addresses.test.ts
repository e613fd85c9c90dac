import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressParcelStage } from '../../../../pipelines/stages/addresses/address_parcel.ts';
import { addressRegionStage } from '../../../../pipelines/stages/addresses/address_region.ts';
import { serveLocalityStage } from '../../../../pipelines/stages/addresses/locality.ts';
import {
  type AreasByMeshBlock,
  addMeshBlockAreas,
} from '../../../../pipelines/stages/addresses/mesh_block_areas.ts';
import { servePropertyCoverageStage } from '../../../../pipelines/stages/addresses/serve_property_coverage.ts';
import { servePropertyProfileStage } from '../../../../pipelines/stages/addresses/serve_property_profile.ts';
import { cellOf, NO_CELL } from '../../../../schema/grid.ts';
import { CHAIN_FIELDS } from '../../../../transforms/regions/locate.ts';
import { createDatabase, type TestDatabase } from '../../../database.ts';
import { computed } from '../../computed.ts';
import { statementRows } from '../../statement.ts';
import { CELL, home, parcel, pointAt, square } from '../squares.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database?.drop());

/** A live principal address at a point of the grid, on its property. */
const address = (gnaf_pid: string, at: readonly [number, number] | null, given: object = {}) => ({
  gnaf_pid,
  alias_principal: 'P',
  is_live: true,
  street_pid: 'S',
  number_first: 1,
  locality_pid: 'L',
  lot_plan: null,
  geocode_type: 'PAPS',
  geocode_level: 7,
  ...(at === null ? { lon: null, lat: null } : pointAt(...at)),
  mesh_block: null,
  mesh_block_year: null,
  ...given,
});
const unserved = [
  address('alias', [0, 0], { alias_principal: 'A' }),
  address('old', [0, 0], { is_live: false }),
];

it('finds the regions of an address by its mesh block, else by its point', () => {
  const chain = {
    sa1: null,
    sa2: null,
    sa2_name: null,
    sa3: null,
    sa3_name: null,
    sa4: null,
    sa4_name: null,
  };
  const region = (level: string, code: string, given: object = {}) => ({
    edition: 3,
    year: 2021,
    level,
    code,
    name: `Name ${code}`,
    ...chain,
    gccsa: null,
    gccsa_name: null,
    ste: '2',
    ...given,
  });
  const piece = [
    { ...region('SA1', '21', { sa1: '21', sa2: '2A' }), ...square(0, 0) },
    { ...region('SAL', '9'), ...square(0, 0) },
  ];
  const mesh_block = [region('MB', 'M', { sa1: '22', sa2: '2B' })];
  const { rows, account } = computed(
    addressRegionStage,
    {
      address: [
        address('block', [0.5, 0.5], { mesh_block: 'M', mesh_block_year: 2021 }),
        address('point', [0.5, 0.5]),
        address('none', null),
        ...unserved,
      ],
      piece,
      mesh_block,
      allocation: [],
    },
    CELL,
    new Map(),
  );
  expect(rows).toMatchObject([
    { gnaf_pid: 'block', cell: CELL, method: 'mesh_block', sa1: '22', sa2: '2B', sal: '9', agrees: false },
    { gnaf_pid: 'point', sa1: '21', sa2: '2A', sal: '9', sal_name: 'Name 9', edition: 3 },
    { gnaf_pid: 'none', method: 'none', sa1: null, sal: null },
  ]);
  expect(account).toEqual({ in: 5, out: 3, drops: { alias_or_retired: 2 } });
});

it('takes suburb, LGA and postal area of an address without a point from the shape of its mesh block', () => {
  const region = (level: string, code: string, given: object = {}) => ({
    ...Object.fromEntries(CHAIN_FIELDS.map((field) => [field, null])),
    ...{ edition: 3, year: 2021, level, code, name: `Name ${code}`, ...given },
  });
  const at = (piece: object, west: number, south: number, side = 1) => ({
    ...piece,
    ...square(west, south, side),
  });
  const areas: AreasByMeshBlock = new Map();
  const add = (...pieces: object[]) => addMeshBlockAreas(areas, pieces as never);
  // Most of the mesh block is in the second cell, in another suburb than its sliver in the first.
  add(at(region('MB', 'M'), 0.98, 0, 0.02), at(region('SAL', 'old'), 0, 0));
  add(
    at(region('MB', 'M'), 1, 0, 0.5),
    at(region('SAL', '9'), 1, 0),
    at(region('LGA', '8', { year: 2022 }), 1, 0),
    at(region('LGA', '7', { year: 2024 }), 1, 0),
    at(region('POA', '6', { edition: 4, year: 2026 }), 1, 0),
  );
  add(at(region('MB', 'bare'), 3, 0));
  const block = { mesh_block: 'M', mesh_block_year: 2021 };
  const allocation = { edition: 3, mesh_block: 'allocated', level: 'SAL', year: 2021, code: '5', name: null };
  const { rows } = computed(
    addressRegionStage,
    {
      address: [
        address('shape', null, block),
        address('bare', null, { ...block, mesh_block: 'bare' }),
        address('unknown', null, { ...block, mesh_block: 'unknown' }),
        address('later', null, { ...block, mesh_block_year: 2026 }),
        address('none', null),
        address('allocated', null, { ...block, mesh_block: 'allocated' }),
      ],
      piece: [],
      mesh_block: [
        region('MB', 'M', { sa1: '22' }),
        region('MB', 'bare', { sa1: '23' }),
        region('MB', 'allocated', { sa1: '24' }),
      ],
      allocation: [allocation],
    },
    NO_CELL,
    areas,
  );
  const unknown = { sal: null, lga: null, poa: null };
  expect(rows).toMatchObject([
    { gnaf_pid: 'shape', method: 'mesh_block', agrees: null, sa1: '22', sal: '9', lga: '7', poa: null },
    { gnaf_pid: 'bare', sa1: '23', ...unknown },
    { gnaf_pid: 'unknown', sa1: null, method: 'none', ...unknown },
    { gnaf_pid: 'later', sa1: null, method: 'none', ...unknown },
    { gnaf_pid: 'none', sa1: null, method: 'none', ...unknown },
    { gnaf_pid: 'allocated', sa1: '24', sal: '5', lga: null },
  ]);
});

it('finds the parcel of an address by its legal id, by its point, or as the nearest one', () => {
  const lot = { ...parcel('L', 3, 0), lot_plan: '1\\PS1' };
  const parcels = [parcel('P', 0, 0), lot];
  const { rows, account } = computed(
    addressParcelStage({ nearest_m: 5, legal_id_radius_m: 1000 }),
    {
      address: [
        address('legal', [0.5, 0.5], { lot_plan: '1\\PS1' }),
        address('in', [0.5, 0.5]),
        address('near', [1.02, 0.5], { number_first: null }),
        address('far', [1.5, 0.5]),
        ...unserved,
      ],
      parcel: parcels,
      lot: [lot],
      locality: [],
    },
    CELL,
  );
  expect(rows.map((row) => [row.gnaf_pid, row.parcel_id, row.method, row.site])).toEqual([
    ['legal', 'L', 'legal_id', 'S|1'],
    ['in', 'P', 'point_in_parcel', 'S|1'],
    ['near', 'P', 'nearest', null],
    ['far', null, 'none', 'S|1'],
  ]);
  expect(rows[1]).toMatchObject({
    holder_ids: ['P'],
    distance_m: 0,
    parcel_cell: CELL,
    west: parcels[0]!.min_lon,
  });
  expect(rows[2]!.distance_m).toBeCloseTo(1.76, 1);
  expect(account).toEqual({ in: 6, out: 4, drops: { alias_or_retired: 2 } });
});

it('takes an address without a point to the cell of its locality', () => {
  const { rows } = computed(
    addressParcelStage({ nearest_m: 5, legal_id_radius_m: 1000 }),
    {
      address: [address('a', null), address('b', null, { locality_pid: 'unknown' })],
      parcel: [],
      lot: [],
      locality: [{ locality_pid: 'L', ...pointAt(0, 0) }],
    },
    NO_CELL,
  );
  const { lon, lat } = pointAt(0, 0);
  expect(rows.map(({ point_cell }) => point_cell)).toEqual([cellOf(lon, lat), NO_CELL]);
});

it('serves the profile of an address in its home cell', async () => {
  const region = [{ gnaf_pid: 'a', home: 4, sal: '9', sal_name: 'Ash', edition: 3, sa1: '21', agrees: true }];
  expect(await statementRows(database, servePropertyProfileStage, { region })).toMatchObject([
    { gnaf_pid: 'a', cell: 4, sal_code: '9', suburb: 'Ash', asgs_edition: 3, sa1: '21', agrees: true },
  ]);
});

it('serves a locality of a state with its postcodes, properties and box', async () => {
  const at = (state: string, postcode: string | null, lon: number | null) => ({
    state,
    locality_name: 'ST KILDA',
    postcode,
    lon,
    lat: lon === null ? null : -lon / 4,
  });
  const rows = await statementRows(database, serveLocalityStage, {
    address: [at('VIC', '3182', 144), at('VIC', '3004', 148), at('VIC', null, null), at('NSW', null, null)],
  });
  expect(rows.sort((a, b) => Number(b.properties) - Number(a.properties))).toMatchObject([
    {
      state: 'VIC',
      postcodes: ['3004', '3182'],
      properties: 3,
      min_lon: 144,
      min_lat: -37,
      max_lon: 148,
      max_lat: -36,
    },
    { state: 'NSW', postcodes: [], properties: 1, min_lon: null },
  ]);
});

describe('the themes that cover a property', () => {
  const region = (gnaf_pid: string, at: readonly [number, number], given: object = {}) => {
    const { lon, lat } = pointAt(...at);
    const box = { min_lon: lon, min_lat: lat, max_lon: lon, max_lat: lat };
    return { ...home(gnaf_pid, null, at), ...box, sa1: '21', lga: '7', ...given };
  };
  const given = {
    region: [region('a', [0.5, 0.5]), region('b', [5, 5], { lga: '8' })],
    cadastre: [],
    census: [],
    area: [{ dataset: 'd', theme: 'zoning', state: 'VIC', area: '7' }],
    outline: [{ dataset: 'e', theme: 'flood', ...square(0, 0) }],
    gap: [],
    risk: [],
    unassessed: [],
  };
  const coveredBy = (more: object) =>
    Object.fromEntries(
      computed(servePropertyCoverageStage, { ...given, ...more }, CELL).rows.map((row) => [
        row.gnaf_pid,
        [row.covered, row.unassessed, row.not_matched],
      ]),
    );
  const NONE = [[], [], []];

  it('are those that a source claims there, by name or outline', () => {
    expect(coveredBy({})).toEqual({ a: [['flood', 'zoning'], [], []], b: NONE });
  });

  it('are those with a finding, the parcels where any are, and public housing where the Census counts', () => {
    const census = {
      code: '21',
      rented_from_state: 1,
      rented_from_community: 1,
      tenure_total: 90,
      tenure_not_stated: 0,
    };
    expect(
      coveredBy({
        area: [],
        outline: [],
        cadastre: [{ cell: CELL }],
        census: [census],
        risk: [{ gnaf_pid: 'b', layer: 'bushfire' }],
      }),
    ).toEqual({
      a: [['parcel', 'public_housing'], [], []],
      b: [['bushfire', 'parcel', 'public_housing'], [], []],
    });
  });

  it('are not matched where the address has neither parcel nor point on the property', () => {
    const astray = region('a', [0.5, 0.5], { is_parcel_position: false });
    expect(coveredBy({ region: [astray] })).toEqual({ a: [[], [], ['flood', 'zoning']] });
  });

  it('are unassessed if the source states that, and not covered where the source could not be read', () => {
    expect(coveredBy({ unassessed: [{ layer: 'flood', ...square(0, 0) }] }).a![1]).toEqual(['flood']);
    const { lon, lat } = pointAt(0.5, 0.5);
    const gap = {
      dataset: 'd',
      theme: 'zoning',
      west: lon - 0.001,
      south: lat - 0.001,
      east: lon + 0.001,
      north: lat + 0.001,
    };
    expect(coveredBy({ gap: [gap] }).a![0]).toEqual(['flood']);
  });
});
