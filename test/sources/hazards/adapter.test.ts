import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HAZARD_LAYERS } from '../../../schema/records/hazard.ts';
import type { DatasetConfig } from '../../../sources/adapter.ts';
import { hazardsAdapter } from '../../../sources/hazards/adapter.ts';
import { HAZARD_FIELD_MAPS } from '../../../sources/hazards/field_maps.ts';
import { pointInMultiPolygon } from '../../../transforms/geo/point_in_polygon.ts';
import { decodeLineWkb, decodePointWkb, decodeWkb } from '../../../transforms/geo/wkb.ts';
import { adapterConformance } from '../conformance.ts';
import { type ReleaseFolder, releaseFolder } from '../release_folder.ts';
import { GDA2020_PRJ, square } from '../shapefile_writer.ts';
import { BOW_TIE, HERE, readAll, writePolygons } from './read_hazards.ts';

type Rest = Parameters<typeof writePolygons> extends [unknown, ...infer R] ? R : never;
let folder: ReleaseFolder;
beforeEach(async () => {
  folder = await releaseFolder();
});
afterEach(() => folder.remove());

const polygons = (...rest: Rest) => writePolygons(folder, ...rest);

const dataset = (options: Record<string, unknown>, config: Partial<DatasetConfig> = {}) =>
  folder.dataset({ options, ...config });

adapterConformance('hazards, hostile shapefile', async () => {
  const own = await releaseFolder();
  await own.shapefile('BFPL', {
    shapeType: 5,
    fields: [['d_category', 'C', 40]],
    rows: [['Vegetation Category 1'], [''], ['x'], ['deleted'], ['Vegetation Buffer'], ['y']],
    shapes: [
      [square(150, -33, 0.2), square(150.05, -33, 0.01)],
      [HERE],
      null,
      [HERE],
      [BOW_TIE],
      [square(-10, 5, 1)],
    ],
    deleted: [3],
    prj: GDA2020_PRJ,
  });
  return {
    adapter: hazardsAdapter,
    dataset: await own.dataset({ options: { state: 'NSW', layer: 'bushfire' } }),
    remove: own.remove,
  };
});

describe('hazards adapter', () => {
  it('ranks classes whatever their dashes, and reports those that have no rank', async () => {
    await polygons(
      'sa',
      ['NAME', 'VALUE'],
      [
        ['Hazards (Bushfire – High Risk)', null],
        ['HAZARDS (BUSHFIRE-URBAN INTERFACE)', null],
        ['Hazards (Bushfire - Outback)', null],
        ['Hazards (Flooding)', null],
        ['Hazards (Bushfire - General)', 'General'],
        ['Hazards (Grassfire)', null],
        ['', null],
      ],
    );
    const { pieces, accounts, notes } = await readAll(await dataset({ state: 'SA', layer: 'bushfire' }));
    expect(pieces.map(({ severity, is_assessed }) => [severity, is_assessed])).toEqual([
      [3, true],
      [1, true],
      [null, false],
      [1, true],
      // what nobody knows is no hazard and no all-clear
      [null, false],
      [null, false],
    ]);
    expect(accounts[0]).toMatchObject({
      rows_in: 7,
      records: 6,
      drops: { other_class: 1 },
      unknown: { '(blank)': 1, 'Hazards (Grassfire)': 1 },
    });
    expect(notes).toEqual([
      expect.stringMatching(
        /missing from the field map, their places count as unknown: \(blank\) \(1\), Hazards \(Grassfire\) \(1\)/,
      ),
    ]);
  });

  it('marks the class Evidence Required as not assessed', async () => {
    await polygons('sa', ['name'], [['Hazards (Flooding – Evidence Required)'], ['Hazards (Flooding)']]);
    const { pieces } = await readAll(await dataset({ state: 'SA', layer: 'flood' }));
    expect(pieces).toMatchObject([
      { is_assessed: false, severity: null, name: 'Hazards (Flooding – Evidence Required)' },
      { is_assessed: true, severity: 3 },
    ]);
  });

  it('reads only the gazetted codes of its family from a shared file', async () => {
    await polygons(
      'PLAN_OVERLAY',
      ['PFI', 'ZONESTATUS', 'ZONE_CODE', 'ZONE_DESC'],
      [
        ['1', 'g', 'LSIO2', 'LAND SUBJECT TO INUNDATION OVERLAY - SCHEDULE 2'],
        ['2', 'p', 'SBO', 'SPECIAL BUILDING OVERLAY'],
        ['3', 'g', 'HO2', 'HERITAGE OVERLAY (HO2)'],
        ['4', 'g', 'RFO', ''],
        ['1', 'g', 'FO', 'FLOODWAY OVERLAY'],
      ],
    );
    const { pieces, accounts } = await readAll(await dataset({ state: 'VIC', layer: 'flood' }));
    expect(pieces).toMatchObject([
      {
        feature_id: 'VIC:flood:1',
        code: 'LSIO2',
        severity: 2,
        name: 'Land Subject to Inundation Overlay - Schedule 2',
      },
      { feature_id: 'VIC:flood:4', code: 'RFO', severity: 3, name: 'Flood overlay' },
      { feature_id: 'VIC:flood:1#2', code: 'FO', severity: 3 },
    ]);
    expect(accounts[0]!.drops).toEqual({ other_class: 1, not_gazetted: 1 });
  });

  it('reads the urban floodway zones of the zone layer, with identifiers of their own', async () => {
    await polygons(
      'PLAN_ZONE',
      ['PFI', 'ZONESTATUS', 'ZONE_CODE', 'ZONE_DESC'],
      [
        ['1', 'g', 'UFZ', 'URBAN FLOODWAY ZONE'],
        ['2', 'g', 'GRZ1', 'GENERAL RESIDENTIAL ZONE'],
      ],
    );
    const { pieces, accounts } = await readAll(await dataset({ state: 'VIC', field_map: 'vic_flood_zone' }));
    expect(pieces).toMatchObject([
      { layer: 'flood', feature_id: 'VIC:flood:vic_flood_zone/1', code: 'UFZ', severity: 3 },
    ]);
    expect(accounts[0]!.drops).toEqual({ other_class: 1 });
  });

  it('refuses modelled extents as recorded floods', async () => {
    await polygons('EXTENT_100Y_ARI', ['EVENT_NAME'], [['x']]);
    await expect(readAll(await dataset({ state: 'VIC', layer: 'historical_flood' }))).rejects.toMatchObject({
      code: 'bad_option',
      message: expect.stringMatching(/EXTENT_100Y_ARI.*modelled/),
    });
  });

  it('cuts polygons with holes into cells, and counts them once', async () => {
    const outer = square(149.99, -33.06, 0.2);
    const hole = square(150.05, -33, 0.05).reverse();
    const flipped: number[] = [];
    for (let i = 0; i < hole.length; i += 2) flipped.push(hole[i + 1]!, hole[i]!);
    await polygons('qld', ['CLASS'], [['High Potential Bushfire Intensity']], [[outer, flipped]]);
    const { pieces, accounts } = await readAll(await dataset({ state: 'QLD', layer: 'bushfire' }));
    expect(new Set(pieces.map((piece) => piece.cell)).size).toBe(pieces.length);
    expect(pieces.length).toBeGreaterThan(12);
    expect(new Set(pieces.map((piece) => piece.feature_id)).size).toBe(1);
    expect(accounts[0]).toMatchObject({ rows_in: 1, records: 1 });
    const covers = (lon: number, lat: number) =>
      pieces.some((piece) => pointInMultiPolygon(lon, lat, decodeWkb(piece.geom)));
    expect([covers(150.02, -32.95), covers(150.07, -32.97)]).toEqual([true, false]);
  });

  it('reads lines, with the voltage in the name, and leaves out what does not operate', async () => {
    await folder.shapefile('lines', {
      shapeType: 3,
      fields: [
        ['FEATURETYP', 'C', 30],
        ['OPERATIONA', 'C', 20],
        ['CAPACITYKV', 'N', 8],
      ],
      rows: [
        ['Transmission Line', 'Operational', '220'],
        ['Transmission Line', 'Decommissioned', '66'],
        ['', 'operational', ''],
        ['Transmission Line', 'Operational', '500'],
      ],
      shapes: [
        [
          [144, -37, 144.2, -37.01],
          [144, -36.9, 144.01, -36.9],
        ],
        [[144, -37, 144.2, -37]],
        [[144, -37, 144, -37.01]],
        [[144, -37, 144, -37]],
      ],
      prj: GDA2020_PRJ,
    });
    const { pieces, accounts, rejects, areas } = await readAll(
      await dataset({ state: 'AU', layer: 'hv_power_line' }),
    );
    const first = pieces.filter((piece) => piece.source_no === 1);
    expect(first[0]).toMatchObject({
      shape: 'line',
      name: 'Transmission Line, 220 kV',
      layer: 'hv_power_line',
    });
    expect(first.length).toBeGreaterThan(3);
    expect(decodeLineWkb(first[0]!.geom).lineEnds.length).toBeGreaterThan(0);
    expect(pieces.find((piece) => piece.source_no === 3)).toMatchObject({ name: 'Transmission line' });
    expect(accounts[0]).toMatchObject({ rows_in: 4, records: 2, rejects: 1, drops: { other_class: 1 } });
    expect(rejects).toHaveLength(1);
    expect(areas.map(({ state }) => state)).not.toContain('OT');
    expect(areas).toHaveLength(8);
  });

  it('reads points of a CSV, and rejects rows without a place', async () => {
    await folder.write(
      'spots.csv',
      'ID,Location,State,Latitude,Longitude\n7,"Near, the river",VIC,-37.1,144.1\n8,b,VIC,,\n9,c,VIC,-37,here\n10,d\n11,e,VIC,37,144\n',
    );
    const { pieces, rejects, release } = await readAll(
      await dataset({ state: 'AU', layer: 'mobile_black_spot' }, { crs: 'EPSG:4283' }),
    );
    expect(release.crs).toMatchObject({ applied: 'EPSG:4283', stated: null });
    expect(pieces).toMatchObject([
      { feature_id: 'AU:mobile_black_spot:7', shape: 'point', name: 'Reported mobile black spot' },
    ]);
    const [lon] = decodePointWkb(pieces[0]!.geom).coords;
    expect(lon).toBeGreaterThan(144.1);
    expect(rejects.map(({ code, at }) => [code, at])).toEqual([
      ['no_geometry', 'feature 2'],
      ['bad_coordinate', 'feature 3'],
      ['short_row', 'feature 4'],
      ['outside_australia', 'feature 5'],
    ]);
    await expect(
      hazardsAdapter.discover(await dataset({ state: 'AU', layer: 'mobile_black_spot' })),
    ).rejects.toMatchObject({ code: 'missing_crs' });
  });

  it('counts notes below a CSV of places as footnotes, whatever their width', async () => {
    await folder.write(
      'spots.csv',
      'ID,Location,State,Latitude,Longitude\n7,a,VIC,-37.1,144.1\n,b,VIC,,\n,,,,\nSource: Department of Examples\n"© Commonwealth of Australia, all rights reserved",,,,\n',
    );
    const { pieces, rejects, accounts } = await readAll(
      await dataset({ state: 'AU', layer: 'mobile_black_spot' }, { crs: 'EPSG:7844' }),
    );
    expect(pieces).toHaveLength(1);
    expect(rejects.map(({ code, at }) => [code, at])).toEqual([['no_geometry', 'feature 2']]);
    expect(accounts[0]).toMatchObject({ rows_in: 5, records: 1, rejects: 1, drops: { footnote: 3 } });
  });

  it('names the suburb or postcode of a place whose coordinates cannot be read', async () => {
    await folder.write(
      'spots.csv',
      'ID,Suburb,PostCode,State,Latitude,Longitude\n7,Kew,3101,VIC,-37.1,144.1\n8,Kew,3101,VIC,,\n9,,,VIC,-37,here\n10,Fawkner,,VIC,37,144\n',
    );
    const { rejects } = await readAll(
      await dataset({ state: 'AU', layer: 'mobile_black_spot' }, { crs: 'EPSG:7844' }),
    );
    expect(rejects.map(({ at, area }) => [at, area])).toEqual([
      ['feature 2', { state: 'VIC', postcode: '3101', suburb: 'KEW' }],
      ['feature 3', undefined],
      ['feature 4', { state: 'VIC', postcode: null, suburb: 'FAWKNER' }],
    ]);
  });

  it('skips a table without coordinates among others, and refuses it alone', async () => {
    await folder.write('columns.csv', 'name,meaning\nID,number\n');
    const options = { state: 'AU', layer: 'mobile_black_spot' };
    await expect(hazardsAdapter.discover(await dataset(options, { crs: 'EPSG:7844' }))).rejects.toMatchObject(
      { code: 'missing_column', message: expect.stringMatching(/columns\.csv.*name/) },
    );
    await folder.write('spots.csv', 'ID,X,Y\n7,144,-37\n');
    const { pieces, release } = await readAll(await dataset(options, { crs: 'EPSG:7844' }));
    expect(pieces).toHaveLength(1);
    expect(release.notes).toContain('columns.csv is not a list of places; skipped.');
  });

  it('keeps the dates of events, and says which it could not read', async () => {
    await polygons(
      'historic',
      ['PFI', 'EVENT_NAME', 'EVENT_DATE'],
      [
        ['1', 'Flood of 1974', '1974-01-29'],
        ['2', 'Old flood', '1870'],
        ['3', '', ''],
      ],
    );
    const options = { state: 'VIC', layer: 'historical_flood' };
    const { pieces, notes, release } = await readAll(await dataset(options));
    expect(pieces.map((piece) => piece.event_date)).toEqual(['1974-01-29', null, null]);
    expect(pieces[2]!.name).toBe('Recorded flood extent');
    expect(notes).toEqual([expect.stringMatching(/1 event dates.*iso.*1870/)]);
    expect(release.notes).toEqual([expect.stringMatching(/states no coverage of historical_flood/)]);
    const event = { name: 'Flood of February 2022', date: '2022-02-28' };
    const dated = await readAll(await dataset({ ...options, event }));
    expect(dated.pieces.map((piece) => [piece.name, piece.event_date])).toEqual([
      ['Flood of 1974', '1974-01-29'],
      ['Old flood', '2022-02-28'],
      ['Flood of February 2022', '2022-02-28'],
    ]);
  });

  it('takes a map from the configuration, whose identifiers are those of the dataset', async () => {
    await polygons(
      'own',
      ['KEY', 'KLASS', 'WHEN'],
      [
        ['5', 'HIGH RISK', '13/01/2011'],
        ['6', 'who knows', ''],
      ],
    );
    const field_map = {
      label: 'Slope',
      feature_id: 'key',
      name: ['nope', 'klass'],
      severity: { 'high risk': 4 },
      unassessed: ['Who Knows'],
      event_date: { fields: 'when', format: 'dmy' },
      filters: [{ fields: 'absent', keep: ['x'], optional: true }],
    };
    const { pieces, notes } = await readAll(
      await dataset({ state: 'QLD', layer: 'landslide', field_map, coverage: 'none' }, { id: 'slope_noosa' }),
    );
    expect(pieces).toMatchObject([
      { feature_id: 'QLD:landslide:slope_noosa/5', name: 'High Risk', severity: 4, event_date: '2011-01-13' },
      { is_assessed: false, event_date: null },
    ]);
    expect(notes).toEqual([expect.stringMatching(/no column absent/)]);
  });

  it('sets aside what is too long to be an identifier', async () => {
    const text = 'x'.repeat(201);
    await folder.write(
      'sites.geojson',
      JSON.stringify({
        type: 'FeatureCollection',
        features: [text, 'fine\u0000'].map((SITE_ID) => ({
          type: 'Feature',
          properties: { SITE_ID, CATEGORY: 'a\nb' },
          geometry: { type: 'Point', coordinates: [150, -33] },
        })),
      }),
    );
    const { pieces, rejects } = await readAll(await dataset({ state: 'NSW', field_map: 'epa_sites' }));
    expect(rejects).toMatchObject([{ code: 'bad_value', at: 'feature 1' }]);
    expect(pieces).toMatchObject([{ feature_id: 'NSW:environment:epa_sites/fine', name: 'a b' }]);
  });

  it.each([
    [{ state: 'VIC' }, /must name its layer/],
    [{ state: 'VIC', layer: 'public_housing' }, /layer/],
    [{ state: 'VIC', field_map: 'nope' }, /unknown hazard field map nope/],
    [{ state: 'VIC', field_map: '__proto__' }, /unknown hazard field map/],
    [{ state: 'VIC', field_map: 'generic' }, /must name its layer/],
    [{ state: 'VIC', field_map: 'vic_flood', layer: 'bushfire' }, /is of the layer flood/],
    [{ state: 'VIC', layer: 'flood', field_map: { label: 'x', colour: 'red' } }, /field_map/],
    [{ state: 'VIC', layer: 'historical_flood', event: { date: '2011-02-30' } }, /event.date/],
    [{ state: 'Victoria', layer: 'flood' }, /state/],
    [{ state: 'VIC', layer: 'flood', coverage: { lga: ['10050'] } }, /10050.*NSW/],
    [{ state: 'VIC', layer: 'flood', coverage: { lga: [10050] } }, /coverage/],
    [{ state: 'VIC', layer: 'flood', coverage: { bbox: [145, -37, 144, -38] } }, /coverage/],
    [{ state: 'VIC', layer: 'flood', coverage: { file: 'outline.geojson' } }, /outline\.geojson.*not among/],
  ])('refuses %j', async (options, message) => {
    await polygons('PLAN_OVERLAY', ['ZONE_CODE'], [['LSIO']]);
    const thrown = hazardsAdapter.discover(await dataset(options));
    await expect(thrown).rejects.toMatchObject({
      code: 'bad_option',
      message: expect.stringMatching(message),
    });
  });

  it('names the column that a filter lacks, and a file of the wrong shapes', async () => {
    await polygons('sa', ['OTHER'], [['x']]);
    await expect(readAll(await dataset({ state: 'SA', layer: 'flood' }))).rejects.toMatchObject({
      code: 'missing_column',
      message: expect.stringMatching(/sa\.shp.*name.*OTHER/),
    });
    await expect(readAll(await dataset({ state: 'AU', layer: 'hv_power_line' }))).rejects.toMatchObject({
      code: 'wrong_shape_type',
    });
  });

  it('has a map for each layer that it reads, with ranks from 1 to 4', () => {
    const layers = new Set(Object.values(HAZARD_FIELD_MAPS).map((map) => map.layer));
    for (const layer of HAZARD_LAYERS) if (layer !== 'public_housing') expect(layers).toContain(layer);
    for (const map of Object.values(HAZARD_FIELD_MAPS))
      for (const rank of Object.values(map.severity)) expect([1, 2, 3, 4]).toContain(rank);
  });
});
