import { basename } from 'node:path';
import { marketEventRecord } from '../../schema/records/market_event.ts';
import type { DatasetConfig, Part, Release, SourceAdapter } from '../adapter.ts';
import type { Problem } from '../formats/feature.ts';
import { orFootnote } from '../formats/table/csv_table.ts';
import type { EventContext, MarketEvent, RawEvent } from '../market/market_event.ts';
import { marketEvent } from '../market/market_event_row.ts';
import { type EventRow, type MarketPart, readEventFile } from '../market/market_reading.ts';
import { filesOf, releaseOf } from '../release/file_release.ts';
import { listingRows } from './listing_rows.ts';
import { type ListingOptions, readListingOptions } from './options.ts';

/** Input for reading one delivery; survives structured cloning. */
interface ListingPart extends MarketPart {
  readonly options: ListingOptions;
}

/** Reads listing events in the format of the event contract (docs/event_contract.md), CSV or NDJSON, plain or .gz; a part is a file. */
export const listingsAdapter: SourceAdapter = {
  name: 'listings',
  version: 6,
  placeUnit: 'line',
  title: 'Listing events',
  publisher: 'as configured',
  licence: 'as configured',
  attribution: 'As configured for the dataset.',
  tables: [marketEventRecord],
  checkOptions: readListingOptions,
  discover,
  readPart: (_release, part, { signal }) => {
    const source = part.source as ListingPart;
    return readEventFile(source, (context) => rowsOf(source, context, signal));
  },
};

const DELIVERY = /\.(csv|ndjson|jsonl)(\.gz)?$/i;

async function discover(dataset: DatasetConfig): Promise<{ release: Release; parts: Part[] }> {
  const options = readListingOptions(dataset);
  const parts: Part[] = [];
  for (const file of filesOf(dataset, DELIVERY, '.csv or .ndjson, plain or .gz')) {
    // the header of a CSV file, the first line of an NDJSON file
    for await (const _ of listingRows(file)) break;
    const source: ListingPart = { ...file, dataset: dataset.id, options };
    parts.push({ id: file.file, files: [file.path], source });
  }
  const notes = dataset.files
    .filter(({ path }) => !DELIVERY.test(path))
    .map(({ path }) => `${basename(path)}: neither .csv nor .ndjson; it is not read.`);
  return { release: releaseOf(dataset, { notes }), parts };
}

async function* rowsOf(
  source: ListingPart,
  context: EventContext,
  signal: AbortSignal | undefined,
): AsyncGenerator<EventRow> {
  for await (const row of listingRows(source, signal))
    yield { line: row.line, event: orFootnote(row, eventOf(row.event, row.line, context, source)) };
}

function eventOf(
  event: RawEvent | Problem,
  line: number,
  context: EventContext,
  { options, dataset }: ListingPart,
): MarketEvent | Problem {
  if ('code' in event) return event;
  const source = event.source?.trim() || (options.source ?? dataset);
  return marketEvent({ ...event, source }, line, context);
}
