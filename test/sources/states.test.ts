import { readFileSync } from 'node:fs';
import { dirname, basename as nameOf } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hazardPieceRecord } from '../../schema/records/hazard.ts';
import { overlayPieceRecord } from '../../schema/records/overlay.ts';
import { parcelRecord } from '../../schema/records/parcel.ts';
import { schoolRecord } from '../../schema/records/school.ts';
import { stopRecord } from '../../schema/records/stop.ts';
import { zonePieceRecord } from '../../schema/records/zone.ts';
import { adapterNamed } from '../../sources/index.ts';
import { zoneCategory } from '../../sources/zoning/categories.ts';
import { hasSharedData, sharedCsv, sharedPath } from '../shared_data.ts';
import { type DatasetResult, readDataset } from './read_dataset.ts';
import { datasetOf, releaseFolder } from './release_folder.ts';

const there = hasSharedData('the deliveries of the states');

/** Reads a file or folder of the deliveries as a dataset. */
async function read(
  adapter: string,
  path: string,
  options: Record<string, unknown>,
  crs: string | null = null,
): Promise<DatasetResult> {
  const isFile = /\.\w+$/.test(path);
  const folder = sharedPath(`states/${isFile ? dirname(path) : path}`);
  const pattern = isFile ? new RegExp(`${nameOf(path).replaceAll('.', '\\.')}$`) : /./;
  return readDataset(adapterNamed(adapter), await datasetOf(folder, { options, crs }, pattern));
}

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)].sort();
const rowsOf = (result: DatasetResult): number =>
  result.accounts.filter(({ table }) => table !== null).reduce((sum, account) => sum + account.rows_in, 0);

describe.skipIf(!there)('zones as they are delivered', () => {
  it.each([
    ['Logan', 'qld_zones', { state: 'QLD' }, {}],
    ['South Australia', 'sa_zones', { state: 'SA' }, {}],
    ['Murray', 'wa/DPLH071_LPS_zones_murray.geojson', { state: 'WA' }, { no_zone: 7 }],
  ])(
    '%s: every row is a zone with a name and a category, or says that it is none',
    async (_, path, options, drops) => {
      const result = await read('zoning', path, options);
      expect(result.drops).toEqual(drops);
      // a triangle without area
      expect(result.rejects.filter(({ code }) => code !== 'zero_area')).toEqual([]);
      const zones = result.rowsOf(zonePieceRecord);
      const features = distinct(zones.map(({ zone_id }) => zone_id));
      const without = distinct(
        zones.filter(({ category }) => category === null).map(({ zone_id }) => zone_id),
      );
      expect(without.length / features.length).toBeLessThanOrEqual(0.01);
      // and in each file by itself
      const shares = result.accounts
        .filter(({ table }) => table === 'zone_piece')
        .map(({ file, records, uncategorised }) => ({
          file,
          share: Object.values(uncategorised ?? {}).reduce((sum, n) => sum + n, 0) / records,
        }));
      expect(shares.length).toBeGreaterThan(0);
      expect(shares.filter(({ share }) => share > 0.01)).toEqual([]);
      expect(zones.filter(({ name }) => name === null)).toEqual([]);
      expect(rowsOf(result)).toBeGreaterThan(900);
    },
  );

  it('appends the labels of Western Australia to the name, and takes no number for a code', async () => {
    const zones = (await read('zoning', 'wa/DPLH071_LPS_zones_murray.geojson', { state: 'WA' })).rowsOf(
      zonePieceRecord,
    );
    const told = distinct(zones.map(({ code, name, category }) => `${code} ${name}: ${category}`));
    expect(told).toContain('PS Public purposes: Primary school: infrastructure');
    expect(told).toContain('CCP Caravan / chalet park: centre_mixed');
    expect(told).toContain('null Special rural: residential_low');
    expect(zones.some(({ code }) => /^\d+$/.test(code ?? ''))).toBe(false);
  });

  it('has a category for every code in force of New South Wales and the ACT', () => {
    const codes = JSON.parse(readFileSync(sharedPath('states/nsw/zone_codes_nsw_act.json'), 'utf8'));
    const without = (['nsw', 'act'] as const).flatMap((scheme) =>
      Object.keys(codes[scheme])
        .map((text) => text.split(' | '))
        .filter(([code, name]) => zoneCategory(scheme, code!, name!) === null),
    );
    expect(without).toEqual([]);
    expect(zoneCategory('nsw', 'SP4', 'Enterprise')).toBe('industrial');
    expect(zoneCategory('nsw', 'SP5', 'Metropolitan Centre')).toBe('centre_mixed');
    expect(zoneCategory('nsw', 'E', 'Environment')).toBe('conservation');
    expect(zoneCategory('nsw', 'E', 'Business Zone - Commercial Core')).toBe('centre_mixed');
  });
});

describe.skipIf(!there)('hazards and overlays as they are delivered', () => {
  it.each(['bushfire', 'flood', 'heritage', 'environment'])(
    'South Australia, %s: every name is known',
    async (layer) => {
      const result = await read('hazards', 'sa_overlays', { state: 'SA', layer });
      expect(Object.keys(result.drops)).toEqual(['other_class']);
      expect(result.accounts.flatMap(({ unknown }) => Object.keys(unknown ?? {}))).toEqual([]);
      expect(result.rejects).toEqual([]);
      const names = distinct(
        result.rowsOf(hazardPieceRecord).map(({ name, severity }) => `${name} ${severity}`),
      );
      expect(names).toEqual(layer === 'bushfire' ? ['Hazards (Bushfire - General) 1'] : []);
    },
  );

  it('South Australia, overlays: values, and no prose', async () => {
    const result = await read('overlays', 'sa_overlays', { state: 'SA' });
    expect(result.drops).toEqual({});
    const values = result.rowsOf(overlayPieceRecord).map(({ layer, value }) => `${layer}: ${value}`);
    expect(distinct(values)).toContain('Hazards (Bushfire - General): General');
    expect(values.filter((value) => /seeks to|is an area/.test(value))).toEqual([]);
  });

  it('Western Australia: places of the state register by their names', async () => {
    const path = 'wa/DPLH006_state_register_wa.geojson';
    const result = await read('hazards', path, { state: 'WA', layer: 'heritage' }, 'EPSG:7844');
    expect([result.drops, result.rejects]).toEqual([{}, []]);
    const places = result.rowsOf(hazardPieceRecord);
    expect(new Set(places.map(({ feature_id }) => feature_id)).size).toBe(1233);
    expect(places.map(({ name }) => name)).toContain('Bank of New South Wales (NSW)(fmr)');
    expect(places.map(({ feature_id }) => feature_id)).toContain('WA:heritage:841');
    expect(places.filter(({ name }) => /^hazard/i.test(name))).toEqual([]);
  });

  it('New South Wales: sites that are not regulated are dropped', async () => {
    const path = 'nsw/nsw_contaminated_sites_botany.geojson';
    const result = await read('hazards', path, { state: 'NSW', field_map: 'epa_sites' }, 'EPSG:7844');
    expect([result.drops, result.rejects]).toEqual([{ not_regulated: 6 }, []]);
    const sites = result.rowsOf(hazardPieceRecord);
    expect(sites).toHaveLength(4);
    expect(sites.every(({ code, feature_id }) => code !== null && /:\d+$|\/\d+$/.test(feature_id))).toBe(
      true,
    );
    expect(sites.filter(({ name }) => /^hazard$|unclassified/i.test(name))).toEqual([]);
  });

  it('Australia: lines over ground that are in operation', async () => {
    // the sample has the attributes alone: each gets a short line of its own
    const features = sharedCsv('states/national/Electricity_Transmission_Lines.csv').map((properties, i) => ({
      type: 'Feature',
      properties,
      geometry: {
        type: 'LineString',
        coordinates: [
          [144 + i / 10_000, -37],
          [144 + i / 10_000, -37.01],
        ],
      },
    }));
    const folder = await releaseFolder();
    try {
      await folder.write('lines.geojson', JSON.stringify({ type: 'FeatureCollection', features }));
      const dataset = await folder.dataset({
        crs: 'EPSG:7844',
        options: { state: 'AU', layer: 'hv_power_line' },
      });
      const result = await readDataset(adapterNamed('hazards'), dataset);
      expect(result.rejects).toEqual([]);
      const { other_class, underground, ...more } = result.drops;
      expect([other_class, more]).toEqual([21, {}]);
      expect(underground).toBeGreaterThan(180);
      const lines = result.rowsOf(hazardPieceRecord);
      expect(new Set(lines.map(({ feature_id }) => feature_id)).size).toBe(3014 - 21 - underground!);
      expect(lines[0]).toMatchObject({ name: 'Transmission Line, 132 kV', is_assessed: true });
      expect(lines[0]!.feature_id).toMatch(/^AU:hv_power_line:\{[0-9A-F-]{36}\}$/);
    } finally {
      await folder.remove();
    }
  });
});

describe.skipIf(!there)('parcels as they are delivered', () => {
  it.each(['parcels.geojson', 'parcels_DERIVED_with_cid.geojson'])('Tasmania, %s', async (file) => {
    const result = await read('cadastre', `tas_cadastre/${file}`, { state: 'TAS' });
    expect([result.drops, result.rejects]).toEqual([{ road: 12 }, []]);
    const parcels = result.rowsOf(parcelRecord);
    expect(new Set(parcels.map(({ parcel_id }) => parcel_id)).size).toBe(40);
    expect(parcels.filter(({ lot_plan }) => lot_plan === null)).toHaveLength(4);
    expect(parcels.map(({ lot_plan }) => lot_plan)).toContain('246648/1');
  });
});

describe.skipIf(!there)('transport, schools and others as they are delivered', () => {
  it('Darwin: stops of school services alone are excluded by default', async () => {
    const result = await read('gtfs', 'nt_gtfs', { state: 'NT' });
    const routes = result.accounts.find(({ file }) => file.endsWith('routes.txt'))!;
    expect([routes.drops, result.rejects]).toEqual([{ school_bus: 35 }, []]);
    const stops = result.rowsOf(stopRecord);
    expect(stops.length).toBeGreaterThan(560);
    expect(stops.length).toBeLessThan(620);
    const all = await read('gtfs', 'nt_gtfs', { state: 'NT', school_buses: true });
    expect(all.rowsOf(stopRecord)).toHaveLength(669);
  });

  it('Tasmania: a feed without stop times says what to write, and reads with it', async () => {
    const advice = await read('gtfs', 'tas_gtfs', { state: 'TAS' }).catch((error: Error) => error.message);
    expect(advice).toMatch(/folders: \{"tas": bus\}/);
    const result = await read('gtfs', 'tas_gtfs', { state: 'TAS', folders: { tas: 'bus' } });
    expect(result.rejects).toEqual([]);
    expect(result.rowsOf(stopRecord).length).toBeGreaterThan(3000);
  });

  it('New South Wales: every government school is read, and centres are marked as special', async () => {
    const result = await read('schools', 'nsw/nsw_schools_master_2026.csv', { state: 'NSW' });
    expect([result.drops, result.rejects]).toEqual([{}, []]);
    const schools = result.rowsOf(schoolRecord);
    expect(schools).toHaveLength(2210);
    expect(distinct(schools.map(({ sector }) => sector))).toEqual(['Government']);
    // 117 for specific purposes, 22 centres, 2 others, and those that teach from afar
    const special = schools.filter(({ is_special }) => is_special);
    expect(special.length).toBeGreaterThanOrEqual(141);
    expect(
      schools.filter(({ name, is_special }) => /environmental education/i.test(name) && !is_special),
    ).toEqual([]);
    expect(schools.filter(({ level }) => level === 'Primary').length).toBeGreaterThan(1500);
  });

  it('the ABS: a list of SA2s is refused with the reason', async () => {
    const refused = await read('asgs', 'national/SA2_2021_AUST.xlsx', {}).catch(
      (error: Error) => error.message,
    );
    expect(refused).toMatch(/lists the regions of SA2 and allocates no mesh blocks/);
  });

  it('REA: each element is a listing of a home, or has a reason', async () => {
    const result = await read('reaxml', 'reaxml', {});
    expect(result.drops).toEqual({ not_a_home: 10 });
    expect(result.rejects.map(({ code }) => code)).toEqual(['missing_address', 'missing_address']);
  });
});
