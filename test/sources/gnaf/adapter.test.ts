import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it } from 'vitest';
import { gnafAdapter } from '../../../sources/gnaf/adapter.ts';
import { adapterConformance } from '../conformance.ts';
import {
  accountOf,
  address,
  datasetOfFiles,
  GnafFolder,
  geocode,
  membersOf,
  type ReadResult,
  readDataset,
  tinyTables,
} from './tiny_release.ts';

const data = (path: string): string =>
  fileURLToPath(new URL(`../../../../shared/data/${path}`, import.meta.url));
const YARRA = data('yarra/gnaf/g-naf_nov25_vic-yarra_gda2020_psv.zip');
const TRAPS = data('yarra/gnaf/traps.csv');
const REAL = data('gnaf_real_vic_451/g-naf_feb26_vic-451_gda2020_psv.zip');

const there = (path: string): boolean => {
  const found = existsSync(path);
  if (!found) console.warn(`skipped: ${path} is not there`);
  return found;
};

adapterConformance('gnaf', async () => {
  const disk = await GnafFolder.open();
  const tables = tinyTables();
  tables.ADDRESS_DETAIL = Array.from({ length: 5000 }, (_, n) => address(n));
  tables.ADDRESS_DEFAULT_GEOCODE = tables.ADDRESS_DETAIL.map((_, n) => geocode(n));
  tables.ADDRESS_DETAIL.push(address(9000, { LOCALITY_PID: 'loc404' }), address(9001, { NUMBER_FIRST: 'x' }));
  tables.ADDRESS_DEFAULT_GEOCODE[7] = geocode(7, { LONGITUDE: '', LATITUDE: '' });
  tables.ADDRESS_DEFAULT_GEOCODE[8] = geocode(8, { LONGITUDE: '0', LATITUDE: '0' });
  const path = await disk.zip({ ...membersOf(tables), ...membersOf(tinyTables(), 'NSW') });
  return { adapter: gnafAdapter, dataset: datasetOfFiles([path]), remove: () => disk.close() };
});

describe.skipIf(!there(YARRA))('City of Yarra', () => {
  let result: ReadResult;
  let byPid: Map<unknown, Record<string, unknown>>;
  beforeAll(async () => {
    result = await readDataset(datasetOfFiles([YARRA]));
    byPid = new Map(result.addresses.map((row) => [row.gnaf_pid, row]));
  });

  it('has the rows that its description states', () => {
    const counts = Object.fromEntries(
      Object.entries(result.rows).map(([table, rows]) => [table, rows.length]),
    );
    expect(counts).toEqual({
      address: 19_841,
      address_alias: 432,
      address_parent: 1_553,
      locality: 15,
      locality_alias: 10,
      locality_neighbour: 14,
      street: 648,
    });
    expect(result.rejects).toEqual([]);
    expect(byPid.size).toBe(19_841);
    expect(result.addresses.filter((row) => row.primary_secondary === 'P')).toHaveLength(779);
    expect(result.addresses.filter((row) => row.primary_secondary === 'S')).toHaveLength(1_553);
  });

  it('takes the one default geocode without coordinates from the site', () => {
    expect(accountOf(result, 'ADDRESS_DEFAULT_GEOCODE')).toMatchObject({
      records: 19_840,
      drops: { no_coordinates: 1 },
    });
    expect(accountOf(result, 'ADDRESS_SITE_GEOCODE')).toMatchObject({
      records: 1,
      drops: { unused: 19_840 },
    });
    expect(result.addresses.every((row) => row.lon !== null)).toBe(true);
  });

  it('gives each trap its outcome', async () => {
    const traps = parse(await readFile(TRAPS), { columns: true }) as Record<
      'kind' | 'gnaf_pid' | 'address',
      string
    >[];
    const expected: Record<string, Record<string, unknown>> = {
      confidence_minus_1: { confidence: -1, is_live: false },
      locality_level_geocode: { geocode_type: 'LOC', geocode_level: 4, is_live: true },
      street_level_geocode: { geocode_type: 'STL', geocode_level: 6, is_live: true },
      date_retired_set: { is_live: false, confidence: 0 },
      default_geocode_without_coordinates: {
        is_live: true,
        lon: expect.any(Number),
        lat: expect.any(Number),
      },
      flat_number_without_flat_type: {
        flat_type: null,
        flat_number: expect.stringMatching(/^\d+$/),
        is_live: true,
      },
    };
    expect(traps).toHaveLength(21);
    for (const { kind, gnaf_pid, address: written } of traps) {
      const row = byPid.get(gnaf_pid);
      expect(row, `${kind} ${gnaf_pid}`).toMatchObject(expected[kind]!);
      expect(String(row?.label).replace(', ', ' ')).toMatch(new RegExp(`^${written} VIC \\d{4}$`));
    }
    expect(result.addresses.filter((row) => row.is_live === false)).toHaveLength(13);
  });

  it('is read the same from several passes', async () => {
    const passes = await readDataset(datasetOfFiles([YARRA], { options: { geocodes_in_memory: 4000 } }));
    const sorted = (rows: Record<string, unknown>[]) =>
      rows.toSorted((a, b) => Number(a.source_no) - Number(b.source_no));
    expect(sorted(passes.addresses)).toEqual(sorted(result.addresses));
    expect(passes.accounts).toEqual(result.accounts);
  });
});

describe.skipIf(!there(REAL))('451 real rows', () => {
  let result: ReadResult;
  beforeAll(async () => {
    result = await readDataset(datasetOfFiles([REAL]));
  });

  it('are all records', () => {
    expect([result.addresses.length, result.rejects.length]).toEqual([451, 0]);
    expect(
      result.addresses.filter((row) => row.lot_plan !== null && row.lot_plan !== row.legal_parcel_id),
    ).toEqual([]);
  });

  it.each([
    ['GAVIC425325004', 'LOT 510 GHOST GUM WAY, JACKASS FLAT VIC 3556'],
    ['GAVIC720543934', 'LOT 10A PEERS LANE, DURHAM LEAD VIC 3352'],
    ['GAVIC421281678', '47-61 MONTPELLIER ROAD, ASHWOOD VIC 3147'],
    ['GAVIC425157653', '512-512A CITY ROAD, SOUTH MELBOURNE VIC 3205'],
    ['GAVIC425741622', 'CARSPACE 2166Z, 11 ROSE LANE, MELBOURNE VIC 3000'],
    ['GAVIC719424466', 'UNIT A1, 1 QUEENS ROAD, MELBOURNE VIC 3004'],
    ['GAVIC424581128', 'FLOOR 1, SHOP 1, 1880 FERNTREE GULLY ROAD, FERNTREE GULLY VIC 3156'],
    ['GAVIC424478303', 'LEVEL 3, SUITE 11A, COMO CENTRE, 299 TOORAK ROAD, SOUTH YARRA VIC 3141'],
    ['GAVIC423669472', 'UNIT 30, THE PINNACLE, 102-106 ST GEORGES ROAD, PRESTON VIC 3072'],
    ['GAVIC424637478', 'UNIT 339A, CHADSTONE SHOPPING CENTRE, 1341 DANDENONG ROAD, MALVERN EAST VIC 3145'],
    ['GAVIC423716042', 'COLIN MCCLELLAND AND ASSOCIATES, 201 ARMSTRONG STREET NORTH, SOLDIERS HILL VIC 3350'],
    ['GAVIC420648830', '41 STOKES LANE WEST, RIDDELLS CREEK VIC 3431'],
    ['GAVIC721089117', 'SITE 150, CAMPSITE 150, 15 THE ESPLANADE, OCEAN GROVE VIC 3226'],
    ['GAVIC423943682', 'UNIT 2, 1A THOROGOOD COURT, TAYLORS LAKES VIC 3038'],
  ])('%s: %s', (pid, label) => {
    expect(result.addresses.find((row) => row.gnaf_pid === pid)?.label).toBe(label);
  });
});
