import type { marketEventRecord, NO_EVIDENCE_REASONS } from '../../schema/records/market_event.ts';
import type { Row } from '../../schema/table.ts';
import type { EventNotes } from './market_event_notes.ts';
import type { DateOrder } from './words/dates.ts';
import type { RentBounds } from './words/rent.ts';

export type MarketEvent = Row<typeof marketEventRecord>;

/** Fields of an event as the source writes them; absent or '': not stated. */
export interface RawEvent {
  readonly source?: string;
  readonly source_id?: string;
  readonly event_type?: string;
  readonly channel?: string;
  readonly event_date?: string;
  readonly settlement_date?: string;
  readonly observed_at?: string;
  readonly state?: string;
  readonly address?: string;
  readonly unit?: string;
  readonly number?: string;
  readonly street?: string;
  readonly suburb?: string;
  readonly postcode?: string;
  readonly lot_plan?: string;
  readonly gnaf_pid?: string;
  readonly lon?: string;
  readonly lat?: string;
  readonly price?: string;
  readonly price_low?: string;
  readonly price_high?: string;
  readonly price_text?: string;
  readonly price_disclosed?: string;
  readonly price_period?: string;
  readonly dealing_id?: string;
  readonly bedrooms?: string;
  readonly bathrooms?: string;
  /** Total car spaces. */
  readonly parking?: string;
  readonly garages?: string;
  readonly carports?: string;
  readonly open_spaces?: string;
  readonly property_type?: string;
  /** Area with its unit, or in square metres. */
  readonly land_area?: string;
  readonly floor_area?: string;
  readonly year_built?: string;
  readonly features?: readonly string[] | null;
  readonly description?: string;
}

/** Settings for all events of a file. */
export interface EventContext {
  readonly dataset: string;
  readonly file: string;
  readonly date_order: DateOrder;
  /** First of the hundred years that years of two digits are in; null or absent: such years are not read. */
  readonly two_digit_years_from?: number | null;
  readonly rent_bounds: RentBounds;
  /** Date of the file, YYYY-MM-DD: a later event without observed_at is in the future. Null: unknown. */
  readonly as_of: string | null;
  /** State of rows that state none. */
  readonly state: string | null;
  readonly notes: EventNotes;
  /** Maximum days that an event may be after the day of the information; absent: one, for time zones. */
  readonly days_ahead?: number;
  /** Why the price is not evidence, apart from being nominal; null: it may be. */
  readonly noEvidence?: (typeof NO_EVIDENCE_REASONS)[number] | null;
}
