import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { describe, expect, it } from 'vitest';
import { cacheOf } from '../../../ops/map/tiles.ts';
import { cellBbox, cellOf } from '../../../schema/grid.ts';
import { type MapShape, pieceShape, pointShape } from '../../../transforms/geo/map_shape.ts';
import { MAX_BYTES, MAX_SHAPES, makeTile, tileBox } from '../../../transforms/geo/tile.ts';
import { encodeWkb } from '../../../transforms/geo/wkb.ts';

const AT = { z: 16, x: 59157, y: 40214 };
const [WEST, SOUTH, EAST, NORTH] = tileBox(AT, 0);

const square = (lon: number, lat: number, side: number, says: MapShape['says'] = {}): MapShape => ({
  shape: {
    kind: 'polygon',
    geometry: {
      coords: Float64Array.of(lon, lat, lon + side, lat, lon + side, lat + side, lon, lat + side, lon, lat),
      ringEnds: [5],
      polygonEnds: [1],
    },
  },
  box: [lon, lat, lon + side, lat + side],
  says,
});
const decoded = (bytes: Uint8Array): VectorTile => new VectorTile(new PbfReader(bytes));
const along = (from: number, to: number, share: number): number => from + (to - from) * share;

describe('a tile', () => {
  it('holds what lies in it, cut at its rim, where it lies', () => {
    const inside = square(along(WEST, EAST, 0.25), along(SOUTH, NORTH, 0.25), (EAST - WEST) / 4, {
      parcel_id: 'a',
    });
    const over = square(along(WEST, EAST, 0.9), along(SOUTH, NORTH, 0.1), EAST - WEST, { parcel_id: 'b' });
    const beyond = square(along(WEST, EAST, 3), SOUTH, EAST - WEST, { parcel_id: 'c' });
    const { bytes, shapes, left_out } = makeTile('parcel', [inside, over, beyond], AT, 17);
    expect({ shapes, left_out }).toEqual({ shapes: 2, left_out: 0 });
    const layer = decoded(bytes).layers.parcel!;
    expect([...Array(layer.length).keys()].map((i) => layer.feature(i).properties.parcel_id)).toEqual([
      'a',
      'b',
    ]);
    const [west, south, east] = layer.feature(0).bbox() as [number, number, number];
    expect(west).toBeCloseTo(1024, -1);
    expect(east).toBeCloseTo(2048, -1);
    expect(south).toBeLessThan(3100);
    // No further than the rim of 64 units.
    expect(Math.max(...layer.feature(1).bbox())).toBeLessThanOrEqual(4096 + 64);
  });

  it('keeps the largest shapes if it has too many, and counts those it leaves out', () => {
    const many = Array.from({ length: MAX_SHAPES + 500 }, (_, i) =>
      square(
        along(WEST, EAST, (i % 90) / 90),
        along(SOUTH, NORTH, Math.floor(i / 90) / 95),
        ((i + 1) * (EAST - WEST)) / 4e5,
        { parcel_id: `p${i}` },
      ),
    );
    const { bytes, shapes, left_out } = makeTile('parcel', many, AT, 16);
    expect(shapes + left_out).toBe(many.length);
    expect(left_out).toBeGreaterThanOrEqual(500);
    expect(bytes.length).toBeLessThanOrEqual(MAX_BYTES);
    const layers = decoded(bytes).layers;
    expect(layers.left_out!.feature(0).properties).toEqual({ left_out });
    expect(layers.parcel!.length).toBe(shapes);
    // The smallest are those that were left out.
    const drawn = new Set(
      [...Array(shapes).keys()].map((i) => layers.parcel!.feature(i).properties.parcel_id),
    );
    expect(drawn.has(`p${many.length - 1}`)).toBe(true);
    expect(drawn.has('p0')).toBe(false);
  });

  it('weighs no more than its limit, whatever its shapes say', () => {
    const wordy = Array.from({ length: 3000 }, (_, i) =>
      pointShape(along(WEST, EAST, (i % 50) / 50), along(SOUTH, NORTH, i / 3000), {
        name: `${i} ${'x'.repeat(600)}`,
      }),
    );
    const { bytes, shapes, left_out } = makeTile('place', wordy, AT, 17);
    expect(bytes.length).toBeLessThanOrEqual(MAX_BYTES);
    expect(shapes).toBeGreaterThan(100);
    expect(shapes + left_out).toBe(3000);
  });
});

describe('a piece of a feature', () => {
  const cell = cellOf(144.98, -37.81);
  const [west, south, east, north] = cellBbox(cell);
  const wkb = (...rings: number[][]) =>
    encodeWkb({
      coords: Float64Array.from(rings.flat()),
      ringEnds: rings.map((_, i) => rings.slice(0, i + 1).reduce((sum, ring) => sum + ring.length / 2, 0)),
      polygonEnds: rings.map((_, i) => i + 1),
    });
  const box = (a: number, b: number, c: number, d: number) => [a, b, c, b, c, d, a, d, a, b];

  it('is cut at the edge of its cell, so that its margin is not drawn twice', () => {
    const wide = wkb(box(west - 0.01, south + 0.01, east + 0.01, north - 0.01));
    expect(pieceShape(wide, cell, {})!.box).toEqual([west, south + 0.01, east, north - 0.01]);
    const apart = wkb(box(west - 0.02, south, west - 0.01, north));
    expect(pieceShape(apart, cell, {})).toBeNull();
    // Of several polygons those that lie outside go, the others stay.
    const both = wkb(
      box(west - 0.02, south, west - 0.01, north),
      box(west + 0.01, south + 0.01, west + 0.02, south + 0.02),
    );
    const { shape } = pieceShape(both, cell, {})!;
    expect(shape.kind === 'polygon' && shape.geometry.polygonEnds).toEqual([1]);
    expect(shape.geometry.coords.length).toBe(10);
  });
});

describe('the cache of tiles', () => {
  it('makes a tile once for concurrent requests, and evicts the least recently used', async () => {
    const memory = cacheOf<string[]>(10, ([text]) => text!.length);
    const get = async (key: string, context: () => Promise<string[]>) =>
      (await memory.forceFetch(key, { context }))[0];
    let made = 0;
    const make = (text: string) => async () => {
      made++;
      return [text];
    };
    await Promise.all([get('a', make('aaaa')), get('a', make('aaaa'))]);
    expect(made).toBe(1);
    await get('b', make('bbbb'));
    await get('a', make('never'));
    await get('c', make('cccc'));
    expect(memory.calculatedSize).toBe(8);
    expect(await get('a', make('new'))).toBe('aaaa');
    expect(await get('b', make('new'))).toBe('new');
    // What is heavier than all that may be kept is made each time; what fails is asked for again.
    await get('d', make('d'.repeat(11)));
    expect(memory.calculatedSize).toBeLessThanOrEqual(10);
    await expect(get('e', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await get('e', make('e'))).toBe('e');
  });
});
