import type { CanonicalEvent } from './canonical.ts';
import { listingsOf } from './listings.ts';
import { byObservation, compareText, type MarketFacts } from './market_facts.ts';
import { saleEvents } from './sale_events.ts';

/** Keeps one record per event_key: a record with a corrected state is in two buckets. */
function oncePerKey(records: readonly MarketFacts[]): MarketFacts[] {
  const byKey = new Map<string, MarketFacts>();
  for (const record of [...records].sort(byObservation)) byKey.set(record.event_key, record);
  return [...byKey.values()];
}

/**
 * Returns the history of one property: every record belongs to exactly one event. Newest first, ties by type and id; the order of
 * the records does not matter.
 */
export function historyOf(facts: readonly MarketFacts[]): CanonicalEvent[] {
  const records = oncePerKey(facts);
  const sales = saleEvents(records.filter(({ event_type }) => event_type === 'sold'));
  return [...sales, ...listingsOf(records, sales)].sort(
    (a, b) =>
      compareText(b.date, a.date) || compareText(a.type, b.type) || compareText(a.event_id, b.event_id),
  );
}
