import { marketEventRecord } from '../../schema/records/market_event.ts';
import type { DateOrder } from '../../transforms/market/dates.ts';
import type { SourceBatch } from '../adapter.ts';
import type { Problem } from '../formats/feature.ts';
import type { NamedFile } from '../release/file_release.ts';
import { RepeatedKeys } from '../release/repeated_keys.ts';
import { MAX_REJECTS, RowBatches } from '../release/row_batches.ts';
import { RowTally } from '../tally.ts';
import type { EventContext, MarketEvent } from './market_event.ts';
import { EventNotes } from './market_event_notes.ts';
import { dayInName, type MarketOptions } from './market_options.ts';

/** A row of a source of events. */
export interface EventRow {
  readonly line: number;
  readonly event: MarketEvent | Problem | { readonly drop: string };
  /** What it replaces earlier tellings by, and the rank among them; left out: its event_key and observed_at. */
  readonly key?: readonly [key: string, rank: number];
}

/** A file of events, or of several inputs with accounts of their own. */
export interface EventFile {
  readonly file: string;
  readonly date_order: DateOrder;
  /** Its inputs with their rows, from the first; asked for twice, and the same each time. */
  inputs(notes: EventNotes, pass: 'survey' | 'read'): AsyncIterable<EventInput>;
}

/** One input of a file: its name in accounts, and its rows. */
interface EventInput {
  readonly file: string;
  readonly rows: AsyncIterable<EventRow> | Iterable<EventRow>;
}

/** Reads the events of a file in two passes: of those with the same key the last by rank stays, and the others are drops `superseded`. */
export async function* readEvents({ file, date_order, inputs }: EventFile): AsyncGenerator<SourceBatch> {
  const keys = new RepeatedKeys();
  for await (const { rows } of inputs(new EventNotes(), 'survey'))
    for await (const { event, key } of rows) if ('event_key' in event) keys.add(...(key ?? keyOf(event)));
  const replaced = keys.replaced();
  const notes = new EventNotes();
  const tallies: RowTally[] = [];
  const batches = new RowBatches(marketEventRecord, null);
  let taken = 0;
  for await (const input of inputs(notes, 'read')) {
    const tally = new RowTally(input.file, marketEventRecord.name);
    tallies.push(tally);
    for await (const { line, event } of input.rows) {
      tally.rows_in++;
      if ('drop' in event) tally.drop(event.drop);
      else if ('code' in event) tally.reject(line, event.code, event.message);
      else if (replaced.has(taken++)) tally.drop('superseded');
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

/** A file of events by itself, with the options that every adapter of them has. Survives structured cloning. */
export interface MarketPart extends NamedFile {
  readonly dataset: string;
  readonly options: MarketOptions;
}

/** Reads the events of one file whose rows are `rowsOf` a context. */
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

/** A later observation replaces an earlier one, and any replaces one without a time. */
function keyOf({ event_key, observed_at }: MarketEvent): readonly [string, number] {
  return [event_key, observed_at === null ? Number.NEGATIVE_INFINITY : Date.parse(observed_at)];
}
