import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { PbfWriter } from 'pbf';
import { afterEach, describe, expect, it } from 'vitest';
import { OsmPbfWriter } from '../../../sample/places/osm_pbf_writer.ts';
import type { SamplePlace } from '../../../sample/places/sample_place.ts';
import { EtlError } from '../../../schema/errors.ts';
import { placePieceRecord } from '../../../schema/records/place.ts';
import type { Row } from '../../../schema/table.ts';
import { osmAdapter } from '../../../sources/places/osm/adapter.ts';
import { ringsOfWays } from '../../../sources/places/osm/rings_of_ways.ts';
import { exclusionOf, TAG_RULES, TagRules } from '../../../sources/places/osm/tag_rules.ts';
import { pointInMultiPolygon } from '../../../transforms/geo/point_in_polygon.ts';
import { decodeWkb } from '../../../transforms/geo/wkb.ts';
import { adapterConformance, readPart } from '../conformance.ts';
import { type ReleaseFolder, releaseFolder } from '../release_folder.ts';

type Piece = Row<typeof placePieceRecord>;

let folder: ReleaseFolder | undefined;
afterEach(async () => {
  await folder?.remove();
  folder = undefined;
});

async function read(name: string, bytes: Uint8Array | string, options: Record<string, unknown> = {}) {
  await folder?.remove();
  folder = await releaseFolder();
  await folder.write(name, bytes);
  const { release, parts } = await osmAdapter.discover(await folder.dataset({ id: 'osm', options }));
  const { rows, rejects, accounts } = await readPart(osmAdapter, release, parts[0]!);
  const pieces = (rows.get(placePieceRecord) ?? []) as unknown as Piece[];
  return {
    pieces,
    places: [...new Set(pieces.map(({ place_id, category, name }) => `${place_id} ${category} ${name}`))],
    rejects: rejects.map(({ at, code }) => `${at} ${code}`),
    account: accounts[0]!,
  };
}

describe('tags', () => {
  const rules = new TagRules();
  it.each([
    [{ shop: 'supermarket' }, ['supermarket']],
    [{ shop: 'convenience' }, []],
    [{ 'disused:shop': 'supermarket' }, []],
    [{ leisure: 'park' }, ['green_space']],
    [{ landuse: 'grass' }, []],
    [{ boundary: 'national_park' }, ['green_space']],
    [{ natural: 'wood' }, []],
    [{ amenity: 'cafe;bar' }, ['restaurant']],
    [{ amenity: 'fast_food' }, []],
    [{ natural: 'beach', leisure: 'park' }, ['green_space', 'beach']],
    [{ railway: 'station' }, ['railway_station']],
    [{ toString: 'x' }, []],
  ])('%j are %j', (tags, categories) => expect(rules.categoriesOf(tags)).toEqual(categories));

  it('name what is left out', () => {
    expect(exclusionOf({ leisure: 'garden', access: 'private' })).toBe('private');
    expect(exclusionOf({ shop: 'supermarket', abandoned: 'yes' })).toBe('disused');
    expect(exclusionOf({ leisure: 'park', access: 'yes' })).toBeNull();
    for (const tags of Object.values(TAG_RULES))
      for (const tag of tags) expect(tag).toMatch(/^[a-z:]+=[a-z_]+$/);
  });
});

describe('rings of ways', () => {
  const ids = (...list: number[]): Float64Array => Float64Array.from(list);
  it.each([
    ['a closed way', [ids(1, 2, 3, 1)], [[1, 2, 3, 1]]],
    ['two halves', [ids(1, 2, 3), ids(3, 4, 1)], [[1, 2, 3, 4, 1]]],
    ['halves in the other direction', [ids(1, 2, 3), ids(1, 4, 3)], [[1, 2, 3, 4, 1]]],
    [
      'parts in any order',
      [ids(1, 2), ids(5, 6, 5), ids(3, 1), ids(2, 3)],
      [
        [5, 6, 5],
        [1, 2, 3, 1],
      ],
    ],
    ['an open end', [ids(1, 2, 3), ids(3, 4)], null],
    ['nothing', [], null],
    ['a way of one node', [ids(1)], null],
  ])('%s', (_, ways, rings) => expect(ringsOfWays(ways)).toEqual(rings));
});

const square = (x: number, y: number, size: number): [number, number][] => [
  [x, y],
  [x + size, y],
  [x + size, y + size],
  [x, y + size],
  [x, y],
];
const feature = (id: string | null, tags: object, type: string, coordinates: unknown) => ({
  type: 'Feature',
  ...(id === null ? {} : { id }),
  properties: tags,
  geometry: coordinates === null ? null : { type, coordinates },
});
const collection = (...features: unknown[]) =>
  `{"type":"FeatureCollection","features":[\n${features.map((each) => JSON.stringify(each)).join(',\n')}\n]}`;

const PARK = { leisure: 'park', name: 'Long Park' };
const SHOP = { shop: 'supermarket', name: 'Freshway' };
const GEOJSON = collection(
  feature('n1', { amenity: 'cafe', name: 'Bean' }, 'Point', [145, -37.8]),
  feature('a4', PARK, 'MultiPolygon', [[square(145.01, -37.81, 0.09)]]),
  feature('a7', { leisure: 'park' }, 'Polygon', [
    square(145.2, -37.81, 0.01),
    square(145.204, -37.806, 0.002),
  ]),
  feature('way/8', SHOP, 'LineString', square(145.3, -37.8, 0.0004)),
  feature('node/9', { ...SHOP, name: 'FRESHWAY' }, 'Point', [145.3002, -37.7992]),
  feature('node/10', SHOP, 'Point', [145.31, -37.8]),
  feature(null, { '@id': 'relation/11', natural: 'beach' }, 'Polygon', [square(145.4, -37.8, 0.01)]),
  feature(null, { amenity: 'restaurant', brand: 'Chain' }, 'Point', [145, -37.81]),
  feature('n20', { highway: 'crossing' }, 'Point', [145, -37.8]),
  feature('n21', { leisure: 'garden', access: 'private' }, 'Point', [145, -37.8]),
  feature('n22', { shop: 'supermarket', disused: 'yes' }, 'Point', [145, -37.8]),
  feature('w23', PARK, 'LineString', [
    [145, -37.8],
    [145, -37.9],
  ]),
  feature('n24', { amenity: 'cafe' }, 'Point', [0, 0]),
  feature('n25', { amenity: 'cafe' }, 'Point', null),
  feature('n1', { amenity: 'cafe' }, 'Point', [145, -37.8]),
  feature('n26', { amenity: 'cafe' }, 'Point', ['x', 'y']),
);

describe('OpenStreetMap as GeoJSON', () => {
  it('gives points and areas with the identifiers of osmium and overpass', async () => {
    const { places, rejects, account, pieces } = await read('places.geojson', GEOJSON);
    expect(places).toEqual([
      'osm:node/1 restaurant Bean',
      'osm:way/2 green_space Long Park',
      'osm:relation/3 green_space null',
      'osm:relation/11 beach null',
      'osm:osm/places/8 restaurant Chain',
      'osm:way/8 supermarket Freshway',
      'osm:node/10 supermarket Freshway',
    ]);
    expect(rejects).toEqual([
      'feature 12 wrong_geometry',
      'feature 13 outside_australia',
      'feature 14 no_geometry',
      'feature 15 duplicate_key',
      'feature 16 bad_coordinate',
    ]);
    expect(account).toMatchObject({
      rows_in: 16,
      records: 7,
      drops: { not_a_place: 1, private: 1, disused: 1, mapped_twice: 1 },
    });
    const park = pieces.filter(({ place_id }) => place_id === 'osm:way/2');
    expect(park.length).toBeGreaterThan(3);
    expect(new Set(park.map(({ lon, lat }) => `${lon} ${lat}`)).size).toBe(1);
    const hole = pieces.find(({ place_id }) => place_id === 'osm:relation/3')!;
    expect(pointInMultiPolygon(hole.lon, hole.lat, decodeWkb(hole.geom!))).toBe(true);
    expect(decodeWkb(hole.geom!).ringEnds).toHaveLength(2);
  });

  it('takes the tags that it is told to', async () => {
    const text = collection(
      feature('n1', { shop: 'convenience' }, 'Point', [145, -37.8]),
      feature('n2', SHOP, 'Point', [145, -37.8]),
      feature('n3', { amenity: 'cafe' }, 'Point', [145, -37.8]),
    );
    const options = { extra_tags: { supermarket: ['shop=convenience'] }, tags: { restaurant: [] } };
    expect((await read('a.geojson', text, options)).account).toMatchObject({
      records: 2,
      drops: { not_a_place: 1 },
    });
    await expect(read('a.geojson', text, { tags: { pub: ['amenity=pub'] } })).rejects.toMatchObject({
      code: 'bad_option',
    });
    await expect(read('a.geojson', text, { tags: { beach: ['beach'] } })).rejects.toMatchObject({
      code: 'bad_option',
    });
  });

  it('reads one feature a line, and goes on after a damaged one', async () => {
    const lines = [
      JSON.stringify(feature('n1', { amenity: 'cafe' }, 'Point', [145, -37.8])),
      '{"type":"Feature","id":"n2","properties":{"amenity":"cafe"},"geometry":{"type":"Point","coordinates":[145,-37.8}}',
      JSON.stringify(feature('n3', { amenity: 'cafe' }, 'Point', [145, -37.8])),
    ].join('\n');
    const { places, rejects } = await read('a.geojsonseq', lines);
    expect(places).toContain('osm:node/1 restaurant null');
    expect(places).toContain('osm:node/3 restaurant null');
    expect(rejects).toHaveLength(1);
  });

  it.each([
    ['a cut file', GEOJSON.slice(0, 600), 'truncated_json'],
    ['no GeoJSON', '{"elements": [1, 2, 3]}', 'bad_geojson'],
    ['an empty file', '', 'bad_geojson'],
  ])('refuses %s', async (_, text, code) => {
    await expect(read('a.geojson', text)).rejects.toMatchObject({
      code,
      message: expect.stringContaining('a.geojson'),
    });
  });
});

/** An .osm.pbf with points, a way, and a relation whose rings are in halves. */
function pbf(): Buffer {
  const dir = mkdtempSync(join(tmpdir(), 'osm-pbf-'));
  try {
    const path = join(dir, 'a.osm.pbf');
    const writer = new OsmPbfWriter(path, 'a.osm.pbf');
    const base: Omit<SamplePlace, 'serial' | 'tags'> = {
      category: 'green_space',
      name: '',
      at: { shell: [], holes: [] },
      drop: null,
    };
    const rings = (...list: [number, number][][]) => list.map((ring) => Float64Array.from(ring.flat()));
    writer.write(
      { ...base, serial: 1, tags: { amenity: 'café', x: 'y' }, at: { point: [0, 0] } },
      rings([[145, -37.8]]),
    );
    writer.write(
      { ...base, serial: 2, tags: { amenity: 'cafe', name: 'Café Ünï' }, at: { point: [0, 0] } },
      rings([[145.1234567, -37.7654321]]),
    );
    writer.write({ ...base, serial: 3, tags: PARK }, rings(square(145, -37.81, 0.01)));
    writer.write(
      { ...base, serial: 4, tags: PARK },
      rings(square(145.1, -37.81, 0.08), square(145.104, -37.806, 0.002)),
    );
    writer.write({ ...base, serial: 5, tags: SHOP }, rings(square(145.3, -37.8, 0.0004)));
    writer.write({ ...base, serial: 6, tags: SHOP, at: { point: [0, 0] } }, rings([[145.3001, -37.7999]]));
    writer.otherNode(145, -37);
    writer.close();
    return readFileSync(path);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

describe('OpenStreetMap as .osm.pbf', () => {
  it('gives points, ways and relations with exact coordinates', async () => {
    const { places, account, pieces, rejects } = await read('a.osm.pbf', pbf());
    expect(rejects).toEqual([]);
    expect(places).toEqual([
      'osm:node/2 restaurant Café Ünï',
      'osm:relation/4 green_space Long Park',
      'osm:way/3 green_space Long Park',
      'osm:way/5 supermarket Freshway',
    ]);
    expect(pieces[0]).toMatchObject({ lon: 145.1234567, lat: -37.7654321, geom: null });
    const whole = decodeWkb(pieces.find(({ place_id }) => place_id === 'osm:way/3')!.geom!);
    expect([...whole.coords].sort()).toEqual(
      square(145, -37.81, 0.01)
        .flat()
        .map((v) => Math.round(v * 1e7) / 1e7)
        .sort(),
    );
    expect(account.drops.mapped_twice).toBe(1);
    expect(account.rows_in).toBe(account.records + account.drops.not_a_place! + 1);
    expect(new Set(pieces.map(({ source_no }) => source_no)).size).toBe(places.length);
  });

  it('rejects areas whose parts are missing or open, and knows odd groups', async () => {
    const { rejects, account } = await read('a.osm.pbf', oddPbf());
    expect(rejects).toEqual([
      'feature 5 missing_member',
      'feature 6 open_ring',
      'feature 3 missing_member',
      'feature 4 open_ring',
    ]);
    expect(account).toMatchObject({ rows_in: 7, records: 1, drops: { not_a_place: 1, not_an_area: 1 } });
  });

  it('never fails but with an error that names the file, whatever is damaged', async () => {
    const good = pbf();
    const dir = await releaseFolder();
    try {
      await fc.assert(
        fc.asyncProperty(
          fc.nat(good.length - 1),
          fc.integer({ min: 1, max: 255 }),
          fc.boolean(),
          async (at, flip, cut) => {
            const bytes = Buffer.from(cut ? good.subarray(0, at) : good);
            if (!cut) bytes[at] = bytes[at]! ^ flip;
            await dir.write('a.osm.pbf', bytes);
            try {
              const { release, parts } = await osmAdapter.discover(await dir.dataset());
              const { accounts } = await readPart(osmAdapter, release, parts[0]!);
              const { rows_in, records, rejects, drops } = accounts[0]!;
              expect(rows_in).toBe(records + rejects + Object.values(drops).reduce((sum, n) => sum + n, 0));
            } catch (error) {
              if (!(error instanceof EtlError)) throw error;
              expect(error.message).toContain('a.osm.pbf');
            }
          },
        ),
        { seed: 8, numRuns: 150 },
      );
      // the damage is inside the compressed block mostly: the same for its content
      const content = blockContent();
      await fc.assert(
        fc.asyncProperty(fc.nat(content.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
          const bytes = Buffer.from(content);
          bytes[at] = bytes[at]! ^ flip;
          await dir.write('a.osm.pbf', fileOf(bytes));
          const { release, parts } = await osmAdapter.discover(await dir.dataset());
          await readPart(osmAdapter, release, parts[0]!).catch((error: unknown) => {
            if (!(error instanceof EtlError)) throw error;
          });
        }),
        { seed: 9, numRuns: 200 },
      );
    } finally {
      await dir.remove();
    }
  });

  it('refuses a block that unpacks to more than the format allows', async () => {
    const bomb = fileOf(Buffer.alloc(40 << 20));
    await expect(read('a.osm.pbf', bomb)).rejects.toMatchObject({ code: 'bad_osm_pbf' });
    await expect(read('a.osm.pbf', '')).rejects.toMatchObject({ code: 'bad_osm_pbf' });
    await expect(read('a.osm.pbf', 'PBF? no.')).rejects.toMatchObject({ code: 'bad_osm_pbf' });
  });
});

const message = (write: (pbf: PbfWriter) => void): Uint8Array => {
  const pbfWriter = new PbfWriter();
  write(pbfWriter);
  return pbfWriter.finish();
};

function blob(type: string, content: Uint8Array): Buffer {
  const bytes = message((w) => w.writeBytesField(3, deflateSync(content)));
  const head = message((w) => {
    w.writeStringField(1, type);
    w.writeVarintField(3, bytes.length);
  });
  const length = Buffer.alloc(4);
  length.writeUInt32BE(head.length);
  return Buffer.concat([length, head, bytes]);
}

const fileOf = (block: Uint8Array): Buffer =>
  Buffer.concat([
    blob(
      'OSMHeader',
      message((w) => w.writeStringField(4, 'OsmSchema-V0.6')),
    ),
    blob('OSMData', block),
  ]);

const TEXTS = ['', 'amenity', 'cafe', 'leisure', 'park', 'type', 'multipolygon', 'outer', 'site'];

/** Plain nodes, a way with a missing node, an open way, a relation with a missing way, one that stays open, one that is no area. */
function blockContent(): Uint8Array {
  const tags = (w: PbfWriter, ...pairs: [number, number][]) => {
    w.writePackedVarint(
      2,
      pairs.map(([key]) => key),
    );
    w.writePackedVarint(
      3,
      pairs.map(([, value]) => value),
    );
  };
  const node = (id: number, x: number, ...pairs: [number, number][]) =>
    message((w) => {
      w.writeSVarintField(1, id);
      tags(w, ...pairs);
      w.writeSVarintField(8, -378_000_000);
      w.writeSVarintField(9, 1_450_000_000 + x);
    });
  const way = (id: number, refs: number[], ...pairs: [number, number][]) =>
    message((w) => {
      w.writeVarintField(1, id);
      tags(w, ...pairs);
      w.writePackedSVarint(
        8,
        refs.map((ref, i) => ref - (refs[i - 1] ?? 0)),
      );
    });
  const relation = (id: number, ways: number[], ...pairs: [number, number][]) =>
    message((w) => {
      w.writeVarintField(1, id);
      tags(w, ...pairs);
      w.writePackedVarint(
        8,
        ways.map(() => 7),
      );
      w.writePackedSVarint(
        9,
        ways.map((ref, i) => ref - (ways[i - 1] ?? 0)),
      );
      w.writePackedVarint(
        10,
        ways.map(() => 1),
      );
    });
  const group = (tag: number, items: Uint8Array[]) =>
    message((w) => {
      for (const item of items) w.writeBytesField(tag, item);
    });
  return message((w) => {
    w.writeBytesField(
      1,
      message((t) => {
        for (const text of TEXTS) t.writeBytesField(1, Buffer.from(text));
      }),
    );
    w.writeBytesField(2, group(1, [node(1, 0, [1, 2]), node(2, 1000)]));
    w.writeBytesField(2, group(3, [way(10, [1, 2, 99, 1], [3, 4]), way(11, [1, 2], [3, 4])]));
    const multi: [number, number] = [5, 6];
    w.writeBytesField(
      2,
      group(4, [
        relation(20, [77], [3, 4], multi),
        relation(21, [11], [3, 4], multi),
        relation(22, [], [3, 4], [5, 8]),
      ]),
    );
  });
}

const oddPbf = (): Buffer => fileOf(blockContent());

adapterConformance('osm GeoJSON', async () => {
  const own = await releaseFolder();
  await own.write('places.geojson', GEOJSON);
  return { adapter: osmAdapter, dataset: await own.dataset(), remove: own.remove };
});

adapterConformance('osm pbf', async () => {
  const own = await releaseFolder();
  await own.write('places.osm.pbf', pbf());
  return { adapter: osmAdapter, dataset: await own.dataset(), remove: own.remove };
});
