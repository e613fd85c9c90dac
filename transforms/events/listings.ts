import { append } from '../../schema/group_by.ts';
import { type CanonicalEvent, distinct, type EndReason } from './canonical.ts';
import { byObservation, compareText, dayOfDate, type MarketFacts, pricesAgree } from './market_facts.ts';

/** Maximum days without news within one listing; after that, the property is on offer again. */
const SILENCE_DAYS = 365;
/** Maximum days in which a second withdrawal or lease corrects the first. */
const CORRECTION_DAYS = 30;
/** Maximum days between the first days of one listing in two feeds, and maximum difference of its prices, as a share. */
const SAME_LISTING = { sale: { days: 30, tolerance: 0.1 }, rent: { days: 14, tolerance: 0.05 } } as const;

/** Order of events on one day. */
const RANK: Readonly<Record<string, number>> = {
  listed: 0,
  price_changed: 1,
  under_offer: 2,
  withdrawn: 3,
  leased: 4,
  sold: 5,
};

/** A listing of one feed, or joined from several. */
interface Listing {
  channel: 'sale' | 'rent';
  events: MarketFacts[];
  /** End of the listing. Null: open. */
  end: { date: string; reason: EndReason } | null;
}

const lastDate = ({ events }: Listing): string =>
  events
    .map(({ event_date }) => event_date)
    .sort()
    .at(-1)!;
const firstDate = ({ events }: Listing): string => events[0]!.event_date;

/** Order of a feed's events: by date, then by rank, then by observation. */
const inOrder = (a: MarketFacts, b: MarketFacts): number =>
  compareText(a.event_date, b.event_date) || RANK[a.event_type]! - RANK[b.event_type]! || byObservation(a, b);

const endOf = ({ event_type, event_date }: MarketFacts): Listing['end'] =>
  event_type === 'withdrawn' || event_type === 'leased' || event_type === 'sold'
    ? { date: event_date, reason: event_type }
    : null;

/** Returns whether an event continues a listing: the listing is open and recent enough, or the event corrects its end. */
function continues(listing: Listing | undefined, event: MarketFacts): listing is Listing {
  if (!listing) return false;
  const days = dayOfDate(event.event_date) - dayOfDate(lastDate(listing));
  if (listing.end === null) return days <= SILENCE_DAYS;
  return endOf(event)?.reason === listing.end.reason && days <= CORRECTION_DAYS;
}

/** Divides the events of one feed's id into listings. A sale closes a listing but is not part of it. */
function cut(channel: Listing['channel'], events: readonly MarketFacts[]): Listing[] {
  const listings: Listing[] = [];
  for (const event of [...events].sort(inOrder)) {
    const open = listings.at(-1);
    const end = endOf(event);
    if (event.event_type === 'sold') {
      if (open && open.end === null && continues(open, event)) open.end = end;
      continue;
    }
    if (continues(open, event)) {
      open.events.push(event);
      open.end = end ?? open.end;
    } else listings.push({ channel, events: [event], end });
  }
  return listings;
}

/** Returns the lowest and highest price stated by a listing. Null: none. */
function priceRange({ events }: Listing): [low: number, high: number] | null {
  const prices = events.flatMap(({ price, price_low, price_high }) =>
    [price, price_low, price_high].filter((each) => each !== null),
  );
  return prices.length === 0 ? null : [Math.min(...prices), Math.max(...prices)];
}

/**
 * Returns whether a later listing is the earlier one in another feed: same channel, close first days before the earlier one ends,
 * and prices that overlap or agree.
 */
function isSameListing(a: Listing, b: Listing): boolean {
  if (a.channel !== b.channel) return false;
  if (a.end !== null && firstDate(b) > a.end.date) return false;
  const { days, tolerance } = SAME_LISTING[a.channel];
  if (Math.abs(dayOfDate(firstDate(a)) - dayOfDate(firstDate(b))) > days) return false;
  const [x, y] = [priceRange(a), priceRange(b)];
  if (x === null || y === null) return true;
  const meet = x[0] <= y[1] && y[0] <= x[1];
  return meet || pricesAgree(x[1], y[0], tolerance) || pricesAgree(y[1], x[0], tolerance);
}

const isFinal = (end: Listing['end']): boolean => end !== null && end.reason !== 'withdrawn';

/** Returns the end of a joined listing. A sale or lease ends it in all feeds; a withdrawal only if no other feed continues after it. */
function joinedEnd(a: Listing, b: Listing): Listing['end'] {
  const ends = [a.end, b.end]
    .filter((end) => end !== null)
    .sort((x, y) => compareText(y.date, x.date) || compareText(x.reason, y.reason));
  const final = ends.find(isFinal);
  if (final) return final;
  const last = ends[0];
  if (!last) return null;
  return [a, b].some((each) => each.end === null && lastDate(each) > last.date) ? null : last;
}

/** Joins the listings of several feeds or ids; earlier ones first. */
function join(listings: readonly Listing[]): Listing[] {
  const merged: Listing[] = [];
  for (const listing of listings) {
    const same = merged.find((each) => isSameListing(each, listing));
    if (!same) merged.push({ ...listing });
    else {
      same.end = joinedEnd(same, listing);
      same.events = [...same.events, ...listing.events].sort(inOrder);
    }
  }
  return merged;
}

function canonicalOf(listing: Listing): CanonicalEvent {
  const { events, end, channel } = listing;
  const withPrice = events.filter(
    (event) => event.price !== null || event.price_low !== null || event.price_high !== null,
  );
  const last = withPrice.at(-1);
  return {
    event_id: events[0]!.event_key,
    type: channel === 'rent' ? 'For Rent' : 'For Sale',
    date: firstDate(listing),
    settlement_date: null,
    last_date: lastDate(listing),
    end_date: end?.date ?? null,
    end_reason: end?.reason ?? null,
    is_under_offer:
      end === null &&
      events.filter(({ event_type }) => event_type !== 'withdrawn').at(-1)?.event_type === 'under_offer',
    price: last?.price ?? null,
    first_price: withPrice[0]?.price ?? null,
    price_low: last?.price_low ?? null,
    price_high: last?.price_high ?? null,
    no_evidence: null,
    event_keys: distinct(events.map(({ event_key }) => event_key)),
    sources: distinct(events.map(({ source }) => source)),
  };
}

/** Returns whether a sale ended a listing: after its first day, and not too long after its last mention. */
const isSaleOf = (listing: CanonicalEvent, sale: CanonicalEvent): boolean =>
  sale.date >= listing.date && dayOfDate(sale.date) - dayOfDate(listing.last_date) <= SILENCE_DAYS;

/** Closes open listings at a later listing of the channel, or at a sale of the property. */
function closeOpen(events: readonly CanonicalEvent[], sales: readonly CanonicalEvent[]): void {
  for (const event of events) {
    if (event.end_date !== null) continue;
    const ends: { date: string; reason: EndReason }[] = [];
    for (const other of events)
      if (other !== event && other.type === event.type && other.date > event.last_date)
        ends.push({ date: other.date, reason: 'relisted' });
    if (event.type === 'For Sale')
      for (const sale of sales) if (isSaleOf(event, sale)) ends.push({ date: sale.date, reason: 'sold' });
    ends.sort((a, b) => compareText(a.date, b.date) || compareText(b.reason, a.reason));
    const first = ends[0];
    if (!first) continue;
    event.end_date = first.date;
    event.end_reason = first.reason;
    event.is_under_offer = false;
  }
}

/**
 * Returns the listings of one property from all its events and its sales. Events are divided per feed and id, from listed to
 * leased, withdrawn or sold, including price changes; then listings are joined across feeds. If a feed starts in the middle, the
 * listing starts with its first event. A sale is not part of a listing, a lease is.
 */
export function listingsOf(
  facts: readonly MarketFacts[],
  sales: readonly CanonicalEvent[],
): CanonicalEvent[] {
  const byId = new Map<string, MarketFacts[]>();
  for (const event of facts) {
    const channel = channelOf(event);
    const key = JSON.stringify([channel, event.source, event.source_id]);
    append(byId, key, event);
  }
  const listings = [...byId.values()].flatMap((events) => cut(channelOf(events[0]!), events));
  listings.sort(
    (a, b) =>
      inOrder(a.events[0]!, b.events[0]!) || compareText(a.events[0]!.event_key, b.events[0]!.event_key),
  );
  const events = join(listings).map(canonicalOf);
  closeOpen(events, sales);
  return events;
}

/** A lease belongs to the rent channel and a sale to the sale channel, whatever the source states. */
const channelOf = ({ event_type, channel }: MarketFacts): Listing['channel'] =>
  event_type === 'leased' || (channel === 'rent' && event_type !== 'sold') ? 'rent' : 'sale';
