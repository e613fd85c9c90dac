import { afterEach, describe, expect, it } from 'vitest';
import { coverageCountRecord, coverageGapRecord } from '../../../schema/records/coverage.ts';
import { stopRecord } from '../../../schema/records/stop.ts';
import type { Row } from '../../../schema/table.ts';
import { gtfsAdapter } from '../../../sources/transport/gtfs/adapter.ts';
import { modeOfRoute, modeOfRouteType } from '../../../sources/transport/gtfs/route_modes.ts';
import { hasSharedData } from '../../shared_data.ts';
import { adapterConformance, readPart } from '../conformance.ts';
import { datasetOf, type ReleaseFolder, releaseFolder, YARRA } from '../release_folder.ts';
import { zipBytes } from '../zip_writer.ts';

type Tables = Readonly<Record<string, string>>;

const STOPS = `\ufeffstop_id,stop_name,stop_lat,stop_lon,location_type,parent_station
"P1","Central, Platform 1","-33.883","151.206","","CEN"
"P2","Central Platform 2","-33.8831","151.2061","0","CEN"
"CEN","Central Station","-33.8832","151.2062","1",""
"E1","Eddy Ave","-33.8833","151.2063","2","CEN"
"N1","","","","3","CEN"
"B1","Elizabeth St, Stand A","-33.884","151.207","",""
"TB","Tram and bus stop","-33.885","151.208","",""
"LONE","Lone platform","-33.886","151.209","","GONE"
"SCH","School stop","-33.887","151.210","",""
"ZERO","Nowhere","0.0","0.0","",""
"VOID","Unplaced","","","",""
"ODD","Odd kind","-33.888","151.211","7",""
`;
const FEED: Tables = {
  stops: STOPS,
  routes: `route_id,agency_id,route_short_name,route_long_name,route_type
T,1,T1,"North, then South",2
L,1,L1,Light rail,900
B,1,1,Bus,700
S,1,S,School,712
R,1,R,Trackwork,714
X,1,X,"Rail Replacement Bus",400
G,1,G,Gondola,6
BAD,1,?,Bad type,bus
`,
  trips: `route_id,service_id,trip_id
T,W,t1
L,W,l1
B,W,b1
S,W,s1
R,W,r1
NO,W,n1
`,
  stop_times: `trip_id,arrival_time,departure_time,stop_id,stop_sequence,stop_headsign
t1,25:10:00,25:10:00,P1,1,"City, via Museum"
t1,25:12:00,25:12:00,P2,2,
t1,25:14:00,25:14:00,LONE,3,
l1,08:00:00,08:00:00,TB,1,
b1,08:00:00,08:00:00,TB,1,
b1,08:00:00,08:00:00,B1,2,
b1,08:00:00,08:00:00,ZERO,3,
b1,08:00:00,08:00:00,VOID,4,
b1,08:00:00,08:00:00,ODD,5,
s1,08:00:00,08:00:00,SCH,1,
r1,08:00:00,08:00:00,CEN,1,
zz,08:00:00,08:00:00,B1,1,
short
`,
};

const zipOf = (tables: Tables, folder = '') =>
  zipBytes(
    Object.entries(tables).map(([name, text]) => ({
      name: `${folder}${name}.txt`,
      bytes: Buffer.from(text),
    })),
  );
const nested = async (feeds: Readonly<Record<string, Tables>>) =>
  zipBytes(
    await Promise.all(
      Object.entries(feeds).map(async ([folder, tables]) => ({
        name: `${folder}/google_transit.zip`,
        bytes: await zipOf(tables),
      })),
    ),
  );

let folder: ReleaseFolder | undefined;
afterEach(async () => {
  await folder?.remove();
  folder = undefined;
});

async function read(files: Readonly<Record<string, Buffer | string>>, options: Record<string, unknown> = {}) {
  folder = await releaseFolder();
  for (const [name, bytes] of Object.entries(files)) await folder.write(name, bytes);
  const { release, parts } = await gtfsAdapter.discover(await folder.dataset({ id: 'gtfs', options }));
  const results = [];
  for (const part of parts) results.push(await readPart(gtfsAdapter, release, part));
  const rows = results.flatMap(
    (result) => (result.rows.get(stopRecord) ?? []) as { stop_id: string; mode: string; label: string }[],
  );
  return {
    parts: parts.map(({ id }) => id),
    gaps: results.flatMap(
      ({ rows }) => (rows.get(coverageGapRecord) ?? []) as Row<typeof coverageGapRecord>[],
    ),
    counts: results.flatMap(
      (result) => (result.rows.get(coverageCountRecord) ?? []) as Row<typeof coverageCountRecord>[],
    ),
    stops: rows.map(({ stop_id, mode, label }) => `${stop_id} ${mode} ${label}`),
    rejects: results.flatMap((result) => result.rejects),
    accounts: results.flatMap((result) => result.accounts),
    notes: [...release.notes, ...results.flatMap((result) => result.notes)],
  };
}
const dropsOf = (accounts: { file: string; drops: Record<string, number> }[], table: string) =>
  accounts.find(({ file }) => file.endsWith(`${table}.txt`))?.drops;

describe('modes of route types', () => {
  it.each([
    [0, 'tram'],
    [1, 'train'],
    [2, 'train'],
    [3, 'bus'],
    [4, 'ferry'],
    [5, 'tram'],
    [6, null],
    [7, null],
    [11, 'bus'],
    [12, 'train'],
    [109, 'train'],
    [204, 'bus'],
    [400, 'train'],
    [401, 'train'],
    [700, 'bus'],
    [800, 'bus'],
    [900, 'tram'],
    [1000, 'ferry'],
    [1100, null],
    [1200, 'ferry'],
    [1300, null],
    [1500, null],
  ])('%i is %s', (type, mode) => expect(modeOfRouteType(type)).toBe(mode));

  const none = { school_buses: false, rail_replacement: false };
  it.each([
    [712, '', null, none, 'school_bus'],
    [712, '', null, { ...none, school_buses: true }, 'bus'],
    [714, '', null, none, 'rail_replacement'],
    [714, '', 'train', { ...none, rail_replacement: true }, 'bus'],
    [400, 'Replacement Bus', 'train', none, 'rail_replacement'],
    [701, 'Route 1', 'tram', none, 'tram'],
    [1500, '', null, none, 'other_mode'],
  ] as const)('%i "%s" in a folder of %s', (type, names, mode, kept, found) =>
    expect(modeOfRoute(type, names, mode, kept)).toBe(found),
  );
});

describe('a feed with stop_times', () => {
  it('gives the stops that its trips serve, by mode, platforms as their station', async () => {
    const { stops, rejects, accounts, parts } = await read({ 'feed.zip': await zipOf(FEED) });
    expect(parts).toEqual(['feed']);
    expect(stops).toEqual([
      'gtfs:CEN train Central Station',
      'gtfs:B1 bus Elizabeth St, Stand A',
      'gtfs:TB tram Tram and bus stop',
      'gtfs:TB bus Tram and bus stop',
      'gtfs:LONE train Lone platform',
    ]);
    expect(rejects.map(({ file, at, code }) => `${file} ${at} ${code}`)).toEqual([
      'feed.zip › routes.txt line 9 bad_number',
      'feed.zip › stop_times.txt line 14 short_row',
      'feed.zip › stops.txt line 11 outside_australia',
      'feed.zip › stops.txt line 12 bad_coordinate',
      'feed.zip › stops.txt line 13 bad_code',
    ]);
    expect(dropsOf(accounts, 'stops')).toEqual({ entrance: 1, generic_node: 1, not_served: 1 });
    expect(dropsOf(accounts, 'routes')).toEqual({ school_bus: 1, rail_replacement: 2, other_mode: 1 });
    expect(dropsOf(accounts, 'trips')).toEqual({ school_bus: 1, rail_replacement: 1, unknown_route: 1 });
    expect(dropsOf(accounts, 'stop_times')).toEqual({ school_bus: 1, rail_replacement: 1, unknown_trip: 1 });
    const merged = accounts.filter(({ file, table }) => file.endsWith('stops.txt') && table === null);
    expect(merged).toMatchObject([{ rows_in: 2, records: 2 }]);
  });

  it('reads rows without their empty fields at the end, and with a comma too many', async () => {
    const stops = FEED.stops!.replace(',"","CEN"', ',"","CEN",')
      .replace('"151.210","",""', '"151.210"')
      .replace('"151.208","",""', '"151.208"');
    const stop_times = FEED.stop_times!.replaceAll(/(\d),\n/g, '$1\n').replaceAll(/^b1.*$/gm, '$&,');
    const plain = await read({ 'feed.zip': await zipOf(FEED) });
    await folder!.remove();
    const odd = await read({ 'feed.zip': await zipOf({ ...FEED, stops, stop_times }) });
    expect(odd.stops).toEqual(plain.stops);
    expect(odd.rejects).toEqual(plain.rejects);
  });

  it('rejects a row with a quote inside quotes and names its line', async () => {
    const stops = FEED.stops!.replace('"Lone platform"', '"The "lone" platform"').replace(
      '"TB","Tram',
      '"TB",""Tram"',
    );
    const { rejects, stops: kept } = await read({ 'feed.zip': await zipOf({ ...FEED, stops }) });
    expect(
      rejects.filter(({ code }) => code === 'stray_quote').map(({ file, at }) => `${file} ${at}`),
    ).toEqual(['feed.zip › stops.txt line 8', 'feed.zip › stops.txt line 9']);
    expect(kept).toEqual(['gtfs:CEN train Central Station', 'gtfs:B1 bus Elizabeth St, Stand A']);
  });

  it.each<[what: string, row: string, box: number[] | null]>([
    ['its own place', '"B1","","-33.884","151.207","",""', [151.207, -33.884, 151.207, -33.884]],
    [
      'the surroundings of its station',
      '"B1","Bay A","","","","CEN"',
      [151.2007, -33.8879, 151.2116, -33.8784],
    ],
    [
      'the surroundings of its platforms',
      '"TB","Hall","","","1",""',
      [151.2025, -33.8897, 151.2134, -33.8802],
    ],
    ['none, but a count, where nothing places it', '"TB","Hall","","","",""', null],
    ['none, but a count, where its values may be in wrong columns', '"TB","Hall"', null],
  ])('leaves a gap for a rejected stop: %s', async (_, row, box) => {
    const id = row.split(',')[0]!;
    const kept = FEED.stops!.split('\n').filter((line) => !/^"(ZERO|VOID|ODD)"/.test(line));
    const stops = [...kept.filter((line) => !line.startsWith(id)), row, '']
      .join('\n')
      .replaceAll('\n\n', '\n');
    const hall = '"H1","Hall, Platform 1","-33.885","151.208","","TB"\n';
    const tables = {
      ...FEED,
      stops: row.includes('"1"') ? stops + hall : stops,
      routes: FEED.routes!.replace(/^BAD.*\n/m, ''),
      stop_times: FEED.stop_times!.replace(
        'short\n',
        't1,08:00:00,08:00:00,H1,9,\nt1,08:00:00,08:00:00,TB,9,\n',
      ),
    };
    const { gaps, counts, rejects } = await read({ 'feed.zip': await zipOf(tables) });
    expect(rejects).toHaveLength(1);
    if (box === null) {
      expect(gaps).toEqual([]);
      expect(counts.map(({ unplaced }) => unplaced).filter((unplaced) => unplaced > 0)).toEqual([1]);
      return;
    }
    expect(gaps).toHaveLength(1);
    const { west, south, east, north } = gaps[0]!;
    const found = [west, south, east, north];
    for (const [i, edge] of box.entries()) expect(found[i]).toBeCloseTo(edge, 3);
  });

  it.each<[what: string, lon: string, gaps: number[][]]>([
    ['a gap', '151.3', [[151.3, -33.884, 151.3, -33.884]]],
    ['no gap at the place of the first one', '151.207', []],
  ])('leaves %s for a stop whose identifier is repeated', async (_, lon, boxes) => {
    const sound = {
      ...FEED,
      stops: `${FEED.stops!.split('\n')
        .filter((line) => !/^"(ZERO|VOID|ODD)"/.test(line))
        .join('\n')}"B1","Again","-33.884","${lon}","",""\n`,
      routes: FEED.routes!.replace(/^BAD.*\n/m, ''),
      stop_times: FEED.stop_times!.replace('short\n', ''),
    };
    const { gaps, rejects } = await read({ 'feed.zip': await zipOf(sound) });
    expect(rejects).toEqual([]);
    expect(gaps.map(({ west, south, east, north }) => [west, south, east, north])).toEqual(boxes);
  });

  it('counts school and replacement buses on request', async () => {
    const { stops } = await read(
      { 'feed.zip': await zipOf(FEED) },
      { school_buses: true, rail_replacement: true },
    );
    expect(stops).toContain('gtfs:SCH bus School stop');
    expect(stops).toContain('gtfs:CEN bus Central Station');
  });

  it('is the same plain or zipped, and in nested zips except for prefixed names', async () => {
    const bare = (await read({ 'a.zip': await zipOf(FEED) })).stops;
    await folder!.remove();
    const plain = Object.fromEntries(Object.entries(FEED).map(([name, text]) => [`${name}.txt`, text]));
    expect((await read(plain)).stops).toEqual(bare);
    await folder!.remove();
    const named = bare.map((stop) => stop.replace('gtfs:', 'gtfs:syd:'));
    expect((await read({ 'a.zip': await zipOf(FEED, 'syd/') })).stops).toEqual(named);
    await folder!.remove();
    expect((await read({ 'a.zip': await nested({ syd: FEED }) })).stops).toEqual(named);
  });

  it('keeps feeds apart: the same station in two of them is a row in each, with its own label', async () => {
    const other = { ...FEED, stops: STOPS.replace('Central Station', 'Central Railway Station') };
    const { stops } = await read({ 'a.zip': await nested({ 1: FEED, 2: other }) });
    expect(stops.filter((stop) => stop.includes('CEN'))).toEqual([
      'gtfs:1:CEN train Central Station',
      'gtfs:2:CEN train Central Railway Station',
    ]);
  });
});

describe('a feed without stop_times', () => {
  const { stop_times: _, ...untimed } = FEED;
  it('takes the mode of its folder: the configured one, or that of Victoria', async () => {
    const { stops, notes } = await read({ 'a.zip': await nested({ 3: untimed }) }, { state: 'VIC' });
    expect(stops).not.toContain('gtfs:3:CEN tram Central Station');
    expect(stops).toContain('gtfs:3:P1 tram Central, Platform 1');
    expect(notes.join()).toMatch(/no stop_times, so every stop counts as tram/);
    await folder!.remove();
    const own = await read(
      { 'a.zip': await nested({ 3: untimed }) },
      { state: 'VIC', folders: { 3: 'train' } },
    );
    expect(own.stops.filter((stop) => stop.includes('train'))).toEqual(own.stops);
    expect(own.stops).not.toContain('gtfs:3:P1 train Central, Platform 1');
  });

  it('rejects routes that are narrower or wider than their header', async () => {
    const routes = `${FEED.routes}CUT,1,X,2\nMORE,1,X,Y,2,3\n`;
    const { rejects, stops } = await read({ 'feed.zip': await zipOf({ ...FEED, routes }) });
    const ofRoutes = rejects.filter(({ file }) => file.endsWith('routes.txt'));
    expect(ofRoutes.map(({ at, code }) => `${at} ${code}`)).toEqual([
      'line 9 bad_number',
      'line 10 short_row',
      'line 11 long_row',
    ]);
    expect(stops).toHaveLength(5);
  });

  it('applies the only mode of its routes, and ignores tables without rows', async () => {
    const routes = 'route_id,route_type\nT,2\n';
    const stop_times = 'trip_id,stop_id\n';
    const { stops } = await read({
      'a.zip': await zipOf({ stops: STOPS, routes, stop_times, trips: 'trip_id,route_id' }),
    });
    expect(stops).toContain('gtfs:CEN train Central Station');
  });

  it('is refused without a mode', async () => {
    await expect(read({ 'a.zip': await nested({ x: untimed }) })).rejects.toMatchObject({
      code: 'gtfs_no_modes',
      message: expect.stringContaining('folders'),
    });
  });
});

describe('stop times of flexible and passing trips', () => {
  const feed = (stop_times: string): Tables => ({
    stops:
      'stop_id,stop_name,stop_lat,stop_lon\nA,One,-37.80,144.95\nB,Two,-37.81,144.96\nC,Three,-37.9,145.1\n',
    routes: 'route_id,route_type\nR,3\nQ,3\n',
    trips: 'trip_id,route_id,shape_id\nr1,R,\nr2,R,\nq1,Q,s\n',
    location_group_stops: 'location_group_id,stop_id\nG,A\nG,B\n',
    shapes: 'shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence\ns,-36,146,1\ns,-36.1,146.1,2\n',
    stop_times: `trip_id,stop_id,location_group_id,location_id,pickup_type,drop_off_type\n${stop_times}`,
  });

  it('serves a stop that any trip boards or leaves, and the stops of location groups', async () => {
    const rows = 'r1,C,,,1,1\nr2,,G,,2,1\nr2,,,Z,2,1\n';
    const { stops, rejects, accounts } = await read({ 'f.zip': await zipOf(feed(rows)) });
    expect(stops).toEqual(['gtfs:A bus One', 'gtfs:B bus Two']);
    expect(rejects).toEqual([]);
    expect(dropsOf(accounts, 'stop_times')).toEqual({ no_boarding: 1, on_demand_zone: 1 });
    const left = await read({ 'f.zip': await zipOf(feed('r1,C,,,1,0\n')) });
    expect(left.stops).toEqual(['gtfs:C bus Three']);
  });

  it('places a bad row at the stops of its route, else at its shape', async () => {
    const rows = 'r1,A,,,,\nr2,B,,,,\nr1,,,,,\nr1,,NO,,,\nq1,,,,,\n';
    const { rejects, gaps } = await read(
      { 'f.zip': await zipOf(feed(rows)) },
      { coverage: { states: ['VIC'] } },
    );
    expect(rejects.map(({ code, at }) => `${at} ${code}`)).toEqual([
      'line 4 missing_key',
      'line 5 unknown_location_group',
      'line 6 missing_key',
    ]);
    const box = (west: number, south: number) => ({
      west: expect.closeTo(west, 1),
      south: expect.closeTo(south, 1),
    });
    expect(gaps).toMatchObject([box(144.95, -37.81), box(146, -36.1)]);
  });

  it('finds the place of a route in the zones of locations.geojson, in folders as in zips', async () => {
    const ring = [
      [146, -36],
      [146.1, -36],
      [146.1, -36.1],
      [146, -36],
    ];
    const zones = JSON.stringify({
      type: 'FeatureCollection',
      features: [{ type: 'Feature', id: 'Z', geometry: { type: 'Polygon', coordinates: [ring] } }],
    });
    const tables = { ...feed('q1,,,Z,2,1\nq1,,,,2,1\n'), shapes: 'shape_id,shape_pt_lat,shape_pt_lon\n' };
    const files = Object.fromEntries(Object.entries(tables).map(([name, text]) => [`f/${name}.txt`, text]));
    const { gaps } = await read(
      { ...files, 'f/locations.geojson': zones },
      { coverage: { states: ['VIC'] } },
    );
    expect(gaps).toMatchObject([{ west: expect.closeTo(146, 1), north: expect.closeTo(-36, 1) }]);
  });
});

describe('a feed whose stops state their modes', () => {
  it('reads words and route types, of the station where a platform states none', async () => {
    const head = 'stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station';
    const stops = `${head},supported_modes
S,Station,-31.95,115.86,1,,Rail
P,Platform,-31.951,115.861,0,S,
B,Stop,-31.96,115.86,,,Bus;Light Rail
F,Jetty,-31.97,115.86,,,Ferry
G,Gondola,-31.97,115.87,,,Gondola
X,Blank,-31.98,115.86,,,
Y,Odd,-31.99,115.86,,,Zeppelin
`;
    const routes = 'route_id,route_type\nR,3\nT,2\n';
    const result = await read({ 'f.zip': await zipOf({ stops, routes }) });
    expect(result.stops).toEqual([
      'gtfs:S train Station',
      'gtfs:B tram Stop',
      'gtfs:B bus Stop',
      'gtfs:F ferry Jetty',
    ]);
    expect(result.rejects.map(({ code, extent }) => [code, extent !== undefined])).toEqual([
      ['missing_value', true],
      ['bad_code', true],
    ]);
    expect(dropsOf(result.accounts, 'stops')).toEqual({ other_mode: 1 });
    const typed = stops.replace('supported_modes', 'vehicle_type').replace('Rail', '2').replace('Ferry', '4');
    const byType = await read({ 'f.zip': await zipOf({ stops: typed, routes }) });
    expect(byType.stops).toEqual(result.stops);
  });
});

describe('hostile feeds', () => {
  it.each([
    [
      'no feed',
      async () => ({ 'a.zip': await zipBytes([{ name: 'readme.md', bytes: Buffer.from('x') }]) }),
      'gtfs_no_feed',
    ],
    [
      'an inner zip without stops',
      async () => ({ 'a.zip': await nested({ 1: { routes: 'route_id,route_type\nT,2\n' } }) }),
      'gtfs_missing_table',
    ],
    ['no zip at all', async () => ({ 'a.zip': 'hello' }), 'bad_archive'],
    ['a cut zip', async () => ({ 'a.zip': (await zipOf(FEED)).subarray(0, 400) }), 'bad_archive'],
    [
      'an inner zip that is none',
      async () => ({ 'a.zip': await zipBytes([{ name: '1/g.zip', bytes: Buffer.from('no') }]) }),
      'bad_archive',
    ],
    [
      'a header without stop_lat',
      async () => ({ 'a.zip': await zipOf({ ...FEED, stops: 'stop_id,stop_lon\n1,2\n' }) }),
      'missing_column',
    ],
    ['an empty stops.txt', async () => ({ 'a.zip': await zipOf({ ...FEED, stops: '' }) }), 'missing_column'],
  ])('%s', async (_, files, code) => {
    const error = await read(await files()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code });
    expect((error as Error).message).not.toMatch(/\/tmp\/release-/);
  });

  it('names feeds that the release does not have', async () => {
    await expect(read({ 'a.zip': await nested({ 1: FEED }) }, { feeds: ['9'] })).rejects.toMatchObject({
      code: 'bad_option',
      message: expect.stringContaining('9'),
    });
  });

  it('rejects rows one by one', async () => {
    const stops = `stop_id,stop_name,stop_lat,stop_lon
,No id,-33.8,151.2
A,,-33.8,151.2
B,"Infinite",1e999,151.2
C,"${'n'.repeat(2000)}",-33.8,151.2
D,Too,many,fields,here
SHORT
F,Good,-33.8,151.2
`;
    const { stops: kept, rejects } = await read({
      'a.zip': await zipOf({ stops, routes: 'route_id,route_type\nB,3\n' }),
    });
    expect(kept).toEqual(['gtfs:F bus Good']);
    expect(rejects.map(({ code }) => code)).toEqual([
      'missing_key',
      'missing_value',
      'bad_coordinate',
      'bad_value',
      'long_row',
      'short_row',
    ]);
  });
});

adapterConformance('gtfs, nested', async () => {
  const own = await releaseFolder();
  await own.write('gtfs.zip', await nested({ 1: FEED, 2: FEED }));
  return { adapter: gtfsAdapter, dataset: await own.dataset(), remove: own.remove };
});

describe.skipIf(!hasSharedData('GTFS of Yarra'))('the Victorian feed of Yarra', () => {
  it('gives stations and tram stops, platforms merged, nothing rejected', async () => {
    const dataset = await datasetOf(
      `${YARRA}transport`,
      { id: 'gtfs_vic', options: { state: 'VIC' } },
      /gtfs\.zip$/,
    );
    const { release, parts } = await gtfsAdapter.discover(dataset);
    expect(parts.map(({ id }) => id)).toEqual(['1', '2', '3']);
    const found = [];
    for (const part of parts) {
      const { rows, rejects, accounts } = await readPart(gtfsAdapter, release, part);
      expect(rejects).toEqual([]);
      const [own, merged] = accounts.filter(({ file }) => file.endsWith('stops.txt'));
      const stops = rows.get(stopRecord)!;
      found.push([stops.length, stops[0]!.mode, merged?.table === null ? merged.records : 0, own!.drops]);
    }
    expect(found).toEqual([
      [110, 'train', 183, { generic_node: 135, entrance: 71 }],
      [226, 'train', 763, { entrance: 401, generic_node: 652 }],
      [1636, 'tram', 0, {}],
    ]);
  });
});
