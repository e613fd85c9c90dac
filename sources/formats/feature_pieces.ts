import { cellOf } from '../../schema/grid.ts';
import type { Table } from '../../schema/table.ts';
import { bboxOf } from '../../transforms/geo/geometry.ts';
import { cutIntoCells, cutLinesIntoCells } from '../../transforms/geo/pieces.ts';
import { encodeLineWkb, encodePointWkb, encodeWkb } from '../../transforms/geo/wkb.ts';
import type { Batch, InputAccount } from '../adapter.ts';
import type { Family, FeatureField, FeatureSource, Features, Problem, Shape } from './feature.ts';
import { type FeatureFile, openFeatureFile, readableRows } from './feature_file.ts';
import { RowBatches } from './row_batches.ts';
import { Tally } from './tally.ts';

/** The part of a feature in one grid cell, as the columns of a piece table have it. */
export interface PieceColumns {
  cell: number;
  min_lon: number;
  min_lat: number;
  max_lon: number;
  max_lat: number;
  geom: Uint8Array;
}

function piece(cell: number, coords: Float64Array, geom: Uint8Array): PieceColumns {
  const [min_lon, min_lat, max_lon, max_lat] = bboxOf(coords);
  return { cell, min_lon, min_lat, max_lon, max_lat, geom };
}

/** Points grouped by their cells, in ascending order of cells; a point is not cut and has no margin. */
function* pointPieces(coords: Float64Array): Iterable<PieceColumns> {
  const cells = new Map<number, number[]>();
  for (let i = 0; i < coords.length; i += 2) {
    const cell = cellOf(coords[i]!, coords[i + 1]!);
    const held = cells.get(cell);
    if (held === undefined) cells.set(cell, [coords[i]!, coords[i + 1]!]);
    else held.push(coords[i]!, coords[i + 1]!);
  }
  for (const cell of [...cells.keys()].sort((a, b) => a - b)) {
    const points = Float64Array.from(cells.get(cell)!);
    yield piece(cell, points, encodePointWkb({ coords: points }));
  }
}

/** A shape cut into grid cells, in ascending order of cells, as WKB with the box around each piece. */
export function* piecesOf(shape: Extract<Shape, { kind: Family }>): Iterable<PieceColumns> {
  switch (shape.kind) {
    case 'polygon':
      for (const { cell, geometry } of cutIntoCells(shape.geometry))
        yield piece(cell, geometry.coords, encodeWkb(geometry));
      return;
    case 'line':
      for (const { cell, geometry } of cutLinesIntoCells(shape.geometry))
        yield piece(cell, geometry.coords, encodeLineWkb(geometry));
      return;
    case 'point':
      yield* pointPieces(shape.geometry.coords);
  }
}

/** What an adapter makes of the rows of one file. */
export interface FeatureRows<A> {
  /** Columns that are asked for. */
  readonly wanted: readonly (FeatureField | null)[];
  /** Name of the drop of a row; null: it is wanted. Asked first. */
  dropOf(batch: Features, row: number): string | null;
  /** The columns of a wanted row besides those of its pieces, or why it is set aside. Asked where the shape is good. */
  attributes(batch: Features, row: number, kind: Family): A | Problem;
  /** Sentences for the report, complete when all rows were read. */
  notes(): string[];
  /** Rows by the value that the field map does not know, complete when all rows were read. */
  unknown(): Readonly<Record<string, number>>;
}

const isProblem = (value: object): value is Problem => 'message' in value && !('load_id' in value);

/** How one file becomes the rows of a piece table. */
export interface PieceReading<A> {
  readonly source: FeatureSource;
  readonly table: Table;
  /** Kinds of shapes that the table can take. */
  readonly kinds: readonly Family[];
  readonly signal: AbortSignal | undefined;
  rowsOf(fields: FeatureFile['fields']): FeatureRows<A>;
  /** Accounts of other inputs that were read with this file. */
  accounts(): InputAccount[];
}

/**
 * Reads one file into the rows of a piece table, in batches of bounded size, with its rejects, drops and account.
 * Rejects: `no_geometry`, `wrong_geometry` (a shape of another kind), those of the shape and of `attributes`.
 */
export async function* readPieces<A extends { load_id: number }>(
  reading: PieceReading<A>,
): AsyncIterable<Batch> {
  const { source, table, kinds, signal } = reading;
  const file = await openFeatureFile(source, signal, kinds);
  try {
    const rows = reading.rowsOf(file.fields);
    const tally = new Tally(source.file, table.name, 'feature');
    const pieces = new RowBatches<Table>(table, tally);
    for await (const batch of file.batches(rows.wanted)) {
      for (const row of readableRows(batch, tally)) {
        const taken = takeRow(batch, row, rows, kinds, tally);
        if (taken !== null) yield* pieces.addAll(rowsIn(taken), (each) => (each.geom as Uint8Array).length);
      }
      if (pieces.full) yield pieces.rest();
    }
    tally.unknown = rows.unknown();
    const accounts = [...tally.accounts(), ...reading.accounts()];
    yield { ...pieces.rest(), accounts, notes: [...rows.notes(), ...file.notes()] };
  } finally {
    await file.close();
  }
}

interface Taken<A> {
  readonly attributes: A;
  readonly shape: Extract<Shape, { kind: Family }>;
}

function* rowsIn<A extends object>({ attributes, shape }: Taken<A>): Iterable<never> {
  for (const columns of piecesOf(shape)) yield { ...attributes, ...columns } as never;
}

function takeRow<A extends object>(
  batch: Features,
  row: number,
  rows: FeatureRows<A>,
  kinds: readonly Family[],
  tally: Tally,
): Taken<A> | null {
  const reject = ({ code, message }: Problem): null => {
    tally.reject(batch.first + row, code, message);
    return null;
  };
  const drop = rows.dropOf(batch, row);
  if (drop !== null) {
    tally.drop(drop);
    return null;
  }
  const shape = batch.shape(row);
  if (shape.kind === 'none') return reject({ code: 'no_geometry', message: 'the shape is null' });
  if (shape.kind === 'reject') return reject(shape.reject);
  if (!kinds.includes(shape.kind)) {
    const message = `the shape is a ${shape.kind}, a ${kinds.join(' or ')} is needed`;
    return reject({ code: 'wrong_geometry', message });
  }
  const attributes = rows.attributes(batch, row, shape.kind);
  if (isProblem(attributes)) return reject(attributes);
  tally.records++;
  return { attributes, shape };
}
