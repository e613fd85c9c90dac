import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { coverageAreaRecord } from '../../schema/records/coverage.ts';
import { hazardPieceRecord } from '../../schema/records/hazard.ts';
import { marketEventRecord } from '../../schema/records/market_event.ts';
import { overlayPieceRecord } from '../../schema/records/overlay.ts';
import { parcelRecord } from '../../schema/records/parcel.ts';
import { schoolRecord } from '../../schema/records/school.ts';
import { stopRecord } from '../../schema/records/stop.ts';
import { zonePieceRecord } from '../../schema/records/zone.ts';
import { adapterNamed } from '../../sources/index.ts';
import { type DatasetResult, readDataset } from './read_dataset.ts';
import { type PublishedRow, point, readRows, square } from './read_rows.ts';
import { type ReleaseFolder, releaseFolder } from './release_folder.ts';

let folder: ReleaseFolder;
beforeEach(async () => {
  folder = await releaseFolder();
});
afterEach(() => folder.remove());

const read = (adapter: string, options: PublishedRow, rows: readonly PublishedRow[], shape = square) =>
  readRows(folder, adapter, options, rows, shape);
const hazards = (options: PublishedRow, rows: readonly PublishedRow[], shape = square) =>
  read('hazards', options, rows, shape);
const named = (result: DatasetResult) =>
  result.rowsOf(hazardPieceRecord).map(({ name, severity, is_assessed }) => [name, severity, is_assessed]);
const parcels = (result: DatasetResult) =>
  result.rowsOf(parcelRecord).map(({ parcel_id, lot_plan }) => [parcel_id, lot_plan]);
const zones = (result: DatasetResult) =>
  result.rowsOf(zonePieceRecord).map(({ code, name, category }) => [code, name, category]);

describe('values that a field map does not list', () => {
  const ROWS = [{ OVERLAY: 'Flood' }, { OVERLAY: 'Storm surge' }, { OVERLAY: ' ' }, { OVERLAY: 'Heritage' }];
  const field_map = {
    label: 'Flood',
    name: 'OVERLAY',
    filters: [{ fields: 'OVERLAY', keep: ['Flood'], other: ['Heritage'] }],
  };

  it('are not assessed within the coverage of the dataset, and are counted', async () => {
    const result = await hazards({ state: 'QLD', layer: 'flood', coverage: 'state', field_map }, ROWS);
    expect(named(result)).toEqual([
      ['Flood', null, true],
      ['Storm surge', null, false],
      ['Flood', null, false],
    ]);
    expect(result.drops).toEqual({ other_class: 1 });
    expect(result.accounts[0]!.unknown).toEqual({ '(blank)': 1, 'Storm surge': 1 });
    expect(result.rowsOf(coverageAreaRecord)).toHaveLength(1);
  });

  it('are dropped as unknown_class if the dataset claims no coverage', async () => {
    const result = await hazards({ state: 'QLD', layer: 'flood', coverage: 'none', field_map }, ROWS);
    expect(named(result)).toEqual([['Flood', null, true]]);
    expect(result.drops).toEqual({ other_class: 1, unknown_class: 2 });
    expect(result.notes.join()).toMatch(
      /missing from the field map, skipped: \(blank\) \(1\), Storm surge \(1\)/,
    );
  });

  it('include everything that a configured map does not list, within the coverage', async () => {
    const own = { ...field_map, filters: [{ fields: 'OVERLAY', keep: ['Flood'] }] };
    const covered = await hazards({ state: 'QLD', layer: 'flood', coverage: 'state', field_map: own }, ROWS);
    expect(named(covered).map(([, , assessed]) => assessed)).toEqual([true, false, false, false]);
    const not = await hazards({ state: 'QLD', layer: 'flood', coverage: 'none', field_map: own }, ROWS);
    expect(not.drops).toEqual({ other_class: 3 });
  });
});

describe('cadastres', () => {
  it.each([
    ['coded', { enddate: 32503680000000, stratumlevel: '0', classsubtype: 1, itstitlestatus: 1 }, '7', '1'],
    [
      'described',
      {
        enddate: '1/01/3000',
        stratumlevel: 'Ground Level',
        classsubtype: 'StandardLot',
        itstitlestatus: 'Current',
      },
      'Cancelled Residue Remains',
      'Level 1',
    ],
  ])('New South Wales, %s', async (_, lot, cancelled, level) => {
    const result = await read('cadastre', { state: 'NSW' }, [
      { cadid: 1, lotidstring: '5/I/DP215', ...lot },
      { cadid: 2, lotidstring: '//SP63634', ...lot, classsubtype: 3 },
      { cadid: 3, lotidstring: '7//DP9', ...lot, itstitlestatus: cancelled },
      { cadid: 4, lotidstring: '8//DP9', ...lot, stratumlevel: level },
      { cadid: 5, lotidstring: '9//DP9', ...lot, enddate: '30/06/2019' },
      { cadid: 6, lotidstring: '10//DP9', ...lot, classsubtype: 2 },
      { cadid: 7, lotidstring: '10//DP9', ...lot, classsubtype: 2 },
    ]);
    expect(parcels(result)).toEqual([
      ['NSW:1', '5/I/DP215'],
      ['NSW:2', '//SP63634'],
      ['NSW:6', '10//DP9'],
    ]);
    expect([result.drops, result.rejects]).toEqual([{ retired: 2, stacked_strata: 1 }, []]);
  });

  it('Australian Capital Territory: blocks without a key have an ID', async () => {
    const stage = 'CURRENT_LIFECYCLE_STAGE';
    const result = await read('cadastre', { state: 'ACT' }, [
      { BLOCK_KEY: '11080190044', ID: 1, [stage]: 'REGISTERED' },
      { BLOCK_KEY: null, ID: 2, [stage]: 'OCCUPIED' },
      { BLOCK_KEY: '', ID: 3, [stage]: 'APPROVED' },
      { BLOCK_KEY: '9', ID: 4, [stage]: 'RETIRED' },
    ]);
    expect(parcels(result).map(([id]) => id)).toEqual(['ACT:11080190044', 'ACT:2', 'ACT:3']);
    expect([result.drops, result.rejects]).toEqual([{ retired: 1 }, []]);
  });

  it('South Australia: lots by DCDBID, roads by subtype, and no outline of a plan over its own lots', async () => {
    const row = {
      PLAN_T: 'D',
      PLAN: '119742',
      PARCEL_T: 'A',
      PARCEL: '1',
      FLOOR_LEVEL: null,
      PARCEL_SUBTYPE: 'AL',
    };
    const result = await read('cadastre', { state: 'SA' }, [
      { ...row, PARCEL_ID: 'D119742   A1', DCDBID: 'D119742A1' },
      { ...row, PARCEL_ID: 'D119742   A1', DCDBID: 'D119742A1', FLOOR_LEVEL: 0 },
      { ...row, PARCEL_ID: 'D119742   A2', DCDBID: 'D119742A2', PARCEL_SUBTYPE: 'AR' },
      { ...row, PARCEL_ID: 'C10179', DCDBID: 'C10179', PLAN_T: 'C', PARCEL: ' ' },
      { ...row, PARCEL_ID: 'S5   U3', DCDBID: 'S5U3', FLOOR_LEVEL: 1.5 },
      { ...row, PARCEL_ID: 'S5   U4', DCDBID: 'S5U4', FLOOR_LEVEL: -1 },
    ]);
    expect(parcels(result)).toEqual([['SA:D119742A1', 'D119742 A1']]);
    expect([result.drops, result.rejects]).toEqual([{ road: 1, covers_others: 1, stacked_strata: 2 }, []]);
  });

  it.each([
    [
      'long',
      ['Lot Type Parcel', 'Base', 'Freehold'],
      ['Road Type Parcel', 'Base', null],
      ['Lot Type Parcel', 'Strata', 'Freehold'],
      ['Lot Type Parcel', 'Base', 'Covenant'],
    ],
    ['coded', ['L', 'B', 'FH'], ['R', 'B', null], ['L', 'S', 'FH'], ['L', 'B', 'CV']],
  ])('Queensland, %s form', async (_, lot, road, strata, covenant) => {
    const row = (LOTPLAN: string | null, [PARCEL_TYP, COVER_TYP, TENURE]: readonly (string | null)[]) => ({
      LOTPLAN,
      PARCEL_TYP,
      COVER_TYP,
      TENURE,
    });
    const rows = [
      row('1SP1', lot),
      row(null, road),
      row('2SP1', strata),
      row('ASP2', covenant),
      row('1SP1', lot),
    ];
    const result = await read('cadastre', { state: 'QLD' }, [
      ...rows,
      row(null, ['Unlinked parcel or inter', 'Base', null]),
    ]);
    expect(parcels(result)).toEqual([['QLD:1SP1', '1SP1']]);
    expect([result.drops, result.rejects]).toEqual([
      { road: 1, stacked_strata: 1, covenant: 1, no_lot_plan: 1 },
      [],
    ]);
  });

  it('Queensland, DCDB Lite: lot and plan, and no lot on plan', async () => {
    const result = await read('cadastre', { state: 'QLD' }, [
      { LOT: '12', PLAN: 'RP20457' },
      { LOT: null, PLAN: null },
    ]);
    expect(parcels(result)).toEqual([['QLD:12RP20457', '12RP20457']]);
    expect([result.drops, result.rejects]).toEqual([{ no_lot_plan: 1 }, []]);
  });
});

describe('zones', () => {
  it.each([
    ['Bundaberg', 'QLD', { ZONE: 'Emerging community' }, [null, 'Emerging community', 'other']],
    [
      'Brisbane',
      'QLD',
      {
        ZONE_CODE: 'CR2',
        LVL1_ZONE: 'General residential',
        LVL2_ZONE: 'Character residential (Infill housing)',
      },
      ['CR2', 'Character residential (Infill housing)', 'residential_low'],
    ],
    [
      'Brisbane, dense',
      'QLD',
      {
        ZONE_CODE: 'HDR1',
        LVL1_ZONE: 'General residential',
        LVL2_ZONE: 'High density residential (Up to 8 storeys)',
      },
      ['HDR1', 'High density residential (Up to 8 storeys)', 'residential_medium_high'],
    ],
    [
      'Townsville',
      'QLD',
      { TCC_CODE: 'SPL', LVL1_ZONE: 'Strategic port land', LVL2_ZONE: ' ' },
      ['SPL', 'Strategic port land', 'infrastructure'],
    ],
    [
      'Tasmania',
      'TAS',
      { LPS: 'Hobart', ZONE: 'Central Business', ZONE_ABB: '114.16', ZONE_NO: '16' },
      ['16', 'Central Business', 'centre_mixed'],
    ],
    [
      'Western Australia',
      'WA',
      { zone_numbe: '1712', zone: 'Public purposes', label: 'PS', label_desc: 'Primary school' },
      ['PS', 'Public purposes: Primary school', 'infrastructure'],
    ],
    [
      'South Australia',
      'SA',
      { id: 'Z0905', name: 'Caravan and Tourist Park', value: 'CTP', status: 0 },
      ['CTP', 'Caravan and Tourist Park', 'centre_mixed'],
    ],
  ])('%s', async (_, state, row, wanted) => {
    expect(zones(await read('zoning', { state }, [row]))).toEqual([wanted]);
  });

  it('Western Australia, region schemes, and no zone', async () => {
    const options = { state: 'WA', field_map: 'wa_region' };
    const result = await read('zoning', options, [
      { rs_code: '26', descriptio: 'Parks and recreation', rs_class: 'Reserve', reg_scheme: 'MRS' },
      { rs_code: '8', descriptio: 'Urban deferred', rs_class: 'Zone', reg_scheme: 'MRS' },
    ]);
    expect(zones(result)).toEqual([
      ['26', 'Parks and recreation', 'open_space'],
      ['8', 'Urban deferred', 'other'],
    ]);
    expect((await read('zoning', { state: 'WA' }, [{ zone: 'No zone', label: ' ' }])).drops).toEqual({
      no_zone: 1,
    });
  });

  it('Australian Capital Territory: what is gazetted, by the publisher’s ids', async () => {
    const row = {
      LAND_USE_ZONE_CODE_ID: 'CF',
      LAND_USE_POLICY_DESC: 'COMMUNITY FACILITIES',
      DESCRIPTION: 'see DV 369',
    };
    const result = await read('zoning', { state: 'ACT' }, [
      { ...row, ID: 5, CURRENT_LIFECYCLE_STAGE: 'GAZETTED', DEGAZETTAL_NUMBER: null },
      { ...row, ID: 6, CURRENT_LIFECYCLE_STAGE: 'PROPOSED', DEGAZETTAL_NUMBER: null },
      { ...row, ID: 7, CURRENT_LIFECYCLE_STAGE: 'GAZETTED', DEGAZETTAL_NUMBER: 'NI2020-1' },
    ]);
    expect(result.rowsOf(zonePieceRecord)).toMatchObject([
      { zone_id: 'ACT:5', code: 'CF', name: 'Community Facilities', category: 'infrastructure' },
    ]);
    expect(result.drops).toEqual({ not_gazetted: 2 });
  });
});

describe('hazards and overlays', () => {
  it('Tasmania: names of people, historical heritage, and what is still to be looked into', async () => {
    const rows = [
      {
        CODE: 'Landslip Hazard Code',
        OV_NAME: 'Medium landslip hazard band',
        OV_CAT: 'Medium',
        OV_ABB: '114.15.2',
      },
      {
        CODE: 'Local Historical Heritage Code',
        OV_NAME: 'Local heritage precinct',
        OV_CAT: ' ',
        OV_ABB: '114.6.14',
      },
      {
        CODE: 'Coastal Erosion Hazard Code',
        OV_NAME: 'Coastal erosion investigation area',
        OV_CAT: 'Coastal erosion investigation area',
        OV_ABB: '',
      },
      { CODE: 'Natural Assets Code', OV_NAME: 'Priority vegetation area', OV_CAT: null, OV_ABB: '114.7.3' },
    ];
    const of = async (layer: string) =>
      named(await hazards({ state: 'TAS', layer, coverage: { lga: ['62810'] } }, rows));
    expect(await of('landslide')).toEqual([['Medium landslip hazard band', 2, true]]);
    expect(await of('heritage')).toEqual([['Local heritage precinct', null, true]]);
    expect(await of('erosion')).toEqual([['Coastal erosion investigation area', null, false]]);
    const overlays = (await read('overlays', { state: 'TAS' }, rows)).rowsOf(overlayPieceRecord);
    expect(overlays[0]).toMatchObject({
      layer: 'Landslip Hazard Code',
      code: '114.15.2',
      value: 'Medium landslip hazard band',
    });
  });

  it('South Australia: ended features are dropped, and placeholder dates are ignored', async () => {
    const row = { id: 'O2409', name: 'Hazards (Bushfire - High Risk)', description: 'prose', value: null };
    const rows = [
      { ...row, legalenddate: null, systemenddate: null },
      { ...row, legalenddate: '2022-06-30T08:00:00.000', systemenddate: null },
      { ...row, legalenddate: '1899-12-30T00:00:00', systemenddate: '9999-12-31' },
      { ...row, legalenddate: null, systemenddate: '2023-01-01' },
    ];
    const result = await hazards({ state: 'SA', layer: 'bushfire' }, rows);
    expect([named(result).length, result.drops]).toEqual([2, { not_gazetted: 2 }]);
    expect((await read('overlays', { state: 'SA' }, rows)).rowsOf(overlayPieceRecord)).toMatchObject([
      { layer: row.name, value: row.name },
      { layer: row.name, value: row.name },
    ]);
  });

  it('New South Wales: codes in words, misfiled heritage, objects that must not be shown', async () => {
    const bushfire = await hazards({ state: 'NSW', layer: 'bushfire' }, [
      { Category: 0 },
      { Category: 2, d_Category: 'Vegetation Category 2' },
      { Category: 1, d_Category: '<Null>' },
    ]);
    expect(named(bushfire)).toEqual([
      ['Vegetation Buffer', 1, true],
      ['Vegetation Category 2', 3, true],
      ['Vegetation Category 1', 4, true],
    ]);
    const flood = await hazards({ state: 'NSW', layer: 'flood' }, [
      { LAY_CLASS: 'Flood Planning Area' },
      { LAY_CLASS: 'Item - General' },
    ]);
    expect([named(flood).length, flood.drops]).toEqual([1, { other_class: 1 }]);
    const items = [
      { LAY_CLASS: 'Item - General', H_ID: 'I12', H_NAME: 'Rose Cottage' },
      { LAY_CLASS: 'Aboriginal Object', H_ID: 'A1', H_NAME: 'Scarred tree' },
      { LAY_CLASS: 'Aboriginal Place of Heritage Significance', H_ID: 'A2', H_NAME: 'The bay' },
      { LAY_CLASS: 'Conservation Area - Landscape', H_ID: 'C1', H_NAME: 'Null' },
    ];
    const heritage = await hazards({ state: 'NSW', layer: 'heritage' }, items);
    expect(heritage.rowsOf(hazardPieceRecord).map((row) => row.hazard_class)).toEqual([
      'Item - General',
      'Aboriginal Place of Heritage Significance',
      'Conservation Area - Landscape',
    ]);
    expect(named(heritage).map(([name]) => name)).toEqual([
      'Rose Cottage',
      'The bay',
      'Conservation Area - Landscape',
    ]);
    expect(heritage.drops).toEqual({ sensitive: 1 });
    const overlays = await read('overlays', { state: 'NSW', field_map: 'nsw_heritage' }, items);
    expect([overlays.rowsOf(overlayPieceRecord).length, overlays.drops]).toEqual([3, { sensitive: 1 }]);
    const height = await read('overlays', { state: 'NSW', field_map: 'nsw_height' }, [
      { MAX_B_H: 8.5, UNITS: 'm', SYM_CODE: '85' },
    ]);
    expect(height.rowsOf(overlayPieceRecord)).toMatchObject([{ code: null, value: '8.5 m' }]);
  });

  it('Queensland: likelihood of flooding, the floodplain overlay, the heritage register', async () => {
    const risks = ['High', 'Very Low', 'Combined'].map((FLOOD_RISK) => ({ FLOOD_RISK }));
    expect(named(await hazards({ state: 'QLD', layer: 'flood' }, risks))).toEqual([
      ['High likelihood of flooding', 4, true],
      ['Very low likelihood of flooding', 1, true],
      ['Overland flow', null, true],
    ]);
    expect(
      named(
        await hazards({ state: 'QLD', layer: 'flood' }, [{ sub_name: 'Lockyer Creek', sub_number: 12 }]),
      )[0]![0],
    ).toBe('Floodplain: Lockyer Creek');
    const register = await hazards({ state: 'QLD', layer: 'heritage' }, [
      { placename: 'Old Mill', place_id: 600100, status: 'State heritage place' },
    ]);
    expect(register.rowsOf(hazardPieceRecord)).toMatchObject([
      { name: 'Old Mill', feature_id: 'QLD:heritage:600100' },
    ]);
  });

  it('Western Australia: floodways in force, acid sulfate soils, contaminated sites, prone areas', async () => {
    const flood = await hazards({ state: 'WA', layer: 'flood' }, [
      { ext_type: 'Floodway', status: 'Active', ufi: 7 },
      { ext_type: 'Floodway', status: 'Superseded', ufi: 8 },
    ]);
    expect(flood.rowsOf(hazardPieceRecord)).toMatchObject([
      { name: 'Floodway', severity: 3, feature_id: 'WA:flood:7' },
    ]);
    await expect(
      hazards({ state: 'WA', layer: 'flood' }, [{ EVENT: 'June 1964', EST_ARI: '100' }]),
    ).rejects.toMatchObject({ code: 'missing_column' });
    const event = await hazards({ state: 'WA', layer: 'historical_flood' }, [
      { EVENT: 'June 1964', EST_ARI: '100' },
    ]);
    expect(event.rowsOf(hazardPieceRecord)).toMatchObject([
      { name: 'June 1964', code: '100', layer: 'historical_flood' },
    ]);
    expect(
      named(
        await hazards({ state: 'WA', layer: 'environment' }, [
          { risk_categ: 'High to moderate risk', riskclass: 1 },
        ]),
      ),
    ).toEqual([['Acid sulfate soils: High to moderate risk', 3, true]]);
    const sites = await hazards({ state: 'WA', field_map: 'wa_contaminated_sites' }, [
      { classification: 'Contaminated - remediation required' },
      { classification: 'Decontaminated' },
    ]);
    expect([named(sites).map(([name]) => name), sites.drops]).toEqual([
      ['Contaminated site: Contaminated - remediation required'],
      { not_regulated: 1 },
    ]);
  });

  it('Australian Capital Territory: nothing that is restricted or only nominated', async () => {
    const place = { NAME: 'Old Hall', HeritageID: 'H1', HRstatus: 'Registered', DataRestrictions: null };
    const result = await hazards({ state: 'ACT', layer: 'heritage' }, [
      place,
      { ...place, DataRestrictions: 'Restricted' },
      { ...place, DataRestrictions: 'Ask the unit' },
      { ...place, HRstatus: 'Nominated' },
    ]);
    expect([named(result).map(([name]) => name), result.drops]).toEqual([
      ['Old Hall'],
      { sensitive: 2, not_gazetted: 1 },
    ]);
  });

  it('a generic layer without names has the name of its hazard', async () => {
    const result = await hazards({ state: 'NT', layer: 'erosion' }, [{ OBJECTID: 1 }]);
    expect(named(result)).toEqual([['Erosion prone area', null, true]]);
  });

  it('reported black spots are read, and funded fixes are dropped', async () => {
    const rows = [
      { Identifier: 'QLD-1', MBSP_ID: null },
      { Identifier: null, MBSP_ID: 'MBSP-QLD-77' },
    ];
    const result = await hazards({ state: 'AU', layer: 'mobile_black_spot' }, rows, point);
    expect(result.rowsOf(hazardPieceRecord)).toMatchObject([{ feature_id: 'AU:mobile_black_spot:QLD-1' }]);
    expect(result.drops).toEqual({ funded_fix: 1 });
  });
});

describe('transport, schools, listings', () => {
  it('Perth and Sydney: stops of school buses, and runs that carry nobody', async () => {
    const files = {
      'stops.txt':
        'stop_id,stop_name,stop_lat,stop_lon,supported_modes\nA,One, -31.95,115.86,Bus\nB,Two,-31.96,115.86,School Bus\nC,Three,-31.97,115.86,Bus;School Bus\nD,Four,-31.98,115.86,\nE,Five,-31.99,115.86,\n',
      'routes.txt':
        'route_id,route_long_name,route_desc,route_type\nR,City - Beach via Hill High School,,3\nS,Hill High School,School Bus,3\nO,Out Of Service trips,,2\nN,Non revenue trips,,2\n',
      'trips.txt': 'route_id,service_id,trip_id\nR,1,r\nS,1,s\nO,1,o\nN,1,n\n',
      'stop_times.txt': 'trip_id,stop_id,stop_sequence\nr,A,1\nr,B,2\nr,C,3\ns,D,1\no,E,1\nn,E,2\n',
    };
    for (const [name, text] of Object.entries(files)) await folder.write(name, text);
    const result = await readDataset(
      adapterNamed('gtfs'),
      await folder.dataset({ options: { state: 'WA' } }),
    );
    expect(result.rowsOf(stopRecord).map(({ label }) => label)).toEqual(['One', 'Three']);
    const of = (file: string) => result.accounts.find((account) => account.file.endsWith(file))!.drops;
    expect(of('routes.txt')).toEqual({ school_bus: 1, no_service: 2 });
    expect(of('stops.txt')).toEqual({ school_bus: 1, not_served: 2 });
  });

  it('ACARA: a school without type and enrolments is dropped, and a centre without pupils is marked as special', async () => {
    const head = 'Calendar Year,ACARA SML ID,School Name,School Sector,School Type';
    await folder.write(
      'School Location 2024.csv',
      `${head},Special school,Latitude,Longitude,State\n2024,1,Hill School,Government,Primary,0,-33,150,NSW\n2024,2,Old School,Government,Primary,0,-33,150,NSW\n2024,3,Creek Environmental Education Centre,Government,Combined,0,-33,150,NSW\n`,
    );
    await folder.write(
      'School Profile 2024.csv',
      `${head},Total Enrolments,State\n2024,1,Hill School,Government,Primary,200,NSW\n2024,2,Old School,Government,,,NSW\n2024,3,Creek Environmental Education Centre,Government,Combined,,NSW\n`,
    );
    const result = await readDataset(adapterNamed('schools'), await folder.dataset());
    expect(result.rowsOf(schoolRecord).map(({ school_id, is_special }) => [school_id, is_special])).toEqual([
      [1, false],
      [3, true],
    ]);
    expect(result.drops).toEqual({ closed_school: 2 });
  });

  it('REAXML: coordinates, views, and a sale dated within the month', async () => {
    const listing = (status: string, more: string) =>
      `<residential modTime="2026-03-01-10:00:00" status="${status}"><agentID>A</agentID><uniqueID>${status}</uniqueID><address><streetNumber>1</streetNumber><street>Main Road</street><suburb>Richmond</suburb><state>vic</state><postcode>3121</postcode><latitude>-37.82</latitude><longitude>145.0</longitude></address>${more}</residential>`;
    const sold = '<soldDetails><price>900000</price><date>2026-03-12</date></soldDetails>';
    const late = listing('sold', sold.replace('03-12', '07-12')).replace('<uniqueID>sold', '<uniqueID>late');
    await folder.write(
      'a.xml',
      `<propertyList>${listing('current', '<views>ocean</views><price>1</price>')}${listing('sold', sold)}${late}</propertyList>`,
    );
    const result = await readDataset(adapterNamed('reaxml'), await folder.dataset());
    expect(result.rowsOf(marketEventRecord)).toMatchObject([
      { event_type: 'listed', lon: 145, lat: -37.82, features: ['good_view_outlook'] },
      { event_type: 'sold', event_date: '2026-03-12' },
    ]);
    expect(result.rejects.map(({ code }) => code)).toEqual(['future_date']);
  });

  it.each([
    [2016, '2016Census_G33_AUST_SA2.csv', 'SA2_MAINCODE_2016'],
    [2011, '2011Census_G33_AUST_SA2.csv', 'SA2_MAINCODE_2011'],
    [2011, '2011Census_B33_VIC_SA2_short.csv', 'region_id'],
    [2006, '2006Census_B01_VIC_SLA.csv', 'region_id'],
  ])('the Census of %s is refused with the reason: %s', async (_year, file, code) => {
    await folder.write(file, `${code},R_Tot_Total\n101021007,5\n`);
    await expect(adapterNamed('census').discover(await folder.dataset())).rejects.toMatchObject({
      code: 'census_tables_differ',
      message: expect.stringMatching(/number their tables otherwise/),
    });
  });
});
