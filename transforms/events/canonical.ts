/** Type of an event in the history. */
const HISTORY_TYPES = ['Sold', 'For Sale', 'For Rent'] as const;
type HistoryType = (typeof HISTORY_TYPES)[number];

/** Reason why a listing ended. */
const END_REASONS = ['sold', 'leased', 'withdrawn', 'relisted'] as const;
export type EndReason = (typeof END_REASONS)[number];

/** One real event of a property: a sale, or a listing from its first day to its last. */
export interface CanonicalEvent {
  /** event_key of the leading record. */
  event_id: string;
  type: HistoryType;
  /** Sale: the contract date, else the settlement. Listing: its first day. */
  date: string;
  settlement_date: string | null;
  /** Listing: last day on which a source mentions it. Sale: its date. */
  last_date: string;
  /** Day on which a listing ended. Null: still open, or a sale. */
  end_date: string | null;
  end_reason: EndReason | null;
  is_under_offer: boolean;
  /** Sale price, last asking price, or weekly rent. */
  price: number | null;
  /** Asking price or rent of the first day. */
  first_price: number | null;
  price_low: number | null;
  price_high: number | null;
  /** Reason why a sale is not evidence of value. Null: it is, or a listing. */
  no_evidence: string | null;
  /** Keys of the records that report it, ascending; each record belongs to one event. */
  event_keys: string[];
  /** Their feeds, ascending. */
  sources: string[];
}

/** Returns the distinct texts in code-unit order. */
export const distinct = (texts: readonly string[]): string[] => [...new Set(texts)].sort();
