import { marketEventRecord } from '../../schema/records/market_event.ts';
import type { SourceBatch } from '../adapter.ts';
import type { Problem } from '../formats/feature.ts';
import type { NamedFile } from '../release/file_release.ts';
import { RepeatedKeys } from '../release/repeated_keys.ts';
import { MAX_REJECTS, RowBatches } from '../release/row_batches.ts';
import { RowTally } from '../tally.ts';
import type { EventContext, MarketEvent } from './market_event.ts';
import { EventNotes } from './market_event_notes.ts';
import { dayInName, type MarketOptions } from './market_options.ts';
import type { DateOrder } from './words/dates.ts';

export interface EventRow {
  readonly line: number;
  readonly event: MarketEvent | Problem | { readonly drop: string };
  /** Replacement key and rank. Default: event_key and observed_at. */
  readonly key?: readonly [key: string, rank: number];
}

/** A file of events, or of several inputs with their own row accounts. */
export interface EventFile {
  readonly file: string;
  readonly date_order: DateOrder;
  /** Reads its inputs with their rows, from the first; called twice, with the same result. */
  inputs(notes: EventNotes, pass: 'survey' | 'read'): AsyncIterable<EventInput>;
}

/** One input of a file: its name in row accounts, and its rows. */
interface EventInput {
  readonly file: string;
  readonly rows: AsyncIterable<EventRow> | Iterable<EventRow>;
}

/** Reads the events of a file in two passes: of events with one key the last by rank is kept, and the others are drops `superseded`. */
export async function* readEvents({ file, date_order, inputs }: EventFile): AsyncGenerator<SourceBatch> {
  const keys = new RepeatedKeys();
  for await (const { rows } of inputs(new EventNotes(), 'survey'))
    for await (const { event, key } of rows) if ('event_key' in event) keys.add(...(key ?? keyOf(event)));
  const replaced = keys.replaced();
  const notes = new EventNotes();
  const tallies: RowTally[] = [];
  const batches = new RowBatches(marketEventRecord, null);
  let takenRows = 0;
  for await (const input of inputs(notes, 'read')) {
    const tally = new RowTally(input.file, marketEventRecord.name);
    tallies.push(tally);
    for await (const { line, event } of input.rows) {
      tally.rows_in++;
      if ('drop' in event) tally.drop(event.drop);
      else if ('code' in event) tally.reject(line, event.code, event.message);
      else if (replaced.has(takenRows++)) tally.drop('superseded');
      else {
        tally.records++;
        batches.add(event);
      }
      if (batches.full) yield batches.rest();
      if (tally.pendingRejects >= MAX_REJECTS) yield { rejects: tally.takeRejects() };
    }
    if (tally.pendingRejects > 0) yield { rejects: tally.takeRejects() };
  }
  const accounts = tallies.flatMap((tally) => tally.accounts());
  yield { ...batches.rest(), accounts, notes: notes.sentences(file, date_order) };
}

/** A single file of events, with the options of every market event adapter. Survives structured cloning. */
export interface MarketPart extends NamedFile {
  readonly dataset: string;
  readonly options: MarketOptions;
}

/** Reads the events of one file; `rowsOf` reads its rows in a context. */
export function readEventFile(
  { file, dataset, options }: MarketPart,
  rowsOf: (context: EventContext) => AsyncIterable<EventRow>,
): AsyncGenerator<SourceBatch> {
  const { date_order, two_digit_years_from, rent_bounds, state } = options;
  const as_of = dayInName(file) ?? options.as_of;
  return readEvents({
    file,
    date_order,
    async *inputs(notes) {
      const settings = { date_order, two_digit_years_from, rent_bounds, state };
      yield { file, rows: rowsOf({ dataset, file, ...settings, notes, as_of }) };
    },
  });
}

/** Ranks a later observation after an earlier one, and an observation without a time first: the highest rank wins. */
function keyOf({ event_key, observed_at }: MarketEvent): readonly [string, number] {
  return [event_key, observed_at === null ? Number.NEGATIVE_INFINITY : Date.parse(observed_at)];
}
