import { basename } from 'node:path';
import { EtlError } from '../../schema/errors.ts';
import { marketEventRecord } from '../../schema/records/market_event.ts';
import type { Batch, DatasetConfig, Part, RecordBatch, Release, SourceAdapter } from '../adapter.ts';
import type { Problem } from '../formats/feature.ts';
import type { EventContext, MarketEvent, RawEvent } from '../formats/market_event.ts';
import { EventNotes } from '../formats/market_event_notes.ts';
import { marketEvent } from '../formats/market_event_row.ts';
import { dayInName } from '../formats/market_options.ts';
import { releaseLabel } from '../formats/release_label.ts';
import { RepeatedKeys } from '../formats/repeated_keys.ts';
import { Tally } from '../formats/tally.ts';
import { type ListingOptions, readListingOptions } from './options.ts';
import { isDelivery, listingRows } from './rows.ts';

const BATCH_ROWS = 2048;

/** What reading one delivery needs; survives structured cloning. */
interface ListingPart {
  readonly path: string;
  readonly file: string;
  readonly dataset: string;
  readonly options: ListingOptions;
}

/** Listing events by the documented contract (docs/event_contract.md), CSV or NDJSON, plain or .gz; a part is a file. */
export const listingsAdapter: SourceAdapter = {
  name: 'listings',
  version: 1,
  place: 'line',
  title: 'Listing events',
  publisher: 'as configured',
  licence: 'as configured',
  attribution: 'As configured for the dataset.',
  tables: [marketEventRecord],
  discover,
  read,
};

async function discover(dataset: DatasetConfig): Promise<{ release: Release; parts: Part[] }> {
  const options = readListingOptions(dataset);
  const parts: Part[] = [];
  const notes: string[] = [];
  for (const { path } of dataset.files) {
    const file = basename(path);
    if (!isDelivery(path)) {
      notes.push(`${file}: neither .csv nor .ndjson; it is not read.`);
      continue;
    }
    const place = { path, member: null, file };
    // the header of a CSV file, the first line of another
    for await (const _ of listingRows(place)) break;
    const id = parts.some((part) => part.id === file) ? path : file;
    const source: ListingPart = { path, file: id, dataset: dataset.id, options };
    parts.push({ id, files: [path], source });
  }
  if (parts.length === 0)
    throw new EtlError(
      'missing_file',
      `dataset ${dataset.id}: none of its ${dataset.files.length} files is .csv or .ndjson, plain or .gz. Check the configured pattern.`,
      { details: { dataset: dataset.id } },
    );
  const files = dataset.files.map(({ path }) => ({ file: basename(path), changed: null }));
  const crs = { applied: 'EPSG:7844', stated: null, overridden: false };
  return { release: { dataset, id: dataset.release ?? releaseLabel(dataset, files), crs, notes }, parts };
}

async function* read(
  _release: Release,
  part: Part,
  { signal }: { signal?: AbortSignal },
): AsyncIterable<Batch> {
  signal?.throwIfAborted();
  const source = part.source as ListingPart;
  const replaced = await replacedRows(source, signal);
  const tally = new Tally(source.file, marketEventRecord.name);
  const notes = new EventNotes();
  const context = contextOf(source, notes);
  let rows: MarketEvent[] = [];
  let taken = 0;
  for await (const { line, event } of listingRows(placeOf(source), signal)) {
    tally.rows_in++;
    const row = rowOf(event, line, context, source);
    if ('code' in row) tally.reject(line, row.code, row.message);
    else if (replaced.has(taken++)) tally.drop('superseded');
    else {
      tally.records++;
      rows.push(row);
    }
    if (tally.rows_in % BATCH_ROWS !== 0) continue;
    yield { records: batchOf(rows), rejects: tally.takeRejects() };
    rows = [];
  }
  yield {
    records: batchOf(rows),
    rejects: tally.takeRejects(),
    accounts: tally.accounts(),
    notes: notes.sentences(source.file, source.options.date_order),
  };
}

const placeOf = ({ path, file }: ListingPart) => ({ path, member: null, file });

const batchOf = (rows: MarketEvent[]): RecordBatch[] =>
  rows.length === 0 ? [] : [{ table: marketEventRecord, rows } as unknown as RecordBatch];

function contextOf({ file, dataset, options }: ListingPart, notes: EventNotes): EventContext {
  const { date_order, rent_bounds, state } = options;
  return { dataset, file, date_order, rent_bounds, state, notes, as_of: dayInName(file) ?? options.as_of };
}

function rowOf(
  event: RawEvent | Problem,
  line: number,
  context: EventContext,
  { options, dataset }: ListingPart,
): MarketEvent | Problem {
  if ('code' in event) return event;
  const source = event.source?.trim() || (options.source ?? dataset);
  return marketEvent({ ...event, source }, line, context);
}

/** Numbers, among the rows that are no rejects, of those that a row of the file with a later observed_at replaces. */
async function replacedRows(source: ListingPart, signal?: AbortSignal): Promise<Set<number>> {
  const keys = new RepeatedKeys();
  const context = contextOf(source, new EventNotes());
  for await (const { line, event } of listingRows(placeOf(source), signal)) {
    const row = rowOf(event, line, context, source);
    if (!('code' in row))
      keys.add(row.event_key, row.observed_at === null ? -Infinity : Date.parse(row.observed_at));
  }
  return keys.replaced();
}
