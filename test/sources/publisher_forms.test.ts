import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hazardPieceRecord } from '../../schema/records/hazard.ts';
import { parcelRecord } from '../../schema/records/parcel.ts';
import { schoolRecord } from '../../schema/records/school.ts';
import { zonePieceRecord } from '../../schema/records/zone.ts';
import { adapterNamed } from '../../sources/index.ts';
import { type DatasetResult, readDataset } from './read_dataset.ts';
import { type PublishedRow, square as polygon, readRows } from './read_rows.ts';
import { type ReleaseFolder, releaseFolder } from './release_folder.ts';
import { GDA2020_PRJ, square } from './shapefile_writer.ts';

// Other forms of what publishers deliver: other years, councils and exports than those that maps were held against.

let folder: ReleaseFolder;
beforeEach(async () => {
  folder = await releaseFolder();
});
afterEach(() => folder.remove());

const read = (adapter: string, options: PublishedRow, rows: readonly PublishedRow[]) =>
  readRows(folder, adapter, options, rows);
const parcels = (result: DatasetResult) =>
  result.rowsOf(parcelRecord).map(({ parcel_id, lot_plan }) => [parcel_id, lot_plan]);

describe('end dates', () => {
  const NEVER = [
    '2999-12-31T13:30:00.000',
    '31/12/2999 13:00:00',
    '3000/01/01',
    '01-JAN-3000',
    'Tue Dec 31 2999',
    '30000101',
    '99991231',
    '4712-12-31',
    '1899-12-30T00:00:00',
    '1900-01-01',
    '0001-01-01',
    '-62135596800000',
    253402214400000,
    32503640400000,
    'N/A',
    0,
    null,
    ' ',
  ];
  const ENDED = [
    '2023-05-01T00:00:00',
    '30/06/2019',
    '20230501',
    1655251200000,
    1561766400,
    '5/01/2024 12:00:00 AM',
  ];

  it('South Australia: ground is bushfire-prone until it has ended', async () => {
    const rows = [...NEVER, ...ENDED].map((legalenddate) => ({
      name: 'Hazards (Bushfire - General)',
      legalenddate,
    }));
    const result = await read('hazards', { state: 'SA', layer: 'bushfire' }, rows);
    expect(result.rowsOf(hazardPieceRecord)).toHaveLength(NEVER.length);
    expect(result.drops).toEqual({ not_gazetted: ENDED.length });
  });

  it('New South Wales: a lot is in force until it has ended', async () => {
    const rows = [...NEVER, ...ENDED].map((enddate, i) => ({
      cadid: i,
      lotidstring: `${i}//DP1`,
      stratumlevel: '0',
      enddate,
    }));
    const result = await read('cadastre', { state: 'NSW' }, rows);
    expect([parcels(result).length, result.drops]).toEqual([NEVER.length, { retired: ENDED.length }]);
  });
});

describe('numbers of a shapefile, which has them with decimals', () => {
  it('are the codes of the map: a zone that is not degazetted, a category of bush fire', async () => {
    const shapes = [0, 1].map((i) => [square(149.1 + i * 0.01, -35.3, 0.005)]);
    await folder.shapefile('zones', {
      shapeType: 5,
      fields: [
        ['ID', 'N', 10],
        ['LAND_USE_Z', 'C', 10],
        ['CURRENT_LI', 'C', 20],
        ['DEGAZETTAL', 'N', 19, 5],
      ],
      rows: [
        ['1', 'CF', 'GAZETTED', '0.00000'],
        ['2', 'RZ1', 'GAZETTED', null],
      ],
      shapes,
      prj: GDA2020_PRJ,
    });
    const zones = await readDataset(
      adapterNamed('zoning'),
      await folder.dataset({ options: { state: 'ACT' } }),
    );
    expect([zones.rowsOf(zonePieceRecord).map(({ code }) => code), zones.drops]).toEqual([['CF', 'RZ1'], {}]);
  });

  it('are the categories of bush fire', async () => {
    await folder.shapefile('bfpl', {
      shapeType: 5,
      fields: [
        ['Category', 'N', 19, 5],
        ['d_Category', 'C', 40],
      ],
      rows: [['1.00000', null]],
      shapes: [[square(150.9, -33.8, 0.005)]],
      prj: GDA2020_PRJ,
    });
    const options = { state: 'NSW', layer: 'bushfire' };
    const prone = await readDataset(adapterNamed('hazards'), await folder.dataset({ options }));
    expect(prone.rowsOf(hazardPieceRecord)).toMatchObject([{ name: 'Vegetation Category 1', severity: 4 }]);
  });
});

describe('cadastres', () => {
  it('South Australia: parcels are read by id alone, without outlines of whole plans', async () => {
    const alone = [{ PARCEL_ID: 'D1   A1' }, { PARCEL_ID: 'C10179' }, { PARCEL_ID: 'C10179   A1' }];
    const result = await read('cadastre', { state: 'SA' }, alone);
    expect([parcels(result).map(([, lot]) => lot), result.drops]).toEqual([
      ['D1 A1', 'C10179 A1'],
      { covers_others: 1 },
    ]);
    const both = await read('cadastre', { state: 'SA' }, [
      { PARCEL_ID: 'F5   A77', DCDBID: null, PARCEL: '77' },
    ]);
    expect(parcels(both)).toEqual([['SA:F5   A77', 'F5 A77']]);
  });

  it('Tasmania: a volume and folio of zeros is no lot on plan', async () => {
    const rows = [
      { CID: 1, VOLUME: '0', FOLIO: 0 },
      { CID: 2, VOLUME: '246648', FOLIO: 0 },
    ];
    expect(parcels(await read('cadastre', { state: 'TAS' }, rows))).toEqual([
      ['TAS:1', null],
      ['TAS:2', '246648/0'],
    ]);
  });

  it('reads words such as <Null> as null, and blanks of any kind as blanks', async () => {
    const rows = [
      { CID: 1, VOLUME: '<Null>', FOLIO: 0, STRATA_LEV: 'Not\u00a0Applicable' },
      { CID: 'Null', VOLUME: '246648', FOLIO: 1, STRATA_LEV: 'NOT APPLICABLE ' },
    ];
    const result = await read('cadastre', { state: 'TAS' }, rows);
    expect([parcels(result), result.drops]).toEqual([
      [
        ['TAS:1', null],
        ['TAS:246648/1', '246648/1'],
      ],
      {},
    ]);
  });

  it('Queensland: interests over lots are dropped', async () => {
    const rows = ['Lot Type Parcel', 'Profit a Prendre', 'Action Statute Easement'].map((PARCEL_TYP, i) => ({
      LOTPLAN: `${i}RP1`,
      PARCEL_TYP,
      COVER_TYP: 'Base',
    }));
    const result = await read('cadastre', { state: 'QLD' }, rows);
    expect([parcels(result).length, result.drops]).toEqual([1, { covers_others: 1, easement: 1 }]);
  });
});

describe('zones', () => {
  const zones = (result: DatasetResult) =>
    result.rowsOf(zonePieceRecord).map(({ name, category }) => [name, category]);

  it('Queensland: the category follows the standard name, and the precinct is appended to the name', async () => {
    const labels = [
      ['Specialised centre', 'Gladstone Road and George Street precinct'],
      ['Low-medium density residential', 'Fitzroy River accommodation sub-precinct'],
      ['Rural', 'Cropping and intensive horticulture precinct'],
      ['Emerging communities', 'Emerging communities'],
      ['Limited development', 'Limited development (constrained land)'],
    ].map(([Zone, Zone_Lable]) => ({ Zone, Zone_Lable, Zone_prefix: 'X' }));
    expect(zones(await read('zoning', { state: 'QLD' }, labels))).toEqual([
      ['Specialised centre: Gladstone Road and George Street precinct', 'centre_mixed'],
      ['Low-medium density residential: Fitzroy River accommodation sub-precinct', 'residential_medium_high'],
      ['Rural: Cropping and intensive horticulture precinct', 'rural'],
      ['Emerging communities', 'other'],
      ['Limited development (constrained land)', 'other'],
    ]);
    const levels = [
      ['Neighbourhood centre', 'Precinct 2'],
      ['Rural', 'Rural landscape and environment precinct'],
      ['General residential', 'High density residential (Up to 8 storeys)'],
      ['Medium density residential', null],
    ].map(([LVL1_ZONE, LVL2_ZONE]) => ({ LVL1_ZONE, LVL2_ZONE, ZONE_CODE: 'X' }));
    expect(zones(await read('zoning', { state: 'QLD' }, levels))).toEqual([
      ['Neighbourhood centre: Precinct 2', 'centre_mixed'],
      ['Rural: Rural landscape and environment precinct', 'rural'],
      ['High density residential (Up to 8 storeys)', 'residential_medium_high'],
      ['Medium density residential', 'residential_medium_high'],
    ]);
  });

  it('drops features that state that they have no zone', async () => {
    const rows = ['No zone', 'Not zoned ', 'UNZONED', 'Rural'].map((ZONE) => ({ ZONE }));
    const result = await read('zoning', { state: 'QLD' }, rows);
    expect([zones(result), result.drops]).toEqual([[['Rural', 'rural']], { no_zone: 3 }]);
  });

  it.each([
    ['SA', 'name', 'Master Planned Renewal', 'residential_medium_high'],
    ['SA', 'name', 'Land Not Within a Council Area', 'other'],
    ['TAS', 'ZONE', 'HOB-P1.0 Particular Purpose Zone – Battery Point', 'other'],
    ['WA', 'zone', 'Tavern', 'centre_mixed'],
    ['WA', 'zone', 'Smallholdings', 'residential_low'],
    ['WA', 'zone', 'Controlled access highways', 'infrastructure'],
  ])('%s: %s %s', async (state, column, name, category) => {
    expect(zones(await read('zoning', { state }, [{ [column]: name }]))).toEqual([[name, category]]);
  });
});

it('a centre that classes visit is no school to be near to, though its list states no enrolments', async () => {
  const head =
    'Calendar Year,ACARA SML ID,School Name,School Sector,School Type,Special school,Latitude,Longitude,State';
  const rows = ['Creek Environmental Education Centre', 'Education Street Primary School'].map(
    (name, i) => `2024,${i + 1},${name},Government,Combined,0,-33,150,NSW`,
  );
  await folder.write('School Location 2024.csv', `${[head, ...rows].join('\n')}\n`);
  const result = await readDataset(adapterNamed('schools'), await folder.dataset());
  expect(result.rowsOf(schoolRecord).map(({ is_special }) => is_special)).toEqual([true, false]);
});

describe('layers without features', () => {
  const layer = (features: readonly object[]) => JSON.stringify({ type: 'FeatureCollection', features });
  const options = { state: 'SA' };

  it('are skipped among others, and refused alone', async () => {
    await folder.write('Rural.geojson', layer([]));
    const alone = adapterNamed('zoning').discover(await folder.dataset({ options }));
    await expect(alone).rejects.toMatchObject({ code: 'no_features' });
    const zone = { type: 'Feature', properties: { name: 'Employment', value: 'E' }, geometry: polygon(0) };
    await folder.write('Employment.geojson', layer([zone]));
    const result = await readDataset(adapterNamed('zoning'), await folder.dataset({ options }));
    expect(result.rowsOf(zonePieceRecord)).toHaveLength(1);
    expect(result.notes.join()).toMatch(/Rural\.geojson has no features; skipped/);
  });
});
