import { createReadStream, createWriteStream, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { DelimitedWriter } from '../formats/delimited_writer.ts';
import type { Truth } from '../truth.ts';
import { DAYS } from './calendar.ts';
import { LISTING_COLUMNS, type ListingRow } from './listing_row.ts';

const JSON_FILE = 'events_qld.ndjson';
/** Years up to which a file holds a year; from then on it holds a month. */
const LAST_YEARLY = '2025';
/** Streams the event contract: CSV by year, of the last year by month, and one NDJSON, packed when it is finished. */
export class EventFiles {
  readonly #folder: string;
  readonly #truth: Truth;
  readonly #files = new Map<string, DelimitedWriter>();
  #json: DelimitedWriter | null = null;

  constructor(folder: string, truth: Truth) {
    this.#folder = folder;
    this.#truth = truth;
  }

  csv(row: ListingRow, name = fileOf(String(row.event_date))): void {
    this.#writer(name).line(lineOf(row));
  }

  json(row: ListingRow): void {
    const stated: Partial<ListingRow> = {};
    for (const column of LISTING_COLUMNS) if (row[column] !== '') stated[column] = row[column];
    const line = JSON.stringify(stated);
    // a file without a header: the first row takes its place
    if (this.#json === null) this.#json = new DelimitedWriter(join(this.#folder, JSON_FILE), line, '\n');
    else this.#json.line(line);
  }

  /** Rows that must be rejected or left out, at the end of the last file. */
  badRows(good: ListingRow): void {
    const name = fileOf(DAYS.at(-1)!);
    const file = `listings/${name}`;
    const base = { ...good, event_date: DAYS.at(-2)!, observed_at: '2026-06-30T01:00:00Z' };
    const bad = (change: Partial<ListingRow>, code: string, what: string): void => {
      this.csv({ ...base, source_id: `BAD-${code}`, ...change }, name);
      this.#truth.reject(file, this.#writer(name).rows + 1, code, what);
    };
    bad({ event_type: 'auctioned' }, 'bad_code', 'an event type of no contract');
    bad({ event_date: '31/02/2026' }, 'bad_date', 'a day that does not exist');
    bad({ price: -5 }, 'bad_price', 'a negative price');
    bad({ address: '', gnaf_pid: '' }, 'missing_address', 'a listing of nowhere');
    bad(
      { channel: 'rent', event_type: 'leased', price: 950_000 },
      'bad_rent',
      'a price in the field of a rent',
    );
    bad({ observed_at: '2026-05-01T00:00:00Z' }, 'future_date', 'an event after it was observed');
    const twice = { ...base, source_id: 'TWICE', event_type: 'withdrawn', price: '' };
    this.csv({ ...twice, observed_at: '2026-06-29T22:00:00Z' }, name);
    this.csv({ ...twice, observed_at: '2026-06-29T21:00:00Z' }, name);
    this.#truth.drop(file, 'superseded');
  }

  async finish(): Promise<void> {
    for (const [name, writer] of this.#files) {
      this.#truth.count(`listings/${name}`, writer.rows);
      writer.close();
    }
    if (this.#json === null) return;
    this.#truth.count(`listings/${JSON_FILE}.gz`, this.#json.rows + 1);
    this.#json.close();
    const from = join(this.#folder, JSON_FILE);
    await pipeline(createReadStream(from), createGzip({ level: 1 }), createWriteStream(`${from}.gz`));
    rmSync(from);
  }

  #writer(name: string): DelimitedWriter {
    const known = this.#files.get(name);
    if (known !== undefined) return known;
    const writer = new DelimitedWriter(join(this.#folder, name), LISTING_COLUMNS.join(','), '\n');
    this.#files.set(name, writer);
    return writer;
  }
}

/** A row in the order of LISTING_COLUMNS, written out because it is the busiest line of the generator. */
const lineOf = (r: ListingRow): string =>
  `${r.source},${r.source_id},${r.event_type},${r.channel},${r.event_date},${r.observed_at},${r.gnaf_pid},${quoted(r.address)},${r.suburb},${r.state},${r.postcode},${r.lat},${r.lon},${r.price},${r.price_low},${r.price_high},${quoted(r.price_text)},${r.price_disclosed},${r.bedrooms},${r.bathrooms},${r.parking},${r.property_type},${r.land_area_sqm},${r.floor_area_sqm},${r.features},${quoted(r.description)}`;

const quoted = (value: string | number): string => {
  const text = String(value);
  if (text === '') return '';
  return text.includes('"') ? `"${text.replaceAll('"', '""')}"` : `"${text}"`;
};

/** Last day of each month, by the month. */
const LAST_DAYS = new Map(DAYS.map((day) => [day.slice(0, 7), day]));

/** File of a day: of its year, or of its month, then named after the month's last day. */
function fileOf(date: string): string {
  const year = date.slice(0, 4);
  return `events_${year <= LAST_YEARLY ? year : LAST_DAYS.get(date.slice(0, 7))}.csv`;
}
