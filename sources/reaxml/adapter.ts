import { z } from 'zod';
import { marketEventRecord } from '../../schema/records/market_event.ts';
import type { DatasetConfig, Part, ReadContext, Release, SourceAdapter, SourceBatch } from '../adapter.ts';
import { plainMember } from '../formats/archive/zip.ts';
import type { Problem } from '../formats/feature.ts';
import type { MarketEvent } from '../market/market_event.ts';
import { EventNotes } from '../market/market_event_notes.ts';
import { marketEvent } from '../market/market_event_row.ts';
import { marketOptions } from '../market/market_options.ts';
import { filesOf, type NamedFile, releaseOf } from '../release/file_release.ts';
import { parseOptions } from '../release/options.ts';
import { RowBatches } from '../release/row_batches.ts';
import { RowTally } from '../tally.ts';
import { type ListingElement, listingElements } from './elements.ts';
import { channelOf, isListing } from './fields.ts';
import { type ListingUpdate, mergeUpdates, statusOf, timeOf } from './merge_updates.ts';

/** Maximum bytes of XML whose listings are held at a time; packed files count twenty times. */
const SHARD_BYTES = 256 * 2 ** 20;
const PACKED = 20;

const optionsSchema = z.strictObject({
  ...marketOptions,
  /** Source of the events; set it to keep the systems of several agencies apart. */
  source: z.string().min(1).max(60).default('reaxml'),
});
type ReaxmlOptions = z.output<typeof optionsSchema>;

/** Listings that a part keeps: those with keys in its shard. All parts read all files. */
interface ReaxmlPart {
  readonly files: readonly NamedFile[];
  readonly dataset: string;
  readonly shard: number;
  readonly shards: number;
  readonly options: ReaxmlOptions;
}

/**
 * Reads REAXML files of listings. An element may state only what changed. So all elements of a listing in the dataset's files are merged in
 * order of modTime (merge_updates.ts) before they become events.
 */
export const reaxmlAdapter: SourceAdapter = {
  name: 'reaxml',
  version: 4,
  placeUnit: 'line',
  title: 'REAXML listings',
  publisher: 'as configured',
  licence: 'as configured',
  attribution: 'As configured for the dataset.',
  tables: [marketEventRecord],
  checkOptions: (dataset) => parseOptions(optionsSchema, dataset),
  discover,
  readPart: readPart,
};

async function discover(dataset: DatasetConfig): Promise<{ release: Release; parts: Part[] }> {
  const options = parseOptions(optionsSchema, dataset);
  const files = filesOf(dataset, /\.xml(\.gz)?$/i, '.xml or .xml.gz');
  let bytes = 0;
  for (const { path } of files) bytes += (await plainMember(path)).bytes * (/\.gz$/i.test(path) ? PACKED : 1);
  const shards = Math.max(1, Math.ceil(bytes / SHARD_BYTES));
  const parts = Array.from({ length: shards }, (_, shard): Part => {
    const source: ReaxmlPart = { files, dataset: dataset.id, shard, shards, options };
    return { id: shards === 1 ? 'listings' : `listings ${shard + 1} of ${shards}`, source };
  });
  return { release: releaseOf(dataset), parts };
}

/** Counts and notes of one file while the listings are collected. */
interface FileState {
  readonly tally: RowTally;
  readonly notes: EventNotes;
}

async function* readPart(_release: Release, part: Part, { signal }: ReadContext): AsyncIterable<SourceBatch> {
  signal?.throwIfAborted();
  const source = part.source as ReaxmlPart;
  const states = source.files.map(
    ({ file }): FileState => ({
      tally: new RowTally(file, marketEventRecord.name),
      notes: new EventNotes(),
    }),
  );
  const listings = new Map<string, ListingUpdate[]>();
  for (const [number, file] of source.files.entries()) {
    for await (const element of listingElements(file, signal))
      gather(element, number, source, states[number]!, listings);
    yield { rejects: states[number]!.tally.takeRejects() };
  }
  const batches = new RowBatches(marketEventRecord, null);
  for (const key of [...listings.keys()].sort()) {
    for (const event of eventsOf(key, listings.get(key)!, source, states)) batches.add(event);
    signal?.throwIfAborted();
    if (batches.full) yield batches.rest();
  }
  yield {
    ...batches.rest(),
    rejects: states.flatMap(({ tally }) => tally.takeRejects()),
    accounts: states.flatMap(({ tally }) => tally.accounts()),
    notes: states.flatMap(({ tally, notes }, i) => [
      ...notes.sentences(source.files[i]!.file, source.options.date_order),
      ...noHomesNote(tally),
    ]),
  };
}

/** Notes a file whose listings are all of other kinds than homes. */
function noHomesNote(tally: RowTally): string[] {
  const { rows_in, drops } = tally.accounts()[0]!;
  const { not_a_home = 0 } = drops;
  return rows_in > 0 && not_a_home === rows_in
    ? [
        `${tally.file}: ${not_a_home === 1 ? 'its only listing is' : `all ${not_a_home} listings are`} commercial or for holidays; none is a home.`,
      ]
    : [];
}

/** Returns the 32-bit FNV-1a hash of a listing's key. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** Adds an element to its listing, or rejects or drops it; elements without a key belong to the first shard. */
function gather(
  element: ListingElement,
  file: number,
  { shard, shards }: ReaxmlPart,
  { tally }: FileState,
  listings: Map<string, ListingUpdate[]>,
): void {
  const key = keyOf(element);
  if ((key === '' ? 0 : hashOf(key) % shards) !== shard) return;
  const update = readListingUpdate(element, key, file);
  if (typeof update === 'string' || 'code' in update) tally.rows_in++;
  if (typeof update === 'string') tally.drop(update);
  else if ('code' in update) tally.reject(element.line, update.code, update.message);
  else {
    const updates = listings.get(key) ?? [];
    listings.set(key, updates);
    updates.push(update);
  }
}

/** Returns agentID/uniqueID of a listing; '': it has none. */
function keyOf({ fields }: ListingElement): string {
  const id = fields.uniqueID ?? fields.uniqueId;
  return id === undefined ? '' : `${fields.agentID ?? fields.agentId ?? ''}/${id}`;
}

/** Reads an element as an update, a reject, or the name of a drop. */
function readListingUpdate(
  element: ListingElement,
  key: string,
  file: number,
): ListingUpdate | Problem | string {
  const { kind, line, fields, problem, list_date } = element;
  if (problem !== null) return problem;
  if (!isListing(kind)) return 'not_a_listing';
  if (channelOf(kind) === null) return 'not_a_home';
  if (key === '') return { code: 'missing_key', message: 'the listing has no uniqueID' };
  const quoted = (name: string): string => `"${(fields[name] ?? '').slice(0, 40)}"`;
  if (statusOf(fields) === null) return { code: 'bad_code', message: `status is ${quoted('@status')}` };
  const time = timeOf(fields, list_date);
  if (time === null) return { code: 'bad_date', message: `modTime ${quoted('@modTime')} is no time` };
  return { kind, file, line, ...time, fields };
}

/** Maximum days that a sale may be dated ahead: agents may state a coming date, such as the end of the cooling-off period. */
const SOLD_AHEAD_DAYS = 31;

/**
 * Builds the records of a listing. An element that reported an event counts as a record of its file; one that reported none counts as
 * merged.
 */
function eventsOf(
  key: string,
  elements: readonly ListingUpdate[],
  { dataset, files, options }: ReaxmlPart,
  states: readonly FileState[],
): MarketEvent[] {
  const silent = new Set(elements);
  const rows = new Map<string, { row: MarketEvent; update: ListingUpdate }>();
  for (const { raw, update } of mergeUpdates(options.source, key, elements)) {
    silent.delete(update);
    const { tally, notes } = states[update.file]!;
    tally.rows_in++;
    const { date_order, two_digit_years_from, rent_bounds, state, as_of } = options;
    const file = files[update.file]!.file;
    const days_ahead = raw.event_type === 'sold' ? SOLD_AHEAD_DAYS : undefined;
    const settings = { date_order, two_digit_years_from, rent_bounds, state, as_of };
    const context = { dataset, file, ...settings, notes, days_ahead };
    const row = marketEvent(raw, update.line, context);
    if ('code' in row) tally.reject(update.line, row.code, `${row.message} (${raw.event_type} of ${key})`);
    else {
      const before = rows.get(row.event_key);
      if (before !== undefined) states[before.update.file]!.tally.drop('superseded');
      rows.set(row.event_key, { row, update });
    }
  }
  for (const update of silent) {
    const { tally } = states[update.file]!;
    tally.rows_in++;
    tally.merged++;
  }
  for (const { update } of rows.values()) states[update.file]!.tally.records++;
  return [...rows.values()].map(({ row }) => row);
}
