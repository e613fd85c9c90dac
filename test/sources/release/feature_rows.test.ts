import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { zonePieceRecord } from '../../../schema/records/zone.ts';
import type { SourceBatch } from '../../../sources/adapter.ts';
import { type FeatureShapeKind, readFeatures } from '../../../sources/release/feature_rows.ts';
import { collection, feature, type Model, squareAt } from '../feature_writers.ts';
import { type ReleaseFolder, releaseFolder } from '../release_folder.ts';

let folder: ReleaseFolder;
beforeAll(async () => {
  folder = await releaseFolder();
});
afterAll(() => folder.remove());

const square = squareAt(145, -37);
const MODEL: Model = [
  feature({ id: 'good' }, square),
  feature({ id: 'dropped' }, square),
  feature({ id: 'set aside early' }, square),
  feature({ id: 'none' }, null),
  feature({ id: 'point' }, { type: 'Point', coordinates: [145, -37] }),
  feature({ id: 'abroad' }, squareAt(10, 50)),
  feature({ id: 'set aside late' }, square),
];

/** Reads the model into rows that hold the identifier and the kind of the shape. */
async function read(kinds: readonly FeatureShapeKind[]) {
  const source = {
    path: await folder.write('a.geojson', collection(MODEL)),
    format: 'geojson' as const,
    member: null,
    layer: null,
    file: 'a.geojson',
    crs: 'EPSG:7844',
  };
  const batches: SourceBatch[] = [];
  const reading = readFeatures({
    source,
    tables: [zonePieceRecord],
    kinds,
    signal: undefined,
    bind: (fields) => {
      const idOf = (batch: { id(row: number, field: (typeof fields)[number]): string | null }, row: number) =>
        batch.id(row, fields[0]!)!;
      return {
        readFields: fields,
        fateOf: (batch, row) => {
          const id = idOf(batch, row);
          if (id === 'dropped') return 'unwanted';
          return id === 'set aside early' ? { code: 'missing_key', message: 'early' } : null;
        },
        nameOf: (batch, row) => `zone ${idOf(batch, row)}`,
        rowsOf: (batch, row, { kind }) =>
          idOf(batch, row) === 'set aside late'
            ? { code: 'missing_value', message: 'late' }
            : [[zonePieceRecord, { id: idOf(batch, row), kind }]],
        finish: ({ records }) => ({ rows: [[zonePieceRecord, { id: 'left', records }]], notes: ['a note'] }),
      };
    },
  });
  for await (const batch of reading) batches.push(batch);
  return {
    rows: batches.flatMap(({ records = [] }) => records.flatMap(({ rows }) => rows as object[])),
    rejects: batches.flatMap(({ rejects = [] }) => rejects),
    accounts: batches.flatMap(({ accounts = [] }) => accounts),
    notes: batches.flatMap(({ notes = [] }) => notes),
  };
}

describe('readFeatures', () => {
  it('gives each feature one fate, in file order, and accounts for all', async () => {
    const { rows, rejects, accounts, notes } = await read(['polygon']);
    expect(rows).toEqual([
      { id: 'good', kind: 'polygon' },
      { id: 'left', records: 1 },
    ]);
    expect(rejects.map(({ at, code, message }) => [at, code, message])).toEqual([
      ['feature 3', 'missing_key', 'early'],
      ['feature 4', 'no_geometry', 'zone none: the shape is null'],
      ['feature 5', 'wrong_geometry', 'zone point: the shape is a point, a polygon is needed'],
      ['feature 6', 'outside_australia', expect.stringMatching(/^zone abroad: /)],
      ['feature 7', 'missing_value', 'late'],
    ]);
    expect(accounts).toEqual([
      { file: 'a.geojson', table: 'zone_piece', rows_in: 7, records: 1, rejects: 5, drops: { unwanted: 1 } },
    ]);
    expect(notes).toEqual(['a note']);
  });

  it('keeps features without a shape on request', async () => {
    const { rows, accounts } = await read(['polygon', 'none']);
    expect(rows).toContainEqual({ id: 'none', kind: 'none' });
    expect(accounts).toMatchObject([{ rows_in: 7, records: 2, rejects: 4 }]);
  });
});
