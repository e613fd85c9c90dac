import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFeatureFile } from '../../../../sources/formats/vector/feature_file.ts';
import { JsonScanner, type Scanned } from '../../../../sources/formats/vector/json_scan.ts';
import { collection, feature, lines, type Model, squareAt } from '../../feature_writers.ts';
import { readFeatures } from '../../read_features.ts';
import { type ReleaseFolder, releaseFolder } from '../../release_folder.ts';

let folder: ReleaseFolder;
beforeAll(async () => {
  folder = await releaseFolder();
});
afterAll(() => folder.remove());

const many = (count: number): Model => Array.from({ length: count }, (_, i) => feature({ id: `f${i + 1}` }));
const text = (id: string, more = ''): string =>
  JSON.stringify(feature({ id })).replace('{"id"', `{${more}"id"`);
const list = (...features: string[]): string =>
  `{"type":"FeatureCollection","features":[\n${features.join(',\n')}\n]}\n`;

async function read(content: string | Uint8Array, name = 'a.geojson', crs = 'OGC:CRS84') {
  const path = await folder.write(name, content);
  const format = /ndjson/.test(name) ? 'ndjson' : 'geojson';
  const features = await readFeatures(path, format, { crs });
  return features.map((each) => each.problem ?? each.reject ?? each.properties.id ?? each.kind);
}

describe('a collection', () => {
  it('yields its polygons and ignores its lines', async () => {
    const polygon = {
      type: 'Polygon',
      coordinates: [
        [
          [145, -37],
          [145.001, -37],
          [145.001, -37.001],
          [145, -37],
        ],
      ],
    };
    const line = {
      type: 'LineString',
      coordinates: [
        [145, -37],
        [145, -38],
      ],
    };
    const nested = {
      type: 'GeometryCollection',
      geometries: [line, { type: 'GeometryCollection', geometries: [polygon] }],
    };
    const content = list(JSON.stringify({ type: 'Feature', properties: { id: 'x' }, geometry: nested }));
    const path = await folder.write('collection.geojson', content);
    const [read] = await readFeatures(path, 'geojson', { crs: 'OGC:CRS84' });
    expect(read).toMatchObject({ kind: 'polygon' });
  });
});

describe('GeoJSON in several documents', () => {
  const one = list(text('a'), text('b'));
  it.each([
    ['pages one after the other', one + list(text('c')), ['a', 'b', 'c']],
    ['a feature behind a page', one + text('c'), ['a', 'b', 'c']],
    ['pages without a line end', one.trim() + list(text('c')).trim(), ['a', 'b', 'c']],
    [
      'members before and behind the features',
      one.replace('"features"', '"properties":{"a":1},"features"').replace(']}', '],"properties":{}}'),
      ['a', 'b'],
    ],
  ])('reads %s', async (_name, content, ids) => {
    expect(await read(content)).toEqual(ids);
  });

  it.each([
    ['text', `${one}and more`],
    ['half a page', `${one}{"type":"FeatureCollection"`],
    [
      'a page in another CRS',
      one +
        list(text('c')).replace(
          '"features"',
          '"crs":{"type":"name","properties":{"name":"EPSG:4283"}},"features"',
        ),
    ],
  ])('refuses %s behind its end', async (_name, content) => {
    await expect(read(content)).rejects.toMatchObject({
      code: expect.stringMatching(/^(bad_geojson|truncated_json)$/),
    });
  });
});

describe('damaged GeoJSON', () => {
  it.each([
    [
      'NaN',
      '{"type":"Feature","properties":{"id":"x"},"geometry":{"type":"Point","coordinates":[NaN,1]}}',
      'bad_json',
    ],
    [
      'an infinite number',
      '{"type":"Feature","properties":{"id":"x"},"geometry":{"type":"Point","coordinates":[1e999,1]}}',
      'bad_coordinate',
    ],
    [
      'null as a number',
      '{"type":"Feature","properties":{"id":"x"},"geometry":{"type":"Point","coordinates":[null,1]}}',
      'bad_coordinate',
    ],
    [
      'text as a position',
      '{"type":"Feature","properties":{},"geometry":{"type":"LineString","coordinates":["x","y"]}}',
      'bad_shape',
    ],
    [
      'an object as coordinates',
      '{"type":"Feature","properties":{},"geometry":{"type":"Polygon","coordinates":{"length":9}}}',
      'bad_shape',
    ],
    ['a missing quote', '{"type":"Feature","properties":{"id":"x},"geometry":null}', 'bad_json'],
    ['a missing brace', '{"type":"Feature","properties":{"id":"x","geometry":null}', 'bad_json'],
    ['an extra brace', '{"type":"Feature","properties":{"id":"x"}}},"geometry":null}', 'bad_json'],
    ['a trailing comma', '{"type":"Feature","properties":{"id":"x",},"geometry":null}', 'bad_json'],
    ['null', 'null', 'bad_json'],
    ['a list', '[1,{"a":2}]', 'bad_json'],
    ['text', '"abc, } ]"', 'bad_json'],
    ['another object', '{"type":"Topology","x":{}}', 'bad_json'],
    ['Esri JSON', '{"attributes":{"id":"x"},"geometry":{"rings":[]}}', 'bad_json'],
    ['a raw line end in a text', '{"type":"Feature","properties":{"id":"x\ny"},"geometry":null}', 'bad_json'],
    [
      'a mixed collection',
      '{"type":"Feature","properties":{},"geometry":{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[145,-37]},{"type":"LineString","coordinates":[[145,-37],[145,-38]]}]}}',
      'unsupported_geometry',
    ],
    [
      'an unknown geometry',
      '{"type":"Feature","properties":{},"geometry":{"type":"constructor"}}',
      'unsupported_geometry',
    ],
  ])('%s is a problem of its feature alone', async (_what, damaged, code) => {
    const features = await read(list(text('a'), damaged, text('b'), text('c')));
    expect(features[0]).toBe('a');
    expect(features).toContain(code);
    expect(features.slice(-2)).toEqual(['b', 'c']);
  });

  it.each([
    ['{"type":"Feature","properties":{"id":"x},"geometry":null}'],
    ['{"type":"Feature","properties":{"id":"x"'],
    ['no JSON at all'],
    ['{"type":"Feature","properties":{"id":NaN},"geometry":null}'],
  ])('of a line of lines is a problem of that line: %s', async (damaged) => {
    const features = await read(`${text('a')}\n${damaged}\n${text('b')}\n${text('c')}\n`, 'a.ndjson');
    expect(features).toEqual(['a', 'bad_json', 'b', 'c']);
  });

  it('rejects a feature with bytes that are not UTF-8, and keeps the others', async () => {
    const bad = Buffer.from(list(text('a'), text('?'), text('b')));
    bad[bad.indexOf('?')] = 0xe9;
    expect(await read(bad)).toEqual(['a', 'bad_encoding', 'b']);
  });

  it('rejects only the feature with a text of 100 MB, in bounded memory', async () => {
    const path = await folder.write(
      'huge.geojson',
      list(text('a'), text('b', `"x":"${'y'.repeat(100 << 20)}",`), text('c')),
    );
    const before = process.memoryUsage().arrayBuffers;
    const features = await readFeatures(path, 'geojson');
    expect(features.map((each) => each.problem)).toEqual([null, 'feature_too_large', null]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(300 << 20);
    expect(await read(list(text('a'), text('b', `"x":"${'y'.repeat(2 << 20)}",`)))).toEqual([
      'a',
      'long_value',
    ]);
  });

  it('that is nested without end is a problem', async () => {
    const deep = `{"type":"Feature","properties":{},"geometry":${'['.repeat(11_000_000)}${']'.repeat(11_000_000)}}`;
    expect(await read(list(text('a'), deep, text('b')))).toEqual(['a', 'too_many_vertices', 'b']);
  });

  it('with an attribute that is nested without end is a problem', async () => {
    const deep = (levels: number) => text('b', `"x":${'['.repeat(levels)}${']'.repeat(levels)},`);
    expect(await read(list(text('a'), deep(50), deep(100), deep(400_000), text('c')))).toEqual([
      'a',
      'b',
      'long_value',
      'long_value',
      'c',
    ]);
  });

  it('is refused if no feature can be read', async () => {
    await expect(read(`${'rubbish\n'.repeat(3000)}`, 'a.ndjson')).rejects.toMatchObject({
      code: 'bad_geojson',
    });
    const unclosed = list(...Array.from({ length: 1500 }, () => '{"type":"Feature","properties":{"id":"x}'));
    await expect(read(unclosed)).rejects.toMatchObject({ code: 'bad_geojson' });
  });

  it('does not unpack a bomb', async () => {
    const blank = Buffer.alloc(200 << 20, 0x20);
    blank.write('{"features":[');
    const bomb = gzipSync(blank, { level: 9 });
    await expect(read(bomb, 'bomb.geojson.gz')).rejects.toMatchObject({ code: 'archive_bomb' });
  });
});

describe('GeoJSON', () => {
  it('keeps attributes with names of JavaScript, and trims texts like a .dbf', async () => {
    const own =
      '{"type":"Feature","properties":{"__proto__":"p","constructor":"c ","n":null,"o":{"a":[1]},"b":true,"z":"a\\u0000b","s":"\\ud800"},"geometry":null}';
    const path = await folder.write('names.geojson', list(own, text('a')));
    const [first, second] = await readFeatures(path, 'geojson');
    expect(Object.entries(first!.properties)).toEqual(
      expect.arrayContaining([
        ['constructor', 'c'],
        ['n', null],
        ['o', '{"a":[1]}'],
        ['b', 'true'],
        ['z', 'a'],
        ['s', '\ufffd'],
      ]),
    );
    expect(second!.properties.constructor).toBeNull();
  });

  it('reads identifiers and numbers of any type', async () => {
    const path = await folder.write(
      'ids.geojson',
      collection([feature({ a: 20001001234, b: ' 5 ', c: '***', d: 1e300, e: '12.50', f: 3.0 })]),
    );
    const file = await openFeatureFile({
      path,
      format: 'geojson',
      member: null,
      layer: null,
      file: 'x',
      crs: 'EPSG:7844',
    });
    const field = (name: string) => file.fields.find((each) => each.name === name)!;
    expect(file.fields.filter((each) => each.numeric).map((each) => each.name)).toEqual(['a', 'd', 'f']);
    for await (const batch of file.batches()) {
      expect(batch.id(0, field('a'))).toBe('20001001234');
      expect(batch.id(0, field('b'))).toBe('5');
      expect(batch.id(0, field('c'))).toBeNull();
      expect(batch.id(0, field('f'))).toBe('3');
      expect(batch.number(0, field('e'))).toBe(12.5);
      expect(batch.number(0, field('c'))).toBeNull();
    }
  });

  it('reports columns that first appear too late to be read', async () => {
    const path = await folder.write(
      'late.ndjson',
      lines([...many(1500), feature({ id: 'z', colour: 'red' })]),
    );
    const file = await openFeatureFile({
      path,
      format: 'ndjson',
      member: null,
      layer: null,
      file: 'late.ndjson',
      crs: 'EPSG:7844',
    });
    let count = 0;
    for await (const batch of file.batches()) count += batch.count;
    expect(count).toBe(1501);
    expect(file.notes()).toEqual([
      'late.ndjson: columns absent from the first 1000 features are not read: colour.',
    ]);
  });

  it('refuses a CRS that comes after the features, unless it is configured', async () => {
    const late = `{"type":"FeatureCollection","features":[${text('a')}],"crs":{"type":"name","properties":{"name":"EPSG:28355"}}}`;
    await expect(read(late)).rejects.toMatchObject({
      code: 'missing_crs',
      message: expect.stringContaining('EPSG:28355'),
    });
    expect(await read(late, 'a.geojson', 'EPSG:7844')).toEqual(['a']);
    expect(await read(`{"features":[${text('a')}],"type":"FeatureCollection","note":{"crs":1}}`)).toEqual([
      'a',
    ]);
  });

  it('repairs rings, and rejects those that enclose nothing', async () => {
    const bow = {
      type: 'Polygon' as const,
      coordinates: [
        [
          [145, -37],
          [145.01, -36.99],
          [145.01, -37],
          [145, -36.99],
        ],
      ],
    };
    const flat = {
      type: 'Polygon' as const,
      coordinates: [
        [
          [145, -37],
          [145.01, -37],
          [145, -37],
        ],
      ],
    };
    const path = await folder.write(
      'rings.geojson',
      collection([feature({}, bow), feature({}, flat), feature({}, squareAt(2, 48))]),
    );
    expect((await readFeatures(path, 'geojson')).map((each) => each.reject ?? each.kind)).toEqual([
      'polygon',
      'zero_area',
      'outside_australia',
    ]);
  });
});

describe('the scanner', () => {
  const scan = (mode: 'collection' | 'sequence', chunks: readonly Buffer[]): Scanned[] => {
    const scanner = new JsonScanner(mode);
    const found: Scanned[] = [];
    const drain = (): void => {
      for (let each = scanner.take(); each !== undefined; each = scanner.take()) found.push(each);
    };
    for (const chunk of chunks) {
      scanner.push(chunk);
      drain();
    }
    scanner.end();
    drain();
    return found;
  };

  it('finds the same objects however the bytes are cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), { maxLength: 6 }),
        fc.array(fc.nat(200), { maxLength: 20 }),
        fc.boolean(),
        (objects, cuts, isSequence) => {
          const texts = objects.map((each) => JSON.stringify(each));
          const bytes = Buffer.from(isSequence ? texts.join('\n') : `${texts.join(' , ')} ]`);
          const places = [...new Set(cuts.map((cut) => Math.min(cut, bytes.length)))].sort((a, b) => a - b);
          const chunks = [0, ...places].map((from, i) => bytes.subarray(from, places[i] ?? bytes.length));
          const found = scan(isSequence ? 'sequence' : 'collection', chunks);
          expect(found.map((each) => ('text' in each ? each.text : each.problem))).toEqual(texts);
        },
      ),
    );
  });

  it('ends on any bytes whatever', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...'{}[]",\\ \n1a'), { maxLength: 60 }),
        fc.boolean(),
        (bytes, isSequence) => {
          const found = scan(isSequence ? 'sequence' : 'collection', [Buffer.from(bytes.join(''))]);
          expect(found.length).toBeLessThanOrEqual(bytes.length);
        },
      ),
    );
  });
});
