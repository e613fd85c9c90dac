import type { Bbox } from '../../schema/grid.ts';
import { type CoverageTheme, coverageGapRecord } from '../../schema/records/coverage.ts';
import type { Row, Table } from '../../schema/table.ts';
import type { RecordBatch, SourceBatch } from '../adapter.ts';

/** Maximum boxes of a part: beyond it, the gap is the dataset's whole coverage. */
const MAX_BOXES = 10_000;

type PointRow = Readonly<Record<string, unknown>> & {
  readonly lon: number | null;
  readonly lat: number | null;
};

/** Finds rows of point tables that repeat the key of an earlier row at another place; they are rejected later. */
class RepeatedPoints {
  readonly #first = new Map<string, string>();

  /** Yields the points of such rows in a batch. Null: a row without coordinates. */
  *of({ table, rows }: RecordBatch): Iterable<Bbox | null> {
    const { name, primaryKey, columns } = table as Table;
    if (!('lon' in columns && 'lat' in columns) || primaryKey.includes('cell')) return;
    for (const row of rows as readonly unknown[] as readonly PointRow[]) {
      const { lon, lat } = row;
      const key = JSON.stringify([name, ...primaryKey.map((column) => row[column])]);
      const place = `${lon},${lat}`;
      const first = this.#first.get(key);
      if (first === undefined) this.#first.set(key, place);
      else if (first !== place) yield lon === null || lat === null ? null : [lon, lat, lon, lat];
    }
  }
}

/**
 * Adds gaps to the batches of a part, where nothing is known: the box around each rejected feature, and the point of a row that repeats a
 * key at another place. If a rejected row has no box or a file states that it is incomplete, the gap is the dataset's whole coverage.
 */
export async function* withGaps(
  batches: AsyncIterable<SourceBatch>,
  dataset: string,
  theme: CoverageTheme,
  part: string,
): AsyncIterable<SourceBatch> {
  const known = new Set<string>();
  const repeated = new RepeatedPoints();
  let isWhole = false;
  const gapRow = (box: Bbox | null): Row<typeof coverageGapRecord> => {
    const [west, south, east, north] = box ?? [null, null, null, null];
    const gap_no = known.size;
    return { load_id: 0, source_no: gap_no, dataset, theme, part, gap_no, west, south, east, north };
  };
  for await (const batch of batches) {
    const rows: Row<typeof coverageGapRecord>[] = [];
    const add = (box: Bbox | null): void => {
      if (isWhole) return;
      const key = box?.join() ?? '';
      if (known.has(key)) return;
      known.add(key);
      isWhole = box === null || known.size > MAX_BOXES;
      rows.push(gapRow(isWhole ? null : box));
    };
    for (const { extent } of batch.rejects ?? []) add(extent ?? null);
    for (const records of batch.records ?? []) for (const box of repeated.of(records)) add(box);
    if (batch.incomplete?.length) add(null);
    if (rows.length === 0) yield batch;
    else {
      const gaps = { table: coverageGapRecord, rows } as unknown as RecordBatch;
      yield { ...batch, records: [...(batch.records ?? []), gaps] };
    }
  }
}
