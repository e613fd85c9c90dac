import { describe, expect, it } from 'vitest';
import { osmAdapter } from '../../../sources/places/osm/adapter.ts';
import { ringsOfWays } from '../../../sources/places/osm/rings_of_ways.ts';
import { exclusionOf, TAG_RULES, TagRules } from '../../../sources/places/osm/tag_rules.ts';
import { pointInMultiPolygon } from '../../../transforms/geo/point_in_polygon.ts';
import { decodeWkb } from '../../../transforms/geo/wkb.ts';
import { adapterConformance } from '../conformance.ts';
import { releaseFolder } from '../release_folder.ts';
import { PARK, readOsm, SHOP, square } from './osm_reading.ts';

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

const feature = (id: string | null, tags: object, type: string, coordinates: unknown) => ({
  type: 'Feature',
  ...(id === null ? {} : { id }),
  properties: tags,
  geometry: coordinates === null ? null : { type, coordinates },
});
const collection = (...features: unknown[]) =>
  `{"type":"FeatureCollection","features":[\n${features.map((each) => JSON.stringify(each)).join(',\n')}\n]}`;

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
    const { places, rejects, account, pieces } = await readOsm('places.geojson', GEOJSON);
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

  it('rejects parks over half the continent by name, and counts one of two categories twice', async () => {
    const square = (id: string, tags: Record<string, string>, side: number) =>
      feature(id, tags, 'Polygon', [
        [
          [116, -34],
          [116 + side, -34],
          [116 + side, -34 + side],
          [116, -34 + side],
          [116, -34],
        ],
      ]);
    const park = { leisure: 'park' };
    // A square of 15 degrees touches 90,000 cells; a feature may touch 150,000.
    const text = collection(
      square('w1', park, 22),
      square('w2', park, 1),
      square('w3', { ...park, natural: 'beach' }, 15),
      square('w4', park, 15),
    );
    const { rejects, pieces } = await readOsm('parks.geojson', text);
    expect(rejects).toEqual(['feature 1 too_many_pieces', 'feature 3 too_many_pieces']);
    expect(new Set(pieces.map(({ place_id }) => place_id))).toEqual(new Set(['osm:way/2', 'osm:way/4']));
  });

  it('accepts configured tags, and refuses unknown categories and malformed tags', async () => {
    const text = collection(
      feature('n1', { shop: 'convenience' }, 'Point', [145, -37.8]),
      feature('n2', SHOP, 'Point', [145, -37.8]),
      feature('n3', { amenity: 'cafe' }, 'Point', [145, -37.8]),
    );
    const options = { extra_tags: { supermarket: ['shop=convenience'] }, tags: { restaurant: [] } };
    expect((await readOsm('a.geojson', text, options)).account).toMatchObject({
      records: 2,
      drops: { not_a_place: 1 },
    });
    await expect(readOsm('a.geojson', text, { tags: { pub: ['amenity=pub'] } })).rejects.toMatchObject({
      code: 'bad_option',
    });
    await expect(readOsm('a.geojson', text, { tags: { beach: ['beach'] } })).rejects.toMatchObject({
      code: 'bad_option',
    });
  });

  it('is not stopped by identifiers and types that are nested without end', async () => {
    const deep = `${'['.repeat(300_000)}${']'.repeat(300_000)}`;
    const line = (type: string, id: string) =>
      `{"type":${type},"id":${id},"properties":${JSON.stringify(SHOP)},"geometry":{"type":"Point","coordinates":[145,-37]}}`;
    const { account } = await readOsm(
      'a.geojson',
      [line('"Feature"', '"node/1"'), line('"Feature"', deep), line(deep, '"node/2"')].join('\n'),
    );
    expect(account).toMatchObject({ rows_in: 3, records: 2, rejects: 1 });
  });

  it('reads one feature a line, and goes on after a damaged one', async () => {
    const lines = [
      JSON.stringify(feature('n1', { amenity: 'cafe' }, 'Point', [145, -37.8])),
      '{"type":"Feature","id":"n2","properties":{"amenity":"cafe"},"geometry":{"type":"Point","coordinates":[145,-37.8}}',
      JSON.stringify(feature('n3', { amenity: 'cafe' }, 'Point', [145, -37.8])),
    ].join('\n');
    const { places, rejects } = await readOsm('a.geojsonseq', lines);
    expect(places).toContain('osm:node/1 restaurant null');
    expect(places).toContain('osm:node/3 restaurant null');
    expect(rejects).toHaveLength(1);
  });

  it.each([
    ['a cut file', GEOJSON.slice(0, 600), 'truncated_json'],
    ['no GeoJSON', '{"elements": [1, 2, 3]}', 'bad_geojson'],
    ['an empty file', '', 'bad_geojson'],
  ])('refuses %s', async (_, text, code) => {
    await expect(readOsm('a.geojson', text)).rejects.toMatchObject({
      code,
      message: expect.stringContaining('a.geojson'),
    });
  });
});

adapterConformance('osm GeoJSON', async () => {
  const own = await releaseFolder();
  await own.write('places.geojson', GEOJSON);
  return { adapter: osmAdapter, dataset: await own.dataset(), remove: own.remove };
});
