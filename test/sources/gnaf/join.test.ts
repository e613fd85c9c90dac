import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  accountOf,
  address,
  GnafFolder,
  geocode,
  pid,
  type Tables,
  tinyTables,
  type Values,
} from './tiny_release.ts';

let disk: GnafFolder;
beforeAll(async () => {
  disk = await GnafFolder.open();
});
afterAll(() => disk.close());

const site = (n: number, values: Values): Values => ({
  ADDRESS_SITE_GEOCODE_PID: '1',
  ADDRESS_SITE_PID: String(1000 + n),
  GEOCODE_TYPE_CODE: 'PC',
  RELIABILITY_CODE: '2',
  LONGITUDE: '145.1',
  LATITUDE: '-37.1',
  ...values,
});
const read = (change: (tables: Tables) => void, options: Record<string, unknown> = {}) => {
  const tables = tinyTables();
  change(tables);
  return disk.read(tables, { options });
};

describe('addresses', () => {
  it('are joined with street, locality and default geocode', async () => {
    const { addresses, rejects } = await read((t) => {
      t.ADDRESS_DETAIL![1] = address(2, {
        LOT_NUMBER_PREFIX: 'A',
        LOT_NUMBER: '9',
        FLAT_TYPE_CODE: 'SE',
        FLAT_NUMBER_PREFIX: 'S',
        FLAT_NUMBER: '11',
        FLAT_NUMBER_SUFFIX: 'A',
        LEVEL_TYPE_CODE: 'L',
        LEVEL_NUMBER: '3',
        NUMBER_FIRST_SUFFIX: 'B',
        NUMBER_LAST: '4',
        LEGAL_PARCEL_ID: '1\\PS2',
        PRIMARY_SECONDARY: 'S',
      });
    });
    expect(rejects).toEqual([]);
    expect(addresses[1]).toEqual({
      load_id: 0,
      source_no: 3,
      cell: 3630979,
      gnaf_pid: pid(2),
      state: 'VIC',
      label: 'LEVEL 3, SUITE S11A, 2B-4 SWAN STREET EAST, RICHMOND VIC 3121',
      building_name: null,
      lot_number: 'A9',
      flat_type: 'SE',
      flat_number: 'S11A',
      level_type: 'L',
      level_number: '3',
      number_first: '2B',
      number_last: '4',
      street_pid: 'VIC1',
      street_name: 'SWAN',
      street_type: 'STREET',
      street_suffix: 'EAST',
      locality_pid: 'loc1',
      locality_name: 'RICHMOND',
      postcode: '3121',
      legal_parcel_id: '1\\PS2',
      lot_plan: '1\\PS2',
      confidence: 2,
      alias_principal: 'P',
      primary_secondary: 'S',
      is_live: true,
      geocode_type: 'FCS',
      geocode_level: 7,
      lon: 144.9631,
      lat: -37.8136,
      mesh_block: null,
      mesh_block_year: null,
    });
  });

  it('without a street use the location description in the label', async () => {
    const { addresses } = await read((t) => {
      t.ADDRESS_DETAIL![0] = address(1, {
        STREET_LOCALITY_PID: '',
        NUMBER_FIRST: '',
        LOCATION_DESCRIPTION: 'WHARF 7',
      });
    });
    expect(addresses[0]).toMatchObject({
      street_pid: null,
      street_name: null,
      label: 'WHARF 7, RICHMOND VIC 3121',
    });
  });

  it('are kept as not live with confidence -1 or a retirement date', async () => {
    const { addresses } = await read((t) => {
      t.ADDRESS_DETAIL![0] = address(1, { CONFIDENCE: '-1' });
      t.ADDRESS_DETAIL![1] = address(2, { DATE_RETIRED: '2024-01-01' });
      t.ADDRESS_DETAIL![2] = address(3, { CONFIDENCE: '0' });
    });
    expect(addresses.map((row) => [row.confidence, row.is_live])).toEqual([
      [-1, false],
      [2, false],
      [0, true],
    ]);
  });

  it('keep NULL as a street type, and expand abbreviated types', async () => {
    const { rows } = await read((t) => {
      const [street] = t.STREET_LOCALITY!;
      t.STREET_LOCALITY!.push({ ...street, STREET_LOCALITY_PID: 'VIC2', STREET_TYPE_CODE: 'NULL' });
      t.STREET_LOCALITY!.push({ ...street, STREET_LOCALITY_PID: 'VIC3', STREET_TYPE_CODE: 'ST' });
      t.STREET_LOCALITY!.push({ ...street, STREET_LOCALITY_PID: 'VIC4', STREET_TYPE_CODE: '' });
    });
    expect(rows.street!.map((street) => street.type)).toEqual(['STREET', 'NULL', 'STREET', null]);
    expect(rows.street![0]).toMatchObject({ suffix: 'E' });
  });
});

describe('default geocodes', () => {
  it('are the latest of an address, then the lowest pid; the others are dropped', async () => {
    const result = await read((t) => {
      t.ADDRESS_DEFAULT_GEOCODE!.push(
        geocode(1, { DATE_CREATED: '2020-01-01', ADDRESS_DEFAULT_GEOCODE_PID: '9', LATITUDE: '-37.1' }),
        geocode(1, { DATE_CREATED: '2020-01-01', ADDRESS_DEFAULT_GEOCODE_PID: '10', LATITUDE: '-37.2' }),
        geocode(2, { DATE_CREATED: '2010-01-01', ADDRESS_DEFAULT_GEOCODE_PID: '1', LATITUDE: '-37.3' }),
        geocode(3, { DATE_CREATED: '2024-01-01', DATE_RETIRED: '2025-01-01', LATITUDE: '-37.4' }),
        geocode(77),
      );
    });
    expect(result.addresses.map((row) => row.lat)).toEqual([-37.1, -37.8136, -37.8136]);
    expect(accountOf(result, 'ADDRESS_DEFAULT_GEOCODE')).toMatchObject({
      table: null,
      rows_in: 8,
      records: 3,
      rejects: 0,
      drops: { extra_geocode: 3, retired: 1, no_address: 1 },
    });
  });

  it('without coordinates are replaced by the best geocode of the site', async () => {
    const result = await read((t) => {
      t.ADDRESS_DEFAULT_GEOCODE![1] = geocode(2, { LONGITUDE: '', LATITUDE: '' });
      t.ADDRESS_DEFAULT_GEOCODE!.pop();
      t.ADDRESS_SITE_GEOCODE = [
        site(2, { ADDRESS_SITE_GEOCODE_PID: '1', GEOCODE_TYPE_CODE: 'PC' }),
        site(2, { ADDRESS_SITE_GEOCODE_PID: '8', GEOCODE_TYPE_CODE: 'PAPS', LATITUDE: '-37.2' }),
        site(2, { ADDRESS_SITE_GEOCODE_PID: '7', GEOCODE_TYPE_CODE: 'PAPS', LATITUDE: '-37.3' }),
        site(2, {
          ADDRESS_SITE_GEOCODE_PID: '6',
          GEOCODE_TYPE_CODE: 'PAPS',
          LATITUDE: '-37.4',
          DATE_RETIRED: '2020-01-01',
        }),
        site(3, { ADDRESS_SITE_GEOCODE_PID: '5', LONGITUDE: '1.5', LATITUDE: '2.5' }),
        site(99, {}),
      ];
    });
    expect(result.addresses.map((row) => [row.gnaf_pid, row.lat, row.geocode_type])).toEqual([
      [pid(1), -37.8136, 'FCS'],
      [pid(2), -37.3, 'PAPS'],
      [pid(3), null, null],
    ]);
    expect(result.addresses[2]).toMatchObject({ cell: -1, lon: null });
    expect(accountOf(result, 'ADDRESS_SITE_GEOCODE')).toMatchObject({
      rows_in: 6,
      records: 1,
      rejects: 1,
      drops: { unused: 4 },
    });
    expect(result.rejects.map((reject) => reject.code)).toEqual(['outside_australia']);
    expect(result.notes).toContain('VIC: 1 addresses have no coordinates in any geocode table.');
  });

  it('give the same addresses in one pass and in several', async () => {
    const many: Tables = tinyTables();
    many.ADDRESS_DETAIL = [];
    many.ADDRESS_DEFAULT_GEOCODE = [];
    for (let n = 0; n < 500; n++) {
      // A few PIDs of another form, which have no numeric key.
      const own: Values = n % 50 === 0 ? { ADDRESS_DETAIL_PID: `GAXX${n}` } : {};
      many.ADDRESS_DETAIL.push(address(n, own));
      many.ADDRESS_DEFAULT_GEOCODE.unshift(geocode(n, { ...own, LONGITUDE: `144.${100 + n}` }));
    }
    many.ADDRESS_DETAIL.push(address(501, { CONFIDENCE: 'x' }));
    const one = await disk.read(many);
    const several = await disk.read(many, { options: { geocodes_in_memory: 100 } });
    const sorted = (rows: Record<string, unknown>[]) =>
      rows.toSorted((a, b) => Number(a.source_no) - Number(b.source_no));
    expect(several.addresses.map((row) => row.source_no)).not.toEqual(
      one.addresses.map((row) => row.source_no),
    );
    expect(sorted(several.addresses)).toEqual(sorted(one.addresses));
    expect(several.rejects).toEqual(one.rejects);
    expect(several.accounts).toEqual(one.accounts);
    expect(one.addresses).toHaveLength(500);
    expect(one.addresses.every((row) => row.lon === Number(`144.${98 + Number(row.source_no)}`))).toBe(true);
  });
});

describe('mesh blocks', () => {
  const link = (year: number, n: number, code: string, values: Values = {}): Values => ({
    DATE_CREATED: '2021-08-01',
    ADDRESS_DETAIL_PID: pid(n),
    [`MB_${year}_PID`]: `MB${code}`,
    ...values,
  });
  const block = (year: number, code: string): Values => ({
    [`MB_${year}_PID`]: `MB${code}`,
    [`MB_${year}_CODE`]: code,
  });
  const both = (t: Tables): void => {
    t.MB_2016 = [block(2016, '20100000000')];
    t.ADDRESS_MESH_BLOCK_2016 = [link(2016, 1, '20100000000')];
    t.MB_2021 = [
      block(2021, '20200000000'),
      block(2021, '20300000000'),
      { MB_2021_PID: 'MBx', MB_2021_CODE: '2020' },
    ];
    t.ADDRESS_MESH_BLOCK_2021 = [
      link(2021, 1, '20300000000'),
      link(2021, 1, '20200000000'),
      link(2021, 2, '20200000000'),
      link(2021, 2, '20300000000', { DATE_CREATED: '2022-01-01' }),
      link(2021, 3, '20300000000', { DATE_RETIRED: '2022-01-01' }),
      link(2021, 3, 'unknown'),
      link(2021, 88, '20300000000'),
    ];
  };

  it('come from the newest tables; of several links the latest wins, then the lowest code', async () => {
    const result = await read(both);
    expect(result.addresses.map((row) => [row.mesh_block, row.mesh_block_year])).toEqual([
      ['20200000000', 2021],
      ['20300000000', 2021],
      [null, null],
    ]);
    expect(accountOf(result, 'ADDRESS_MESH_BLOCK_2021')).toMatchObject({
      rows_in: 7,
      records: 2,
      rejects: 1,
      drops: { extra_mesh_block: 2, retired: 1, no_address: 1 },
    });
    expect(accountOf(result, 'ADDRESS_MESH_BLOCK_2016')).toBeUndefined();
    expect(result.rejects.map((reject) => reject.code).sort()).toEqual([
      'bad_mesh_block',
      'unknown_mesh_block',
    ]);
  });

  it('come from the year that the configuration names', async () => {
    const { addresses } = await read(both, { mesh_block_year: 2016 });
    expect(addresses.map((row) => row.mesh_block)).toEqual(['20100000000', null, null]);
    await expect(read(both, { mesh_block_year: 2026 })).rejects.toMatchObject({
      code: 'gnaf_no_mesh_block_year',
      message: expect.stringContaining('2021, 2016'),
    });
  });

  it('are null without mesh-block tables, with a note', async () => {
    const { addresses, notes } = await read(() => {});
    expect(addresses[0]).toMatchObject({ mesh_block: null, mesh_block_year: null });
    expect(notes).toContain('No mesh-block tables for VIC: mesh_block is null.');
  });
});

describe('other tables', () => {
  it('become records, retired rows are dropped', async () => {
    const { rows, rejects } = await read((t) => {
      t.LOCALITY!.push({
        LOCALITY_PID: 'loc2',
        LOCALITY_NAME: 'Cremorne',
        LOCALITY_CLASS_CODE: 'G',
        PRIMARY_POSTCODE: '3121',
      });
      t.LOCALITY_POINT = [
        {
          LOCALITY_POINT_PID: '2',
          DATE_CREATED: '2020-01-01',
          LOCALITY_PID: 'loc2',
          LONGITUDE: '145',
          LATITUDE: '-37.5',
        },
        {
          LOCALITY_POINT_PID: '1',
          DATE_CREATED: '2020-01-01',
          LOCALITY_PID: 'loc2',
          LONGITUDE: '145',
          LATITUDE: '-37.6',
        },
        { LOCALITY_POINT_PID: '3', LOCALITY_PID: 'loc9', LONGITUDE: '145', LATITUDE: '-37.6' },
      ];
      t.LOCALITY_ALIAS = [
        { LOCALITY_ALIAS_PID: 'a1', LOCALITY_PID: 'loc1', NAME: 'BURNLEY', ALIAS_TYPE_CODE: 'SYN' },
        { LOCALITY_ALIAS_PID: 'a2', LOCALITY_PID: 'loc9', NAME: 'NOWHERE' },
      ];
      t.LOCALITY_NEIGHBOUR = [{ LOCALITY_PID: 'loc1', NEIGHBOUR_LOCALITY_PID: 'loc2' }];
      t.STREET_LOCALITY_ALIAS = [
        {
          STREET_LOCALITY_ALIAS_PID: 's1',
          STREET_LOCALITY_PID: 'VIC1',
          STREET_NAME: 'OLD SWAN',
          STREET_TYPE_CODE: 'STREET',
        },
        { STREET_LOCALITY_ALIAS_PID: 's2', STREET_LOCALITY_PID: 'VIC9', STREET_NAME: 'X' },
      ];
      t.ADDRESS_ALIAS = [
        { PRINCIPAL_PID: pid(1), ALIAS_PID: pid(2), ALIAS_TYPE_CODE: 'RA' },
        { PRINCIPAL_PID: pid(1), ALIAS_PID: pid(3), ALIAS_TYPE_CODE: 'RA', DATE_RETIRED: '2020-01-01' },
      ];
      t.PRIMARY_SECONDARY = [
        { PRIMARY_PID: pid(1), SECONDARY_PID: pid(3), PS_JOIN_TYPE_CODE: '1' },
        { PRIMARY_PID: pid(1), SECONDARY_PID: pid(2) },
        { PRIMARY_PID: pid(1), SECONDARY_PID: '' },
      ];
    });
    expect(rows.locality).toMatchObject([
      { name: 'RICHMOND', lon: null, postcode: null },
      { name: 'CREMORNE', lon: 145, lat: -37.6, postcode: '3121' },
    ]);
    expect(rows.locality_alias).toMatchObject([{ alias_id: 'a1', name: 'BURNLEY', alias_type: 'SYN' }]);
    expect(rows.locality_neighbour).toMatchObject([{ locality_pid: 'loc1', neighbour_pid: 'loc2' }]);
    expect(rows.street_alias).toMatchObject([
      { alias_id: 's1', street_pid: 'VIC1', type: 'STREET', suffix: null },
    ]);
    expect(rows.address_alias).toMatchObject([
      { alias_pid: pid(2), principal_pid: pid(1), alias_type: 'RA' },
    ]);
    expect(rows.address_parent).toMatchObject([
      { secondary_pid: pid(3), primary_pid: pid(1), join_type: 1 },
      { secondary_pid: pid(2), join_type: null },
    ]);
    expect(rejects.map((reject) => reject.code).sort()).toEqual([
      'missing_value',
      'unknown_locality',
      'unknown_street',
    ]);
  });
});
