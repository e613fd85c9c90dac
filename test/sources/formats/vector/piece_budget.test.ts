import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Shape } from '../../../../sources/formats/feature.ts';
import { openFeatureFile } from '../../../../sources/formats/vector/feature_file.ts';
import { cellsTouched, PieceBudget } from '../../../../sources/formats/vector/piece_budget.ts';
import { cutIntoCells } from '../../../../transforms/geo/pieces.ts';

const rectangle = (w: number, s: number, e: number, n: number): number[][] => [
  [w, s],
  [e, s],
  [e, n],
  [w, n],
  [w, s],
];
const shapeOf = (ring: number[][]): Extract<Shape, { kind: 'polygon' }> =>
  ({
    kind: 'polygon',
    geometry: { coords: Float64Array.from(ring.flat()), ringEnds: [ring.length], polygonEnds: [1] },
    repaired: null,
  }) as never;

it('rejects rectangles over the continent, and reads the other features of the file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pieces-'));
  try {
    const path = join(folder, 'four.geojson');
    const features = [
      ...[0, 1, 2, 3].map((i) => rectangle(113 + i / 10, -43, 153, -10)),
      rectangle(145, -37, 145.1, -36.9),
    ].map((ring, i) => ({
      type: 'Feature',
      properties: { id: i },
      geometry: { type: 'Polygon', coordinates: [ring] },
    }));
    await writeFile(path, JSON.stringify({ type: 'FeatureCollection', features }));
    const file = await openFeatureFile({
      path,
      member: null,
      file: 'four.geojson',
      format: 'geojson',
      crs: 'EPSG:7844',
    } as never);
    const shapes: Shape[] = [];
    for await (const batch of file.batches())
      for (let row = 0; row < batch.count; row++) shapes.push(batch.shape(row));
    expect(shapes.map(({ kind }) => kind)).toEqual(['reject', 'reject', 'reject', 'reject', 'polygon']);
    expect(shapes[0]).toMatchObject({
      reject: { code: 'too_many_pieces', message: expect.stringMatching(/5 vertices/) },
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});

it('bounds what many large features of one file become together, and not what is drawn in detail', () => {
  const state = shapeOf(rectangle(129, -35, 138, -26));
  const budget = new PieceBudget();
  const taken = Array.from({ length: 40 }, () => budget.bounded(state)).filter(
    ({ kind }) => kind === 'polygon',
  );
  expect(taken.length * cellsTouched(state)).toBeLessThan(500_000);
  expect(taken.length).toBeGreaterThan(5);
  const small = shapeOf(rectangle(145, -37, 145.01, -36.99));
  const many = new PieceBudget();
  for (let i = 0; i < 100_000; i++) expect(many.bounded(small).kind).toBe('polygon');
});

it('counts no fewer cells than a shape is cut into', () => {
  for (const [w, s, e, n] of [
    [145, -37, 145.3, -36.9],
    [145.01, -37.02, 145.02, -30],
    [129, -35, 131, -26],
  ] as const) {
    const shape = shapeOf(rectangle(w, s, e, n));
    const pieces = [...cutIntoCells(shape.geometry)].length;
    expect(cellsTouched(shape)).toBeGreaterThanOrEqual(pieces - 4);
    expect(cellsTouched(shape)).toBeLessThan(pieces * 2 + 50);
  }
});
