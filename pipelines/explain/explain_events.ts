import type pg from 'pg';
import { qualified } from '../../schema/ddl.ts';
import { matchReviewTable } from '../../schema/serving/match_review.ts';
import { recordPlace } from './source_records.ts';

/** A record that reports an event: its file and line, and how it was matched. */
interface EventRecord {
  event_key: string;
  dataset: string;
  release: string;
  files: string[];
  source_no: number;
  /** File, and line or feature in it. */
  place: string;
  /** Rule and score of its match to the property; null: not in today's matches. */
  rule: string | null;
  score: number | null;
  record: Record<string, unknown>;
}

/** An event of a property with the records that report it. */
export interface ExplainedEvent {
  event_id: string;
  type: string;
  date: string;
  /** Why no valuation model uses the sale or rent; null: one does, or it is an offer, or dated from the valuation date on. */
  unused: string | null;
  records: EventRecord[];
}

/** An event of a unit or number missing from the address register, assigned to its parent. */
export interface ParentedEvent {
  event_key: string;
  type: string;
  date: string;
  /** As published; null: not stated. */
  address: string | null;
  /** Rule and score of its match to the parent. */
  rule: string;
  score: number;
}

interface ServedEvent {
  event_id: string;
  type: string;
  date: string;
  no_evidence: string | null;
  event_keys: string[];
}

/**
 * Reads the origins of a property's events, newest first. A record in several files is listed once for each. `unused`: rows of
 * serving.unused_sale.
 */
export async function explainEvents(
  client: pg.ClientBase,
  served: readonly Record<string, unknown>[],
  unused: readonly Record<string, unknown>[],
): Promise<ExplainedEvent[]> {
  const events = served as unknown as readonly ServedEvent[];
  const keys = events.flatMap(({ event_keys }) => event_keys);
  if (keys.length === 0) return [];
  const { rows: found } = await client.query(
    `SELECT r.event_key, l.dataset, l.release, r.source_no, l.part, l.adapter, l.accounts, r.file, m.rule, m.score,
       ARRAY(SELECT regexp_replace(f->>'path', '^.*/', '') FROM jsonb_array_elements(l.files) f) AS files,
       jsonb_strip_nulls(to_jsonb(r) - 'load_id' - 'source_no' - 'event_key' - 'month_partition' - 'description') AS record
     FROM record.market_event r JOIN control.load l USING (load_id)
       LEFT JOIN asset.matched_event m ON m.month_partition = r.month_partition AND m.event_key = r.event_key
     WHERE r.event_key = ANY ($1) ORDER BY r.event_key, l.dataset, l.part, r.source_no`,
    [keys],
  );
  const rows: EventRecord[] = found.map(({ part, adapter, accounts, file, ...row }) => ({
    ...row,
    place: recordPlace({ adapter, accounts, table: 'market_event', part, source_no: row.source_no, file }),
  }));
  const reasons = new Map(unused.map(({ event_id, reason }) => [event_id, reason as string]));
  return [...events]
    .sort((a, b) => (a.date < b.date ? 1 : a.date > b.date ? -1 : 0))
    .map(({ event_id, type, date, no_evidence, event_keys }) => ({
      event_id,
      type,
      date,
      unused: no_evidence ?? reasons.get(event_id) ?? null,
      records: rows.filter(({ event_key }) => event_keys.includes(event_key)),
    }));
}

/** Reads the events whose parent is a property, newest first, from the review table of a publication's schema. */
export async function explainParented(
  client: pg.ClientBase,
  schema: string | undefined,
  pid: string,
): Promise<ParentedEvent[]> {
  const { rows } = await client.query<ParentedEvent>(
    `SELECT event_key, event_type AS type, event_date::text AS date, address, rule, score
     FROM ${qualified(matchReviewTable, schema)} WHERE parent_pid = $1 ORDER BY event_date DESC, event_key`,
    [pid],
  );
  return rows;
}
