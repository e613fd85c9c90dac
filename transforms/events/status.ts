import { isoOfDay } from '../stats/calendar.ts';
import type { CanonicalEvent } from './canonical.ts';
import { dayOf } from './market_facts.ts';

/** What a property is, as far as its history tells. */
export const PROPERTY_STATUSES = [
  'for sale',
  'under offer',
  'for rent',
  'sold',
  'rented',
  'owner-occupied',
  'unknown',
] as const;
export type PropertyStatus = (typeof PROPERTY_STATUSES)[number];

/** Days for which an open listing that nobody mentions counts as current. */
export const CURRENT_DAYS = { 'For Sale': 180, 'For Rent': 60 } as const;
/** Days after a sale during which the property is `sold`; then it is who lives there that counts. */
export const SOLD_DAYS = 180;
/** Days for which a home that was let counts as let. */
export const RENTED_DAYS = 3 * 365;

/** Facts of a history that the status follows from. */
export type StatusFacts = Pick<
  CanonicalEvent,
  'type' | 'date' | 'last_date' | 'end_date' | 'end_reason' | 'is_under_offer'
>;

/** A status, and the day since which it holds; null with `unknown`. */
export interface Standing {
  status: PropertyStatus;
  date: string | null;
}

/** SQL condition: the same of a row of events, as of a day, which is SQL too. */
export const currentListingSql = (as_of: string): string =>
  `type <> 'Sold' AND date <= ${as_of} AND end_date IS NULL AND last_date >= ${as_of} - CASE type ${Object.entries(
    CURRENT_DAYS,
  )
    .map(([type, days]) => `WHEN '${type}' THEN ${days}`)
    .join(' ')} END`;

/** The last of some events by a date; of equal ones the first given. */
const lastBy = (
  events: readonly StatusFacts[],
  date: (event: StatusFacts) => string,
): StatusFacts | undefined =>
  events.reduce<StatusFacts | undefined>(
    (best, each) => (!best || date(each) > date(best) ? each : best),
    undefined,
  );

/** Whether an event is a listing that is open as of a day, and was mentioned lately enough to count as current. */
export function isCurrentListing(event: StatusFacts, as_of: string): boolean {
  const { type, date, last_date, end_date } = event;
  if (type === 'Sold' || date > as_of || end_date !== null) return false;
  return last_date >= isoOfDay(dayOf(as_of) - CURRENT_DAYS[type]);
}

/**
 * The status of a property as of a day, by the first rule that holds:
 * 1. an open sale listing that was mentioned within 180 days: `for sale`, or `under offer`;
 * 2. an open rent listing that was mentioned within 60 days: `for rent`;
 * 3. sold within 180 days, and not let since: `sold`;
 * 4. let, or listed for rent (most such listings end without a word), within 3 years and since the last sale: `rented`;
 * 5. sold, and never offered for rent since: `owner-occupied`;
 * 6. else `unknown`.
 */
export function statusOf(history: readonly StatusFacts[], as_of: string): Standing {
  const past = history.filter(({ date }) => date <= as_of);
  const since = (days: number): string => isoOfDay(dayOf(as_of) - days);
  for (const type of ['For Sale', 'For Rent'] as const) {
    const open = past.filter((event) => event.type === type && isCurrentListing(event, as_of));
    const listing = lastBy(open, (event) => event.date);
    if (!listing) continue;
    if (type === 'For Rent') return { status: 'for rent', date: listing.date };
    return listing.is_under_offer
      ? { status: 'under offer', date: listing.last_date }
      : { status: 'for sale', date: listing.date };
  }
  const sale = lastBy(
    past.filter(({ type }) => type === 'Sold'),
    ({ date }) => date,
  );
  const endOf = ({ end_date, last_date }: StatusFacts): string => end_date ?? last_date;
  const offers = past.filter((event) => event.type === 'For Rent' && (!sale || endOf(event) >= sale.date));
  const let_ = lastBy(
    offers.filter(({ end_reason }) => end_reason !== 'withdrawn'),
    endOf,
  );
  if (sale && !let_ && sale.date >= since(SOLD_DAYS)) return { status: 'sold', date: sale.date };
  if (let_ && endOf(let_) >= since(RENTED_DAYS)) return { status: 'rented', date: endOf(let_) };
  if (sale && offers.length === 0) return { status: 'owner-occupied', date: sale.date };
  return { status: 'unknown', date: null };
}
