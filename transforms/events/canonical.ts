/** What a record of the history is. */
const HISTORY_TYPES = ['Sold', 'For Sale', 'For Rent'] as const;
type HistoryType = (typeof HISTORY_TYPES)[number];

/** Why a listing came to an end. */
const END_REASONS = ['sold', 'leased', 'withdrawn', 'relisted'] as const;
export type EndReason = (typeof END_REASONS)[number];

/** One real event of a property: a sale, or a listing from its first day to its last. */
export interface CanonicalEvent {
  /** event_key of the record that leads. */
  event_id: string;
  type: HistoryType;
  /** Of a sale the contract date, else the settlement; of a listing its first day. */
  date: string;
  settlement_date: string | null;
  /** Last day on which a source says anything of a listing; of a sale its date. */
  last_date: string;
  /** Day on which a listing ended; null: it has not, and on sales. */
  end_date: string | null;
  end_reason: EndReason | null;
  is_under_offer: boolean;
  /** Sale price, last asking price, or weekly rent. */
  price: number | null;
  /** Asking price or rent of the first day. */
  first_price: number | null;
  price_low: number | null;
  price_high: number | null;
  /** Why a sale is no evidence of value; null: it is, and on listings. */
  no_evidence: string | null;
  /** Records that say so, ascending; each record belongs to one event. */
  event_keys: string[];
  /** Their feeds, ascending. */
  sources: string[];
}

/** Distinct texts in code-unit order. */
export const distinct = (texts: readonly string[]): string[] => [...new Set(texts)].sort();
