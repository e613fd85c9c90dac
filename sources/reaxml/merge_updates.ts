import type { RawEvent } from '../market/market_event.ts';
import { readDate, readTime } from '../market/words/dates.ts';
import { rawEvent } from './fields.ts';

/** An element of one listing, with its location in the dataset. */
export interface ListingUpdate {
  readonly kind: string;
  /** Index of its file in the dataset. */
  readonly file: number;
  readonly line: number;
  /** Its modTime in UTC. */
  readonly time: string;
  /** Date of its modTime in the feed, YYYY-MM-DD: the local date if the time has an offset. */
  readonly day: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** An event and the element that reported it. */
export interface MergedEvent {
  readonly raw: RawEvent;
  readonly update: ListingUpdate;
}

type ListingStatus = 'current' | 'sold' | 'leased' | 'withdrawn';
const STATUSES: Readonly<Record<string, ListingStatus>> = {
  current: 'current',
  sold: 'sold',
  leased: 'leased',
  withdrawn: 'withdrawn',
  offmarket: 'withdrawn',
  deleted: 'withdrawn',
};

/** Returns the status of an element; without one it is current. Null: a status without meaning here. */
export const statusOf = (fields: Readonly<Record<string, string>>): ListingStatus | null => {
  const text = (fields['@status'] ?? 'current').toLowerCase().replace(/[^a-z]/g, '');
  return Object.hasOwn(STATUSES, text) ? STATUSES[text]! : null;
};

/** Returns the fields whose change is a new asking price. */
const askingKey = (fields: Readonly<Record<string, string>>): string =>
  [fields.price, fields.rent, fields['rent@period'], fields.priceView].map((each) => each ?? '').join('|');

const isOffered = (fields: Readonly<Record<string, string>>): boolean =>
  /^(yes|y|true|1)$/i.test(fields['underOffer@value'] ?? '');

/**
 * Merges a listing's updates by modTime, file, line. Missing fields keep their value. A listing that is current again after its end is
 * listed again. A repeated status adds no event; a repeated sale or other end replaces the earlier one.
 */
export function mergeUpdates(
  source: string,
  source_id: string,
  elements: readonly ListingUpdate[],
): MergedEvent[] {
  const ordered = [...elements].sort(
    (a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0) || a.file - b.file || a.line - b.line,
  );
  const events: MergedEvent[] = [];
  let merged: Record<string, string> = {};
  let status: ListingStatus | null = null;
  let asking = '';
  let offered = false;
  let closing = -1;
  for (const update of ordered) {
    const next = statusOf(update.fields)!;
    if (status !== null && status !== 'current' && next === 'current') {
      // a new campaign: the end of the previous one does not apply to it
      merged = Object.fromEntries(
        Object.entries(merged).filter(([key]) => !/^(soldDetails|underOffer)/.test(key)),
      );
      offered = false;
    }
    merged = { ...merged, ...update.fields };
    const add = (event_type: RawEvent['event_type'], date = update.day): void => {
      const common = {
        source,
        source_id,
        event_type: event_type!,
        event_date: date,
        observed_at: update.time,
      };
      events.push({ raw: rawEvent(update.kind, merged, common), update });
    };
    if (next === 'current') {
      const now = askingKey(merged);
      if (status !== 'current') add('listed');
      else if (now !== asking) add('price_changed');
      if (isOffered(merged) && !offered) add('under_offer');
      asking = now;
      offered = isOffered(merged);
      closing = -1;
    } else {
      if (status === next && closing >= 0) events.splice(closing, 1);
      closing = events.length;
      add(next, next === 'sold' ? soldDate(merged, update.day) : undefined);
    }
    status = next;
  }
  return isAddressHidden(merged) ? events.map(withoutAddress) : events;
}

/** Returns whether the agent's latest update allows only suburb and state to be shown. */
const isAddressHidden = (fields: Readonly<Record<string, string>>): boolean =>
  /^(no|n|false|0)$/i.test(fields['address@display'] ?? '');

/** Replaces the address of an event by its suburb and removes its coordinates, so that no answer places it on a property. */
const withoutAddress = ({ raw, update }: MergedEvent): MergedEvent => {
  const { unit: _u, number: _n, street: _s, lat: _lat, lon: _lon, ...rest } = raw;
  const address = [raw.suburb, raw.state, raw.postcode].filter((part) => part !== '').join(' ');
  return { raw: { ...rest, address }, update };
};

/** Returns the date of a sale: from the sold details, else from the element. */
function soldDate(fields: Readonly<Record<string, string>>, day: string): string {
  const statedDate = fields['soldDetails/date'] ?? fields['soldDetails/soldDate'] ?? '';
  return readDate(statedDate, 'dmy')?.date ?? day;
}

/**
 * Returns the time of an element in UTC and its date as written, from its modTime, else from the date of the list; null: neither is valid.
 */
export const timeOf = (
  fields: Readonly<Record<string, string>>,
  list_date: string,
): Pick<ListingUpdate, 'time' | 'day'> | null => {
  for (const text of [fields['@modTime'], list_date]) {
    if (text === undefined || text === '') continue;
    const day = readDate(text, 'dmy');
    const time = readTime(text) ?? (day === null ? null : `${day.date}T00:00:00Z`);
    if (time !== null) return { time, day: day?.date ?? time.slice(0, 10) };
  }
  return null;
};
