import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EtlError } from '../../../schema/errors.ts';
import type { MultiPolygon } from '../../../transforms/geo/geometry.ts';
import {
  decodeAnyWkb,
  decodeWkb,
  encodeLineWkb,
  encodePointWkb,
  encodeWkb,
} from '../../../transforms/geo/wkb.ts';

const square: MultiPolygon = {
  coords: Float64Array.of(145, -37, 146, -37, 146, -36, 145, -37),
  ringEnds: [4],
  polygonEnds: [1],
};

const codeOf = (bytes: Uint8Array): string => {
  try {
    decodeWkb(bytes);
    return 'none';
  } catch (error) {
    return error instanceof EtlError ? error.code : String(error);
  }
};

/** WKB written by hand: any byte order, type code and ordinates. */
function handMade(little: boolean, type: number, ordinates: number, srid?: number): Uint8Array {
  const out: number[] = [];
  const put = (size: number, set: (view: DataView) => void): void => {
    const bytes = new Uint8Array(size);
    set(new DataView(bytes.buffer));
    out.push(...bytes);
  };
  const u32 = (n: number): void => put(4, (v) => v.setUint32(0, n, little));
  out.push(little ? 1 : 0);
  u32(type);
  if (srid !== undefined) u32(srid);
  u32(1);
  u32(4);
  for (let i = 0; i < 4; i++) {
    for (let o = 0; o < ordinates; o++)
      put(8, (v) => v.setFloat64(0, o < 2 ? square.coords[i * 2 + o]! : 99, little));
  }
  return Uint8Array.from(out);
}

/** A WKB collection, little endian. */
const collectionOf = (...members: Uint8Array[]): Uint8Array => {
  const head = Buffer.alloc(9);
  head.writeUInt8(1, 0);
  head.writeUInt32LE(7, 1);
  head.writeUInt32LE(members.length, 5);
  return Buffer.concat([head, ...members]);
};

describe('a WKB collection', () => {
  const line = encodeLineWkb({ coords: Float64Array.of(145, -37, 146, -37), lineEnds: [2] });
  const point = encodePointWkb({ coords: Float64Array.of(145, -37) });

  it('with polygons is its polygons, however deep they are', () => {
    const any = decodeAnyWkb(collectionOf(line, collectionOf(point, encodeWkb(square)), encodeWkb(square)));
    expect(any).toEqual({
      kind: 'polygon',
      geometry: {
        coords: Float64Array.of(...square.coords, ...square.coords),
        ringEnds: [4, 8],
        polygonEnds: [1, 2],
      },
    });
  });

  it('has the type of its members, and is refused if it mixes points and lines', () => {
    expect(decodeAnyWkb(collectionOf(line, line)).kind).toBe('line');
    expect(() => decodeAnyWkb(collectionOf(line, point))).toThrow('a collection of points and lines');
    expect(decodeAnyWkb(collectionOf()).geometry.coords).toHaveLength(0);
    const deep = Array.from({ length: 12 }).reduce<Uint8Array>((inner) => collectionOf(inner), line);
    expect(() => decodeAnyWkb(deep)).toThrow('geometry type 7');
  });
});

describe('WKB', () => {
  it('returns what it wrote, bit by bit', () => {
    const ring = fc.array(fc.tuple(fc.double({ noNaN: true }), fc.double({ noNaN: true })), {
      minLength: 1,
      maxLength: 9,
    });
    fc.assert(
      fc.property(fc.array(fc.array(ring, { minLength: 1, maxLength: 3 }), { maxLength: 3 }), (polygons) => {
        const ringEnds: number[] = [];
        const polygonEnds: number[] = [];
        for (const polygon of polygons) {
          for (const points of polygon) ringEnds.push((ringEnds.at(-1) ?? 0) + points.length);
          polygonEnds.push(ringEnds.length);
        }
        const g = { coords: Float64Array.from(polygons.flat(3)), ringEnds, polygonEnds };
        expect(decodeWkb(encodeWkb(g))).toEqual(g);
      }),
    );
  });

  it('writes the bytes that PostGIS writes', () => {
    const hex = Buffer.from(
      encodeWkb({ coords: Float64Array.of(1, 2, 3, 4, 1, 2), ringEnds: [3], polygonEnds: [1] }),
    );
    expect(hex.toString('hex')).toBe(
      '0106000000010000000103000000010000000300000' +
        '0000000000000f03f000000000000004000000000000008400000000000001040000000000000f03f0000000000000040',
    );
  });

  it.each([
    ['little-endian polygon', handMade(true, 3, 2)],
    ['big-endian polygon', handMade(false, 3, 2)],
    ['ISO Z', handMade(true, 1003, 3)],
    ['ISO M', handMade(false, 2003, 3)],
    ['ISO ZM', handMade(true, 3003, 4)],
    ['EWKB Z with SRID', handMade(true, 0xa0000003, 3, 7844)],
    ['EWKB ZM', handMade(true, 0xc0000003, 4)],
  ])('reads %s', (_, bytes) => {
    expect(decodeWkb(bytes)).toEqual(square);
  });

  it('reads from the middle of a larger buffer', () => {
    const wide = new Uint8Array(300).fill(7);
    const bytes = encodeWkb(square);
    wide.set(bytes, 13);
    expect(decodeWkb(wide.subarray(13, 13 + bytes.length))).toEqual(square);
  });

  it('refuses every cut and every surplus', () => {
    const bytes = encodeWkb(square);
    for (let n = 0; n < bytes.length; n++) expect(codeOf(bytes.subarray(0, n))).toBe('bad_wkb');
    expect(codeOf(Uint8Array.of(...bytes, 0))).toBe('bad_wkb');
  });

  it.each([
    ['a point', Uint8Array.of(1, 1, 0, 0, 0, ...new Uint8Array(16))],
    ['byte order 2', Uint8Array.of(2, 3, 0, 0, 0, 0, 0, 0, 0)],
    ['4 billion polygons', Uint8Array.of(1, 6, 0, 0, 0, 255, 255, 255, 255)],
    ['4 billion rings', Uint8Array.of(1, 3, 0, 0, 0, 255, 255, 255, 255)],
    ['4 billion vertices', Uint8Array.of(1, 3, 0, 0, 0, 1, 0, 0, 0, 255, 255, 255, 255)],
    ['a ring without vertices', Uint8Array.of(1, 3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0)],
    ['a multipolygon in a multipolygon', Uint8Array.of(1, 6, 0, 0, 0, 1, 0, 0, 0, 1, 6, 0, 0, 0, 0, 0, 0, 0)],
  ])('refuses %s', (_, bytes) => {
    expect(codeOf(bytes)).toBe('bad_wkb');
  });

  it('never fails with anything but bad_wkb on altered bytes', () => {
    const bytes = encodeWkb(square);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(255), (at, value) => {
        const altered = bytes.slice();
        altered[at] = value;
        expect(['none', 'bad_wkb']).toContain(codeOf(altered));
      }),
    );
  });

  it('reads geometries the same with or without an SRID', () => {
    const withSrid = (bytes: Uint8Array): Uint8Array =>
      Uint8Array.of(...bytes.subarray(0, 4), bytes[4]! | 0x20, 0xa4, 0x1e, 0, 0, ...bytes.subarray(5));
    const two: MultiPolygon = {
      coords: Float64Array.of(...square.coords, ...square.coords),
      ringEnds: [4, 8],
      polygonEnds: [2],
    };
    for (const g of [square, two, { ...two, polygonEnds: [1, 2] }]) {
      const bytes = encodeWkb(g);
      expect(decodeWkb(withSrid(bytes))).toEqual(g);
      fc.assert(
        fc.property(fc.integer({ min: 5, max: bytes.length - 1 }), fc.nat(255), (at, value) => {
          const altered = bytes.slice();
          altered[at] = value;
          const [plain, other] = [codeOf(altered), codeOf(withSrid(altered))];
          expect(plain).toBe(other);
          if (plain === 'none') expect(decodeWkb(altered)).toEqual(decodeWkb(withSrid(altered)));
        }),
      );
    }
  });
});

describe('curves', () => {
  const u32 = (n: number) => [n & 255, (n >> 8) & 255, (n >> 16) & 255, n >>> 24];
  const head = (type: number, count: number) => [1, ...u32(type), ...u32(count)];
  const line = (points: [number, number][], type = 2) => [
    ...head(type, points.length),
    ...new Uint8Array(Float64Array.from(points.flat()).buffer),
  ];
  const bytes = (type: number, ...members: number[][]) => [...head(type, members.length), ...members.flat()];
  const halves = bytes(
    9,
    line([
      [0, 0],
      [1, 0],
      [1, 1],
    ]),
    line([
      [1, 1],
      [0, 1],
      [0, 0],
    ]),
  );

  it('without arcs become lines and polygons', () => {
    for (const shape of [bytes(10, halves), bytes(12, bytes(10, halves))]) {
      const { kind, geometry } = decodeAnyWkb(Uint8Array.from(shape));
      expect(kind).toBe('polygon');
      expect([...geometry.coords]).toEqual([0, 0, 1, 0, 1, 1, 0, 1, 0, 0]);
    }
    expect(decodeAnyWkb(Uint8Array.from(bytes(11, halves)))).toMatchObject({ geometry: { lineEnds: [5] } });
  });

  it('with an arc name the conversion and a box around them', () => {
    const arc = line(
      [
        [0, 0],
        [2, 0],
        [0, 0],
      ],
      8,
    );
    const read = () => decodeAnyWkb(Uint8Array.from(bytes(10, arc)));
    expect(read).toThrow('CONVERT_TO_LINEAR');
    expect(read).toThrow(expect.objectContaining({ corners: Float64Array.of(-2, -2, 4, 2) }));
  });
});
