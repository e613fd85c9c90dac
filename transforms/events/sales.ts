import { type CanonicalEvent, distinct } from './canonical.ts';
import {
  byObservation,
  compareText,
  dayOf,
  isRegister,
  type MarketFacts,
  pricesAgree,
  SALE_PRICE_TOLERANCE,
} from './market_facts.ts';

/** Days within which two reports of a sale are of the same one, where their prices do not differ. */
const SAME_SALE_DAYS = 30;
/** The same around a stated settlement. */
const SETTLEMENT_DAYS = 14;
/** Longest wait between contract and settlement for which an equal price joins a settlement to a sale that was reported. */
const LONGEST_SETTLEMENT_DAYS = 183;
/** A record of one source and id replaces an earlier one of so many days; beyond, the property was sold again. */
const CORRECTION_DAYS = 183;

/** A report of a sale with its days. */
interface SaleReport {
  facts: MarketFacts;
  day: number;
  /** NaN: not stated. */
  settled: number;
  /** The date is that of the settlement, because the contract date is not known. */
  settledOnly: boolean;
  register: boolean;
  /** Price that may be compared: of the whole of this property alone. */
  price: number | null;
}

function saleOf(facts: MarketFacts): SaleReport {
  const settled = facts.settlement_date === null ? Number.NaN : dayOf(facts.settlement_date);
  const day = dayOf(facts.event_date);
  return {
    facts,
    day,
    settled,
    settledOnly: settled === day,
    register: isRegister(facts),
    price: facts.no_evidence === null && facts.price !== null && facts.price > 0 ? facts.price : null,
  };
}

const sameId = (a: MarketFacts, b: MarketFacts): boolean =>
  a.source === b.source && a.source_id === b.source_id;

/** True where the date of b is that of the sale a, or of its settlement. */
function isNear(a: SaleReport, b: SaleReport): boolean {
  if (Math.abs(a.day - b.day) <= SAME_SALE_DAYS) return true;
  return !a.settledOnly && b.day > a.day && b.day <= a.settled + SETTLEMENT_DAYS;
}

/** True where one is a settlement only, and the other the contract that came before it, at the same price. */
const isItsSettlement = (settlement: SaleReport, contract: SaleReport): boolean =>
  settlement.settledOnly &&
  !contract.settledOnly &&
  settlement.price !== null &&
  contract.price !== null &&
  settlement.day >= contract.day &&
  settlement.day - contract.day <= LONGEST_SETTLEMENT_DAYS;

/**
 * Whether two reports are of one sale, by the first rule that says anything: their dealings; one source and id within
 * CORRECTION_DAYS (the later one corrects); prices that differ by more than SALE_PRICE_TOLERANCE are two sales; then near
 * dates, or a settlement after its contract at the same price. Prices of no-evidence reports are not compared.
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

/** Reports that are not corrected by a later one of the same source and id, or dealing. */
function currentOf(sales: readonly SaleReport[]): SaleReport[] {
  const latest = new Map<string, SaleReport>();
  for (const sale of sales) {
    const { source, source_id, dealing_id } = sale.facts;
    const key = JSON.stringify(dealing_id === null ? [source, source_id] : [source, 'dealing', dealing_id]);
    const known = latest.get(key);
    if (!known || byObservation(known.facts, sale.facts) < 0) latest.set(key, sale);
  }
  return [...latest.values()];
}

/** Registers before advertisements, contract dates before settlements, later observations before earlier ones. */
const byAuthority = (a: SaleReport, b: SaleReport): number =>
  Number(b.register) - Number(a.register) ||
  Number(a.settledOnly) - Number(b.settledOnly) ||
  byObservation(b.facts, a.facts);

/** The sale that a group of reports is about. */
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

/** Joins each report to the group with the nearest report of the same sale; registers first, then by date and key. */
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

/** Of two sales within SAME_SALE_DAYS at different prices, only the one of a register, else the later report, is evidence. */
function markConflicts(events: readonly { event: CanonicalEvent; lead: SaleReport }[]): void {
  const byWord = [...events].sort((a, b) => byAuthority(a.lead, b.lead));
  byWord.forEach(({ event }, i) => {
    if (event.no_evidence !== null) return;
    const day = dayOf(event.date);
    const stronger = byWord
      .slice(0, i)
      .some(
        ({ event: other }) =>
          other.no_evidence === null && Math.abs(dayOf(other.date) - day) <= SAME_SALE_DAYS,
      );
    if (stronger) event.no_evidence = 'price_conflict';
  });
}

/** The sales of one property from all reports of them (event type sold), in no particular order. */
export function salesOf(reports: readonly MarketFacts[]): CanonicalEvent[] {
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
