import geodesic from 'geographiclib-geodesic';
import { afterEach, describe, expect, it } from 'vitest';
import { stopRecord } from '../../../schema/records/stop.ts';
import type { Row } from '../../../schema/table.ts';
import { stopsAdapter } from '../../../sources/transport/stops/adapter.ts';
import { hasSharedData, sharedCsv } from '../../shared_data.ts';
import { adapterConformance, readPart } from '../conformance.ts';
import { datasetOf, type ReleaseFolder, releaseFolder, YARRA } from '../release_folder.ts';

type Stop = Row<typeof stopRecord>;

const feature = (id: unknown, name: unknown, coordinates: unknown, type = 'Point') => ({
  type: 'Feature',
  properties: { STOP_ID: id, STOP_NAME: name },
  geometry: coordinates === null ? null : { type, coordinates },
});
const collection = (...features: unknown[]) => JSON.stringify({ type: 'FeatureCollection', features });
const STOPS = collection(
  feature('1', 'High St/Station Rd', [145, -37.8]),
  feature(2, ' Two  blanks ', [145.1, -37.8]),
  feature('3', null, [145, -37.8]),
  feature(null, 'No id', [145, -37.8]),
  feature('5', 'No shape', null),
  feature('6', 'Nowhere', [0, 0]),
  feature(
    '7',
    'Line',
    [
      [145, -37.8],
      [145, -37.9],
    ],
    'LineString',
  ),
  feature(
    '8',
    'Two points',
    [
      [145, -37.8],
      [145, -37.9],
    ],
    'MultiPoint',
  ),
);

let folder: ReleaseFolder | undefined;
afterEach(async () => {
  await folder?.remove();
  folder = undefined;
});

async function read(files: Readonly<Record<string, string>>, options: Record<string, unknown>) {
  folder = await releaseFolder();
  for (const [name, text] of Object.entries(files)) await folder.write(name, text);
  const { release, parts } = await stopsAdapter.discover(await folder.dataset({ id: 'stops', options }));
  const results = [];
  for (const part of parts) results.push(await readPart(stopsAdapter, release, part));
  return {
    stops: results.flatMap((result) => (result.rows.get(stopRecord) ?? []) as unknown as Stop[]),
    rejects: results.flatMap((result) => result.rejects.map(({ at, code }) => `${at} ${code}`)),
  };
}

describe('stops of a point layer', () => {
  it('have the mode of their layer, and bad rows are set aside', async () => {
    const { stops, rejects } = await read({ 'bus.geojson': STOPS }, { modes: { BUS: 'bus' } });
    expect(stops.map(({ stop_id, mode, label }) => `${stop_id} ${mode} ${label}`)).toEqual([
      'stops:bus:1 bus High St/Station Rd',
      'stops:bus:2 bus Two blanks',
    ]);
    expect(rejects).toEqual([
      'feature 3 missing_value',
      'feature 4 missing_key',
      'feature 5 no_geometry',
      'feature 6 outside_australia',
      'feature 7 wrong_geometry',
      'feature 8 wrong_geometry',
    ]);
  });

  it('take their columns from the field map', async () => {
    const text = STOPS.replaceAll('STOP_ID', 'code').replaceAll('STOP_NAME', 'title');
    await expect(read({ 'a.geojson': text }, { mode: 'ferry' })).rejects.toMatchObject({
      code: 'missing_column',
    });
    await folder!.remove();
    const options = { mode: 'ferry', field_map: { stop_id: 'code', label: ['name_x', 'title'] } };
    expect((await read({ 'a.geojson': text }, options)).stops).toHaveLength(2);
  });

  it('are refused without a known mode', async () => {
    await expect(read({ 'a.geojson': STOPS }, {})).rejects.toMatchObject({
      code: 'bad_option',
      message: expect.stringContaining('layer a'),
    });
    await folder!.remove();
    await expect(read({ 'a.geojson': STOPS }, { mode: 'zeppelin' })).rejects.toMatchObject({
      code: 'bad_option',
    });
  });
});

adapterConformance('stops', async () => {
  const own = await releaseFolder();
  await own.write('bus.geojson', STOPS);
  return {
    adapter: stopsAdapter,
    dataset: await own.dataset({ options: { mode: 'bus' } }),
    remove: own.remove,
  };
});

describe.skipIf(!hasSharedData('stop layers of Yarra'))('the stop layers of Victoria', () => {
  const byLayer = new Map<string, Stop[]>();
  it('are read whole, in degrees and in metres', async () => {
    const dataset = await datasetOf(`${YARRA}transport/ptv_stops`, { id: 'stops_vic', options: {} });
    const { release, parts } = await stopsAdapter.discover(dataset);
    for (const part of parts) {
      const { rows, rejects } = await readPart(stopsAdapter, release, part);
      expect(rejects).toEqual([]);
      byLayer.set(part.id, rows.get(stopRecord) as unknown as Stop[]);
    }
    expect(
      Object.fromEntries([...byLayer].map(([layer, rows]) => [layer, [rows.length, rows[0]!.mode]])),
    ).toEqual({
      PTV_METRO_BUS_STOP: [18_559, 'bus'],
      PTV_METRO_TRAIN_STATION: [220, 'train'],
      PTV_METRO_TRAM_STOP: [1665, 'tram'],
      PTV_REGIONAL_TRAIN_STATION: [110, 'train'],
    });
  });

  it.each([
    ['train', 'PTV_METRO_TRAIN_STATION'],
    ['tram', 'PTV_METRO_TRAM_STOP'],
    ['bus', 'PTV_METRO_BUS_STOP'],
  ])('give the nearest %s of the oracle within 5 cm', (mode, layer) => {
    const stops = byLayer.get(layer)!;
    for (const row of sharedCsv('yarra/expected/nearest_transport.csv')) {
      const [lon, lat] = [Number(row.lon), Number(row.lat)];
      let nearest: Stop | undefined;
      let metres = Infinity;
      for (const stop of stops) {
        if (Math.abs(stop.lat - lat) > 0.05 || Math.abs(stop.lon - lon) > 0.05) continue;
        const { s12 } = geodesic.Geodesic.WGS84.Inverse(lat, lon, stop.lat, stop.lon);
        if (s12! < metres) [metres, nearest] = [s12!, stop];
      }
      expect(Math.abs(metres - Number(row[`${mode}_m`])), row.gnaf_pid).toBeLessThan(0.05);
      if (Number(row[`${mode}_gap_to_second_m`]) < 0.1) continue;
      expect(nearest!.stop_id).toBe(`stops_vic:${layer}:${row[`${mode}_stop_id`]}`);
      expect(nearest!.label).toBe(row[`${mode}_stop_name`]);
    }
  });
});
