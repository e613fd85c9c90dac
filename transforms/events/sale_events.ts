import { type CanonicalEvent, distinct } from './canonical.ts';
import {
  byObservation,
  compareText,
  dayOfDate,
  isRegister,
  type MarketFacts,
  pricesAgree,
  SALE_PRICE_TOLERANCE,
} from './market_facts.ts';

/** Maximum days between two reports of one sale if their prices agree. */
const SAME_SALE_DAYS = 30;
/** Maximum days around a stated settlement for the same sale. */
const SETTLEMENT_DAYS = 14;
/** Maximum days between contract and settlement to join a settlement to a reported sale of equal price. */
const LONGEST_SETTLEMENT_DAYS = 183;
/** Maximum days in which a record replaces an earlier one of the same source and id; after that, the property was sold again. */
const CORRECTION_DAYS = 183;

/** A report of a sale with its day numbers. */
interface SaleReport {
  facts: MarketFacts;
  day: number;
  /** NaN: not stated. */
  settledOn: number;
  /** Whether the date is the settlement's, because the contract date is unknown. */
  settledOnly: boolean;
  register: boolean;
  /** Comparable price: for the whole of this property alone. Null: none. */
  price: number | null;
}

function saleOf(facts: MarketFacts): SaleReport {
  const settlementDay = facts.settlement_date === null ? Number.NaN : dayOfDate(facts.settlement_date);
  const day = dayOfDate(facts.event_date);
  return {
    facts,
    day,
    settledOn: settlementDay,
    settledOnly: settlementDay === day,
    register: isRegister(facts),
    price: facts.no_evidence === null && facts.price !== null && facts.price > 0 ? facts.price : null,
  };
}

const sameId = (a: MarketFacts, b: MarketFacts): boolean =>
  a.source === b.source && a.source_id === b.source_id;

/** Returns whether the date of b is close to the date of sale a, or to its settlement. */
function isNear(a: SaleReport, b: SaleReport): boolean {
  if (Math.abs(a.day - b.day) <= SAME_SALE_DAYS) return true;
  return !a.settledOnly && b.day > a.day && b.day <= a.settledOn + SETTLEMENT_DAYS;
}

/** Returns whether one is a settlement only, and the other an earlier contract at the same price. */
const isItsSettlement = (settlement: SaleReport, contract: SaleReport): boolean =>
  settlement.settledOnly &&
  !contract.settledOnly &&
  settlement.price !== null &&
  contract.price !== null &&
  settlement.day >= contract.day &&
  settlement.day - contract.day <= LONGEST_SETTLEMENT_DAYS;

/**
 * Returns whether two reports are of one sale, by the first rule that applies. Same source with dealings: equal dealings. Same
 * source and id within CORRECTION_DAYS: yes, the later one corrects. Prices that differ by more than SALE_PRICE_TOLERANCE: no.
 * Close dates, or a settlement after its contract at the same price: yes.
 * Prices of no-evidence reports are not compared.
 */
function isSameSale(a: SaleReport, b: SaleReport): boolean {
  const [x, y] = [a.facts, b.facts];
  if (x.dealing_id !== null && y.dealing_id !== null && x.source === y.source)
    return x.dealing_id === y.dealing_id;
  if (sameId(x, y) && Math.abs(a.day - b.day) <= CORRECTION_DAYS) return true;
  if (a.price !== null && b.price !== null && !pricesAgree(a.price, b.price, SALE_PRICE_TOLERANCE))
    return false;
  return isNear(a, b) || isNear(b, a) || isItsSettlement(a, b) || isItsSettlement(b, a);
}

/** Keeps reports that no later one of the same source and id, or dealing, corrects. */
function currentOf(sales: readonly SaleReport[]): SaleReport[] {
  const latest = new Map<string, SaleReport>();
  for (const sale of sales) {
    const { source, source_id, dealing_id } = sale.facts;
    const key = JSON.stringify(dealing_id === null ? [source, source_id] : [source, 'dealing', dealing_id]);
    const previous = latest.get(key);
    if (!previous || byObservation(previous.facts, sale.facts) < 0) latest.set(key, sale);
  }
  return [...latest.values()];
}

/** Registers before advertisements, contract dates before settlements, later observations before earlier ones. */
const byAuthority = (a: SaleReport, b: SaleReport): number =>
  Number(b.register) - Number(a.register) ||
  Number(a.settledOnly) - Number(b.settledOnly) ||
  byObservation(b.facts, a.facts);

function canonicalOf(group: readonly SaleReport[]): CanonicalEvent {
  const current = currentOf(group).sort(byAuthority);
  const dated = current.find(({ settledOnly }) => !settledOnly) ?? current[0]!;
  const evidence = current.find(({ price }) => price !== null);
  const priced = evidence ?? current.find(({ facts }) => facts.price !== null);
  const range = current.find(({ facts }) => facts.price_low !== null || facts.price_high !== null)?.facts;
  const reason = current.find(({ facts }) => facts.no_evidence !== null)?.facts.no_evidence ?? null;
  const price = priced?.facts.price ?? null;
  const { event_date } = dated.facts;
  return {
    event_id: current[0]!.facts.event_key,
    type: 'Sold',
    date: event_date,
    settlement_date:
      current.find(({ facts }) => facts.settlement_date !== null)?.facts.settlement_date ?? null,
    last_date: event_date,
    end_date: null,
    end_reason: null,
    is_under_offer: false,
    price,
    first_price: null,
    price_low: price === null ? (range?.price_low ?? null) : null,
    price_high: price === null ? (range?.price_high ?? null) : null,
    no_evidence: evidence ? null : (reason ?? 'no_price'),
    event_keys: distinct(group.map(({ facts }) => facts.event_key)),
    sources: distinct(group.map(({ facts }) => facts.source)),
  };
}

/** Adds each report to the group with the nearest report of the same sale; registers first, then by date and key. */
function group(sales: readonly SaleReport[]): SaleReport[][] {
  const groups: SaleReport[][] = [];
  for (const sale of sales) {
    let best: SaleReport[] | null = null;
    let least = Number.POSITIVE_INFINITY;
    for (const each of groups) {
      for (const other of each) {
        const days = Math.abs(other.day - sale.day);
        if (days < least && isSameSale(other, sale)) [best, least] = [each, days];
      }
    }
    if (best) best.push(sale);
    else groups.push([sale]);
  }
  return groups;
}

/** Marks conflicts: of two sales within SAME_SALE_DAYS at different prices, only the register's, else the later report, is evidence. */
function markConflicts(events: readonly { event: CanonicalEvent; lead: SaleReport }[]): void {
  const byWord = [...events].sort((a, b) => byAuthority(a.lead, b.lead));
  byWord.forEach(({ event }, i) => {
    if (event.no_evidence !== null) return;
    const day = dayOfDate(event.date);
    const stronger = byWord
      .slice(0, i)
      .some(
        ({ event: other }) =>
          other.no_evidence === null && Math.abs(dayOfDate(other.date) - day) <= SAME_SALE_DAYS,
      );
    if (stronger) event.no_evidence = 'price_conflict';
  });
}

/** Returns the sales of one property from all reports of them (event type sold), in any order. */
export function saleEvents(reports: readonly MarketFacts[]): CanonicalEvent[] {
  const sales = reports
    .map(saleOf)
    .sort(
      (a, b) =>
        Number(b.register) - Number(a.register) ||
        a.day - b.day ||
        compareText(a.facts.event_key, b.facts.event_key),
    );
  const events = group(sales).map((each) => ({
    event: canonicalOf(each),
    lead: currentOf(each).sort(byAuthority)[0]!,
  }));
  markConflicts(events);
  return events.map(({ event }) => event);
}
