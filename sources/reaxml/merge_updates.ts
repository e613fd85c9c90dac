import { readDate, readTime } from '../../transforms/market/dates.ts';
import type { RawEvent } from '../market/market_event.ts';
import { rawEvent } from './fields.ts';

/** An element of one listing, with its place in the dataset. */
export interface ListingUpdate {
  readonly kind: string;
  /** Number of its file among those of the dataset. */
  readonly file: number;
  readonly line: number;
  /** UTC form of its modTime. */
  readonly time: string;
  /** Day of its modTime as the feed writes it, YYYY-MM-DD: the local day where the time has an offset. */
  readonly day: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** An event and the element that told it. */
export interface MergedEvent {
  readonly raw: RawEvent;
  readonly told: ListingUpdate;
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

/** Status of an element; without one it is current. Null: a status of no meaning here. */
export const statusOf = (fields: Readonly<Record<string, string>>): ListingStatus | null => {
  const text = (fields['@status'] ?? 'current').toLowerCase().replace(/[^a-z]/g, '');
  return Object.hasOwn(STATUSES, text) ? STATUSES[text]! : null;
};

/** What decides whether a current listing asks for another price. */
const askingKey = (fields: Readonly<Record<string, string>>): string =>
  [fields.price, fields.rent, fields['rent@period'], fields.priceView].map((each) => each ?? '').join('|');

const isOffered = (fields: Readonly<Record<string, string>>): boolean =>
  /^(yes|y|true|1)$/i.test(fields['underOffer@value'] ?? '');

/**
 * Events of one listing from all that was told of it, in the order of modTime, then file, then line. Each element is laid over
 * what was known, and what it does not state stays. A listing that is current again after its end is listed anew. A status
 * that is told again brings no further event: a sale that is told again replaces what was said of it.
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
  let known: Record<string, string> = {};
  let status: ListingStatus | null = null;
  let asking = '';
  let offered = false;
  let closing = -1;
  for (const told of ordered) {
    const next = statusOf(told.fields)!;
    if (status !== null && status !== 'current' && next === 'current') {
      // a campaign of its own: what was told of the end of the last one does not hold for it
      known = Object.fromEntries(
        Object.entries(known).filter(([key]) => !/^(soldDetails|underOffer)/.test(key)),
      );
      offered = false;
    }
    known = { ...known, ...told.fields };
    const add = (event_type: RawEvent['event_type'], date = told.day): void => {
      const stated = { source, source_id, event_type: event_type!, event_date: date, observed_at: told.time };
      events.push({ raw: rawEvent(told.kind, known, stated), told });
    };
    if (next === 'current') {
      const now = askingKey(known);
      if (status !== 'current') add('listed');
      else if (now !== asking) add('price_changed');
      if (isOffered(known) && !offered) add('under_offer');
      asking = now;
      offered = isOffered(known);
      closing = -1;
    } else {
      if (status === next && closing >= 0) events.splice(closing, 1);
      closing = events.length;
      add(next, next === 'sold' ? soldDate(known, told.day) : undefined);
    }
    status = next;
  }
  return isAddressHidden(known) ? events.map(withoutAddress) : events;
}

/** Whether the agent lets only suburb and state be shown, by what was told last. */
const isAddressHidden = (fields: Readonly<Record<string, string>>): boolean =>
  /^(no|n|false|0)$/i.test(fields['address@display'] ?? '');

/** An event with its suburb for an address and without a position, so that no answer places it on a property. */
const withoutAddress = ({ raw, told }: MergedEvent): MergedEvent => {
  const { unit: _u, number: _n, street: _s, lat: _lat, lon: _lon, ...rest } = raw;
  const address = [raw.suburb, raw.state, raw.postcode].filter((part) => part !== '').join(' ');
  return { raw: { ...rest, address }, told };
};

/** Day of a sale: of the sold details, else of the element. */
function soldDate(fields: Readonly<Record<string, string>>, day: string): string {
  const stated = fields['soldDetails/date'] ?? fields['soldDetails/soldDate'] ?? '';
  return readDate(stated, 'dmy')?.date ?? day;
}

/** Time of an element in UTC, and its day as written: of its modTime, else of the date of the list; null: neither can be read. */
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
