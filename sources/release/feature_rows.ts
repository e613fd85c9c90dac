import type { Table } from '../../schema/table.ts';
import type { MultiPolygon } from '../../transforms/geo/geometry.ts';
import { planarArea } from '../../transforms/geo/ring_nesting.ts';
import type { InputAccount, SourceBatch } from '../adapter.ts';
import { firstId } from '../fields/first_filled.ts';
import { addressArea } from '../fields/named_area.ts';
import type { Family, FeatureField, FeatureSource, Features, Problem, Shape } from '../formats/feature.ts';
import { findFields } from '../formats/table/columns.ts';
import { openFeatureFile, readableRows } from '../formats/vector/feature_file.ts';
import { extentOf } from '../formats/vector/feature_shape.ts';
import { RowTally } from '../tally.ts';
import { RowBatches } from './row_batches.ts';

/** Shape families that become rows; `none`: features without a shape do too. */
export type FeatureShapeKind = Family | 'none';
export type ShapeOf<K extends FeatureShapeKind> = Extract<Shape, { kind: K }>;

export type MadeRow = readonly [table: Table, row: object];

/** Turns the features of one file into rows. */
export interface FeatureRows<K extends FeatureShapeKind> {
  readonly readFields: readonly (FeatureField | null)[];
  /** Returns the drop or reject of a feature before its shape is read; null: neither. */
  fateOf(batch: Features, row: number): string | Problem | null;
  /** Returns the rows of a feature with a valid shape, or its reject. */
  rowsOf(batch: Features, row: number, shape: ShapeOf<K>): Iterable<MadeRow> | Problem;
  /** Returns the name of a feature for the reject of its shape. */
  nameOf?(batch: Features, row: number): string;
  /** Maximum area of a polygon that is dropped as `sliver`, square metres; absent: none is. */
  readonly sliver_sqm?: number;
  /** Called after all features were read: returns remaining rows, and sentences for the report. May add to the row account. */
  finish(tally: RowTally): { readonly rows?: Iterable<MadeRow>; readonly notes: readonly string[] };
}

/** How one file becomes rows. */
export interface FeatureReading<K extends FeatureShapeKind> {
  readonly source: FeatureSource;
  /** Tables of the rows; the row account names the first. */
  readonly tables: readonly [Table, ...Table[]];
  readonly kinds: readonly K[];
  readonly signal: AbortSignal | undefined;
  bind(fields: readonly FeatureField[]): FeatureRows<K>;
  /** Row accounts of other inputs that were read with this file. */
  readonly accounts?: readonly InputAccount[];
}

const bytesOf = (row: object): number => ('geom' in row ? (row.geom as Uint8Array).length : 0);

/**
 * Reads one file into rows, in batches of bounded size, with its rejects, drops and row account. A feature that becomes rows counts as one
 * record. Rejects: `no_geometry`, `wrong_geometry` (a shape of another family), and the rejects of shapes and rows.
 */
export async function* readFeatures<K extends FeatureShapeKind>(
  reading: FeatureReading<K>,
): AsyncIterable<SourceBatch> {
  const { source, tables, kinds, signal } = reading;
  const file = await openFeatureFile(source, signal, families(kinds));
  try {
    const rows = reading.bind(file.fields);
    const address = addressFields(file.fields);
    const tally = new RowTally(source.file, tables[0].name, 'feature');
    const batchesOf = new Map(
      tables.map((table, i) => [table, new RowBatches(table, i === 0 ? tally : null)]),
    );
    const put = ([table, row]: MadeRow): SourceBatch | null => {
      const batches = batchesOf.get(table)!;
      batches.add(row as never, bytesOf(row));
      return batches.full ? batches.rest() : null;
    };
    for await (const batch of file.batches([...rows.readFields, ...Object.values(address).flat()])) {
      for (const row of readableRows(batch, tally)) {
        for (const emitted of takeRow(batch, row, { rows, kinds, tally, address })) {
          const full = put(emitted);
          if (full !== null) yield full;
        }
      }
      if (batchesOf.get(tables[0])!.full) yield batchesOf.get(tables[0])!.rest();
    }
    const { rows: left = [], notes } = rows.finish(tally);
    for (const lastRow of left) {
      const full = put(lastRow);
      if (full !== null) yield full;
    }
    const remaining = [...batchesOf.values()].map((batches) => batches.rest());
    const lacks = file.incomplete();
    yield {
      records: remaining.flatMap(({ records }) => records ?? []),
      rejects: remaining.flatMap(({ rejects }) => rejects ?? []),
      accounts: [...tally.accounts(), ...(reading.accounts ?? [])],
      notes: [...notes, ...file.notes(), ...(lacks === null ? [] : [lacks])],
      ...(lacks === null ? {} : { incomplete: [source.file] }),
    };
  } finally {
    await file.close();
  }
}

const families = (kinds: readonly FeatureShapeKind[]): Family[] => kinds.filter((kind) => kind !== 'none');

const NO_ROWS: readonly MadeRow[] = [];

/** Columns of the address of a feature, which place it if it has no shape. */
type StatedAreaFields = Readonly<Record<'state' | 'postcode' | 'suburb', readonly FeatureField[]>>;

const addressFields = (fields: readonly FeatureField[]): StatedAreaFields => ({
  state: findFields(fields, ['STATE', 'STATE_ABBREVIATION']),
  postcode: findFields(fields, ['POSTCODE', 'POST_CODE', 'PCODE']),
  suburb: findFields(fields, ['SUBURB', 'SUBURB_NAME', 'SUBURBNAME', 'LOCALITY', 'LOCALITY_NAME']),
});

/** Returns the suburb or postcode that a feature states; undefined: neither. */
function areaOf(batch: Features, row: number, { state, postcode, suburb }: StatedAreaFields) {
  const text = (fields: readonly FeatureField[]): string => firstId(batch, row, fields) ?? '';
  return addressArea({ state: text(state), postcode: text(postcode), suburb: text(suburb) });
}

/** What the rows of one file become. */
interface FeatureFate<K extends FeatureShapeKind> {
  readonly rows: FeatureRows<K>;
  readonly kinds: readonly K[];
  readonly tally: RowTally;
  readonly address: StatedAreaFields;
}

function takeRow<K extends FeatureShapeKind>(
  batch: Features,
  row: number,
  { rows, kinds, tally, address }: FeatureFate<K>,
): Iterable<MadeRow> {
  const reject = ({ code, message, extent }: Problem): readonly MadeRow[] => {
    const box = extent ?? extentOf(batch.shape(row));
    const area = box === undefined ? areaOf(batch, row, address) : undefined;
    tally.reject(batch.first + row, code, message, { extent: box, area });
    return NO_ROWS;
  };
  const fate = rows.fateOf(batch, row);
  if (typeof fate === 'string') {
    tally.drop(fate);
    return NO_ROWS;
  }
  if (fate !== null) return reject(fate);
  const shape = batch.shape(row);
  if (rows.sliver_sqm !== undefined && isSliver(shape, rows.sliver_sqm)) {
    tally.drop('sliver');
    return NO_ROWS;
  }
  const problem = problemOf(shape, kinds);
  if (problem !== null) {
    const { message } = problem;
    return reject({ ...problem, message: rows.nameOf ? `${rows.nameOf(batch, row)}: ${message}` : message });
  }
  const record = rows.rowsOf(batch, row, shape as ShapeOf<K>);
  if ('code' in record) return reject(record);
  tally.records++;
  return record;
}

const METRES_PER_DEGREE = 111_195;

/** Returns the area of a polygon with sides that are straight in degrees, square metres; geodesic sides would add to a long remnant. */
function planeAreaSqm({ coords, ringEnds, polygonEnds }: MultiPolygon): number {
  const shells = new Set([0, ...polygonEnds]);
  const area = ringEnds.reduce((sum, end, ring) => {
    const ownArea = Math.abs(planarArea(coords.subarray(ring === 0 ? 0 : 2 * ringEnds[ring - 1]!, 2 * end)));
    return shells.has(ring) ? sum + ownArea : sum - ownArea;
  }, 0);
  return area * METRES_PER_DEGREE ** 2 * Math.cos((coords[1]! * Math.PI) / 180);
}

/** Returns whether a polygon encloses less than an area, but is no point: what clipping to another boundary leaves along the border. */
function isSliver(shape: Shape, sqm: number): boolean {
  if (shape.kind === 'polygon') return planeAreaSqm(shape.geometry) < sqm;
  if (shape.kind !== 'reject' || shape.reject.code !== 'zero_area' || shape.reject.extent === undefined)
    return false;
  const [west, south, east, north] = shape.reject.extent;
  return east > west || north > south;
}

/** Returns the reject of a shape; null: its family is wanted. */
function problemOf(shape: Shape, kinds: readonly FeatureShapeKind[]): Problem | null {
  if (shape.kind === 'reject') return shape.reject;
  if (kinds.includes(shape.kind)) return null;
  if (shape.kind === 'none') return { code: 'no_geometry', message: 'the shape is null' };
  const message = `the shape is a ${shape.kind}, a ${families(kinds).join(' or ')} is needed`;
  return { code: 'wrong_geometry', message };
}
