import type { Bbox } from '../../schema/grid.ts';
import { type CoverageTheme, coverageGapRecord } from '../../schema/records/coverage.ts';
import type { Row } from '../../schema/table.ts';
import type { RecordBatch, SourceBatch } from '../adapter.ts';

/** Maximum boxes of a part: beyond it, the gap is the dataset's whole coverage. */
const MAX_BOXES = 10_000;

/**
 * Adds gaps to the batches of a part, where nothing is known: the box around each rejected feature. If a rejected row has no box or a file
 * states that it is incomplete, the gap is the dataset's whole coverage.
 */
export async function* withGaps(
  batches: AsyncIterable<SourceBatch>,
  dataset: string,
  theme: CoverageTheme,
  part: string,
): AsyncIterable<SourceBatch> {
  const known = new Set<string>();
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
    if (batch.incomplete?.length) add(null);
    if (rows.length === 0) yield batch;
    else {
      const gaps = { table: coverageGapRecord, rows } as unknown as RecordBatch;
      yield { ...batch, records: [...(batch.records ?? []), gaps] };
    }
  }
}
