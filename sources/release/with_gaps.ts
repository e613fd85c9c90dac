import type { NamedArea, Reject } from '../../schema/errors.ts';
import type { Bbox } from '../../schema/grid.ts';
import { type CoverageTheme, coverageCountRecord, coverageGapRecord } from '../../schema/records/coverage.ts';
import { overlayPieceRecord } from '../../schema/records/overlay.ts';
import type { Row, Table } from '../../schema/table.ts';
import type { InputAccount, RecordBatch, SourceBatch } from '../adapter.ts';

/** Maximum gaps of a part: beyond it, the gap is the dataset's whole coverage. */
const MAX_GAPS = 10_000;

type PointRow = Readonly<Record<string, unknown>> & {
  readonly lon: number | null;
  readonly lat: number | null;
};
type CoverageGapRow = Row<typeof coverageGapRecord>;

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
      const pointKey = `${lon},${lat}`;
      const first = this.#first.get(key);
      if (first === undefined) this.#first.set(key, pointKey);
      else if (first !== pointKey) yield lon === null || lat === null ? null : [lon, lat, lon, lat];
    }
  }
}

/** Rejected rows of a file that state no place. */
interface UnplacedRows {
  rows: number;
  example: string;
}

const textOf = ({ file, at, code, message }: Reject): string => `${file} ${at}: ${code}, ${message}`;

class PartGaps {
  readonly #keys: Pick<CoverageGapRow, 'load_id' | 'dataset' | 'theme' | 'part'>;
  readonly #seenKeys = new Set<string>();
  readonly #unplaced = new Map<string, UnplacedRows>();
  /** State and kind of overlays. */
  readonly #kinds = new Set<string>();
  #isWhole = false;
  #rows: CoverageGapRow[] = [];

  constructor(dataset: string, theme: CoverageTheme, part: string) {
    this.#keys = { load_id: 0, dataset, theme, part };
  }

  /** Adds the gap of a rejected row: its box, else the area that it names. A row with neither is counted. */
  addReject(reject: Reject): void {
    const { extent, area } = reject;
    if (extent !== undefined) this.#add(extent, null, null);
    else if (area !== undefined) this.#add(null, area, textOf(reject));
    else {
      const unplaced = this.#unplaced.get(reject.file);
      if (unplaced === undefined) this.#unplaced.set(reject.file, { rows: 1, example: textOf(reject) });
      else unplaced.rows++;
    }
  }

  /** Notes the kinds of the overlays in a batch, up to two. */
  addKinds({ table, rows }: RecordBatch): void {
    if (table.name !== overlayPieceRecord.name || this.#kinds.size > 1) return;
    for (const { overlay_id, layer } of rows as unknown as readonly Row<typeof overlayPieceRecord>[])
      if (this.#kinds.size < 2) this.#kinds.add(`${overlay_id.slice(0, overlay_id.indexOf(':'))} ${layer}`);
  }

  addBox(box: Bbox): void {
    this.#add(box, null, null);
  }

  /** Makes the dataset's whole coverage a gap. */
  addWhole(reason: string): void {
    this.#add(null, null, reason);
  }

  /** Returns the gaps since the last call. */
  takeRows(): CoverageGapRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  #add(box: Bbox | null, area: NamedArea | null, reason: string | null): void {
    if (this.#isWhole) return;
    const key = JSON.stringify([box, area]);
    if (this.#seenKeys.has(key)) return;
    this.#seenKeys.add(key);
    const isTooMany = this.#seenKeys.size > MAX_GAPS;
    this.#isWhole = isTooMany || (box === null && area === null);
    const [west, south, east, north] = (isTooMany ? null : box) ?? [null, null, null, null];
    const { state, postcode, suburb } = (isTooMany ? null : area) ?? {
      state: null,
      postcode: null,
      suburb: null,
    };
    const why = isTooMany ? `more than ${MAX_GAPS} rejected rows at different places` : reason;
    const gap_no = this.#seenKeys.size;
    this.#rows.push({
      ...this.#keys,
      source_no: gap_no,
      gap_no,
      west,
      south,
      east,
      north,
      state,
      postcode,
      suburb,
      reason: why,
    });
  }

  counts(accounts: readonly InputAccount[]): Row<typeof coverageCountRecord>[] {
    const remaining = new Map(this.#unplaced);
    const counts = accounts.map(({ file, table, rows_in }) => {
      const unplaced = remaining.get(file);
      remaining.delete(file);
      return { kind: table ?? '', rows: rows_in, ...countOf(unplaced) };
    });
    // Rejects whose file has no account.
    for (const unplaced of remaining.values())
      counts.push({ kind: '', rows: unplaced.rows, ...countOf(unplaced) });
    const kinds = [...this.#kinds].sort();
    return counts.map((count, i) => ({
      ...this.#keys,
      source_no: i + 1,
      count_no: i + 1,
      ...count,
      kinds: i === 0 ? kinds : [],
    }));
  }
}

const countOf = (unplaced: UnplacedRows | undefined) => ({
  unplaced: unplaced?.rows ?? 0,
  example: unplaced?.example ?? null,
});

/**
 * Adds gaps to the batches of a part: the box around each rejected feature, else the area that the row names. A row that repeats a key at
 * another place is a gap at its point. Rejected rows without a place are counted beside all rows. If a file states that
 * it is incomplete, the gap is the dataset's whole coverage.
 */
export async function* withGaps(
  batches: AsyncIterable<SourceBatch>,
  dataset: string,
  theme: CoverageTheme,
  part: string,
): AsyncIterable<SourceBatch> {
  const gaps = new PartGaps(dataset, theme, part);
  const repeated = new RepeatedPoints();
  for await (const batch of batches) {
    for (const reject of batch.rejects ?? []) gaps.addReject(reject);
    for (const records of batch.records ?? []) {
      gaps.addKinds(records);
      for (const box of repeated.of(records))
        if (box === null) gaps.addWhole('a row without coordinates repeats the key of another row');
        else gaps.addBox(box);
    }
    for (const file of batch.incomplete ?? []) gaps.addWhole(`${file} states that it lacks features`);
    // The accounts come with the last batch.
    const counts = batch.accounts === undefined ? [] : gaps.counts(batch.accounts);
    const added = [
      { table: coverageGapRecord, rows: gaps.takeRows() },
      { table: coverageCountRecord, rows: counts },
    ].filter(({ rows }) => rows.length > 0) as unknown as RecordBatch[];
    yield added.length === 0 ? batch : { ...batch, records: [...(batch.records ?? []), ...added] };
  }
}
