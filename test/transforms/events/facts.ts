import type { MarketFacts } from '../../../transforms/events/market_facts.ts';

let count = 0;

/** A matched record; what is left out is not stated. Its key is made of what it states unless it is given. */
export function fact(
  given: Partial<MarketFacts> & Pick<MarketFacts, 'event_type' | 'event_date'>,
): MarketFacts {
  const source = given.source ?? 'agency';
  const source_id = given.source_id ?? `id${count++}`;
  return {
    event_key: `feed|${source}|${source_id}|${given.event_type}|${given.event_date}`,
    gnaf_pid: 'GAVIC1',
    source,
    source_id,
    channel: given.event_type === 'leased' ? 'rent' : 'sale',
    settlement_date: null,
    observed_at: null,
    price: null,
    price_low: null,
    price_high: null,
    no_evidence: null,
    dealing_id: null,
    ...given,
  };
}

/** A sale as a register of transfers states it. */
export const registered = (
  event_date: string,
  settlement_date: string | null,
  price: number,
  more: Partial<MarketFacts> = {},
): MarketFacts =>
  fact({
    event_type: 'sold',
    source: 'register',
    source_id: `P1-${event_date}-${price}`,
    dealing_id: `D-${event_date}-${price}`,
    event_date,
    settlement_date,
    price,
    ...more,
  });
