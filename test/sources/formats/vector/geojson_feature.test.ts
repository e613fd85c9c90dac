import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DecimalReader } from '../../../../sources/formats/vector/decimal.ts';
import { GeoJsonFeatureParser } from '../../../../sources/formats/vector/geojson_feature.ts';
import { flattenGeometry } from '../../../../sources/formats/vector/geojson_geometry.ts';
import { GeoJsonProperties } from '../../../../sources/formats/vector/geojson_properties.ts';

const digits = (most: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: most }).map((each) => each.join(''));
const whole = fc.oneof(
  fc.constant('0'),
  digits(12).map((text) => text.replace(/^0*(?=\d)/, '')),
);
const exponent = fc.tuple(fc.constantFrom('e', 'E', 'e+', 'E-'), fc.integer({ min: 0, max: 320 }));
const number = fc
  .tuple(fc.constantFrom('', '-'), whole, fc.option(digits(24)), fc.option(exponent, { freq: 8 }))
  .map(
    ([sign, int, fraction, power]) =>
      `${sign}${int}${fraction === null ? '' : `.${fraction}`}${power?.join('') ?? ''}`,
  );

describe('a decimal number', () => {
  const reader = new DecimalReader();
  const read = (text: string) => {
    const bytes = Buffer.from(`${text},`);
    const value = reader.read(bytes, 0, bytes.length);
    return { value, end: reader.end };
  };

  it('is the double that Number gives for the same text', () => {
    const doubles = fc.double({ noNaN: true, noDefaultInfinity: true }).map(String);
    const degrees = fc.double({ min: -180, max: 180, noNaN: true }).map(String);
    fc.assert(
      fc.property(fc.oneof(number, doubles, degrees), (text) => {
        expect(read(text)).toEqual({ value: Number(text), end: text.length });
      }),
      { numRuns: 10_000 },
    );
  });

  it('is rounded as Number rounds it halfway between two doubles', () => {
    for (let i = 0; i < 5_000; i++) {
      // 2^52 and more: halves are halfway; 2^37: the fraction of the halfway point has 16 digits
      for (const text of [`${2 ** 52 + i}.5`, `${2 ** 52 + i}.50000000`, `${(2 ** 53 - i) / 64}`]) {
        expect(read(text).value).toBe(Number(text));
      }
    }
  });

  it.each(['', '-', '+1', '007', '.5', '5.', '--1', '1e', '1.2.3', 'NaN', '01.5', '-.5', 'x'])(
    'is none where the text is not as JSON has it: %j',
    (text) => {
      expect(read(text).value).toBeNaN();
    },
  );

  it('is none where the bytes end with it, since more digits may follow', () => {
    const bytes = Buffer.from('144.5');
    expect(reader.read(bytes, 0, 5)).toBeNaN();
    expect(reader.read(bytes, 0, 3)).toBeNaN();
  });
});

const position = fc.array(number, { minLength: 2, maxLength: 4 }).map((each) => `[${each.join(' , ')}]`);
const listOf = (each: fc.Arbitrary<string>) =>
  fc.array(each, { minLength: 1, maxLength: 4 }).map((items) => `[ ${items.join(',')} ]`);
const geometryOf = (type: string, coordinates: fc.Arbitrary<string>) =>
  fc
    .tuple(coordinates, fc.boolean())
    .map(([text, isFirst]) =>
      isFirst ? `{"coordinates":${text},"type":"${type}"}` : `{ "type": "${type}", "coordinates": ${text} }`,
    );
const geometry = fc.oneof(
  fc.constant('null'),
  geometryOf('Point', position),
  geometryOf('MultiPoint', listOf(position)),
  geometryOf('LineString', listOf(position)),
  geometryOf('MultiLineString', listOf(listOf(position))),
  geometryOf('Polygon', listOf(listOf(position))),
  geometryOf('MultiPolygon', listOf(listOf(listOf(position)))),
);
const properties = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ maxDepth: 2 }), {
  maxKeys: 5,
});
const featureText = fc
  .tuple(properties, geometry, fc.jsonValue({ maxDepth: 2 }), fc.integer({ min: 0, max: 23 }))
  .map(([values, shape, other, order]) => {
    const members = [
      '"type" : "Feature"',
      `"properties":${JSON.stringify(values)}`,
      `"geometry":${shape}`,
      `"id":\n${JSON.stringify(other)}`,
    ];
    return `{ ${[0, 1, 2, 3].map((i) => members[(i * (order < 12 ? 1 : 3) + order) % 4]).join(' ,')} }`;
  });

/** What JSON.parse of the whole makes of a feature. */
const slowly = (text: string) => {
  const { properties: values, geometry: shape, type } = JSON.parse(text);
  return { type, values: values ?? {}, geometry: flattenGeometry(shape) };
};
const plain = (shape: unknown) => JSON.stringify(shape, (_key, each) => (Object.is(each, -0) ? '-0' : each));

describe('a feature read off its bytes', () => {
  it('is what JSON.parse makes of it', () => {
    const parser = new GeoJsonFeatureParser();
    fc.assert(
      fc.property(featureText, fc.integer({ min: 0, max: 9 }), (text, before) => {
        const bytes = Buffer.from(`${' '.repeat(before)}${text}, {"type"`);
        const feature = parser.parse(bytes, before, bytes.length);
        const { values, geometry: shape } = slowly(text);
        // infinite numbers are rejected with a message
        if (feature === null || (shape !== null && 'code' in shape)) return;
        expect(parser.end).toBe(before + Buffer.byteLength(text));
        expect(JSON.stringify(feature.values)).toBe(JSON.stringify(values));
        expect(plain(feature.geometry)).toBe(plain(shape));
      }),
      { numRuns: 1500 },
    );
  });

  it('has of its columns what JSON.parse makes of them, in whatever order they come', () => {
    const names = ['PFI', 'é', 'a"b', 'n', '__proto__'];
    const fields = names.map((name, key) => ({ name, numeric: false, key }));
    const simple = fc
      .constantFrom('A', '1\\\\PS6000', 'say \\"x\\"', 'a\\/b', '\\u0041', '\\n', 'é', '')
      .map((each) => `"${each}"`);
    const value = fc.oneof(simple, number, fc.constantFrom('null', 'true', '[1,{"a":2}]', '{}', '"x'));
    const member = fc.tuple(fc.constantFrom(...names, 'late', 'lat\\e'), value);
    const attributes = fc.array(member, { maxLength: 6 }).map((list) => {
      const texts = list.map(
        ([name, text]) => `${name.includes('\\') ? `"${name}"` : JSON.stringify(name)} : ${text}`,
      );
      return `{"type":"Feature","properties":{${texts.join(', ')}},"geometry":null}`;
    });
    let read = 0;
    fc.assert(
      fc.property(fc.array(attributes, { minLength: 1, maxLength: 4 }), fc.nat(31), (texts, mask) => {
        const wanted = fields.filter((_, i) => (mask >> i) & 1);
        const parser = new GeoJsonFeatureParser();
        const columns = new GeoJsonProperties(fields, wanted);
        parser.readColumns(columns);
        const late = new Set<string>();
        for (const text of texts) {
          const bytes = Buffer.from(`${text}\n`);
          const feature = parser.parse(bytes, 0, bytes.length);
          if (feature === null) continue;
          read++;
          const whole = JSON.parse(text).properties as Record<string, unknown>;
          for (const { name, key } of wanted) {
            const expected = Object.hasOwn(whole, name) ? whole[name] : undefined;
            expect(feature.values[key], `${name} of ${text}`).toEqual(expected);
            expect(columns.pick(whole)[key]).toEqual(expected);
          }
          for (const name of Object.keys(whole)) if (!names.includes(name)) late.add(name);
        }
        for (const name of late) expect(columns.late).toContain(name);
      }),
      { numRuns: 2000 },
    );
    expect(read).toBeGreaterThan(500);
  });

  it('is read in the common forms, and not left to the slower way', () => {
    const parser = new GeoJsonFeatureParser();
    for (const text of [
      '{"type":"Feature","properties":{"a":"\\"}","é":1},"geometry":{"type":"Point","coordinates":[145,-37.5]}}',
      '{ "type": "Feature", "id": 7, "properties": null, "geometry": null }',
      '{"type":"Feature","bbox":[1,2,3,4],"geometry":{"coordinates":[[[1,2,9],[3,4,9],[5,6,9]]],"type":"Polygon"},"properties":{}}',
    ]) {
      const bytes = Buffer.from(text);
      expect(parser.parse(bytes, 0, bytes.length), text).not.toBeNull();
    }
  });

  it('is nothing else than JSON.parse makes of it, whatever its bytes are', () => {
    const parser = new GeoJsonFeatureParser();
    let read = 0;
    fc.assert(
      fc.property(
        featureText,
        fc.array(fc.tuple(fc.nat(), fc.constantFrom(...'{}[]",:\\0.-e ntF')), { minLength: 1, maxLength: 3 }),
        (text, changes) => {
          const bytes = Buffer.from(text);
          for (const [place, byte] of changes) bytes.write(byte, place % bytes.length, 'latin1');
          const feature = parser.parse(bytes, 0, bytes.length);
          if (feature === null) return;
          read++;
          const { type, values, geometry: shape } = slowly(bytes.toString('utf8', 0, parser.end));
          expect(type).toBe('Feature');
          expect(JSON.stringify(feature.values)).toBe(JSON.stringify(values));
          expect(plain(feature.geometry)).toBe(plain(shape));
        },
      ),
      { numRuns: 2500 },
    );
    expect(read).toBeGreaterThan(100);
  });

  it('is short wherever its bytes end, and what lies behind them is not looked at', () => {
    const parser = new GeoJsonFeatureParser();
    const text =
      '{"type":"Feature","id":"x","properties":{"a":null},"geometry":{"type":"Polygon","coordinates":[[[144.5,-37],[145,-37,1]],[[1,2]]]}}';
    const bytes = Buffer.from(text);
    for (let to = 1; to < bytes.length; to++) {
      expect(parser.parse(bytes, 0, to), `cut at ${to}`).toBeNull();
      expect(parser.isShort, `cut at ${to}`).toBe(true);
    }
    expect(parser.parse(bytes, 0, bytes.length)).not.toBeNull();
  });
});
