import { eventMatchAsset } from '../../../schema/assets/event.ts';
import { marketEventRecord } from '../../../schema/records/market_event.ts';
import { matchReviewTable } from '../../../schema/serving/match_review.ts';
import { latestRecords } from '../../../transforms/events/latest_record.ts';
import { PLACE_COLUMNS } from '../../../transforms/events/match_event.ts';
import { input } from '../../engine/input.ts';
import { stage } from '../../engine/stage.ts';

/** Joins the fields of an address to one line; null: none is stated. */
function joinedText(unit: string | null, number: string | null, ...rest: (string | null)[]): string | null {
  const first = [unit, number].filter((part) => part !== null).join('/');
  const parts = [first, ...rest].filter((part) => part !== null && part !== '');
  return parts.length === 0 ? null : parts.join(' ');
}

export const serveMatchReviewStage = stage({
  name: 'serve_match_review',
  version: 2,
  doc: 'Rows of serving.match_review: the events without one certain address.',
  subject: 'match',
  inputs: {
    match: input(eventMatchAsset, [
      'event_key',
      'status',
      'parent_pid',
      'rule',
      'score',
      'margin',
      'candidates',
    ]),
    event: input(marketEventRecord, [...PLACE_COLUMNS, 'source', 'source_id', 'event_type', 'event_date']),
  },
  output: matchReviewTable,
  compute({ match, event }, { cell, emit }) {
    const events = new Map(latestRecords(event).map((row) => [row.event_key, row]));
    let out = 0;
    for (const { event_key, status, parent_pid, rule, score, margin, candidates } of match) {
      if (status === 'matched') continue;
      const { source, source_id, event_type, event_date, state, given_pid, lon, lat, ...place } =
        events.get(event_key)!;
      const address =
        place.address ??
        joinedText(place.unit, place.number, place.street, place.suburb, state, place.postcode);
      out++;
      emit({
        event_key,
        month_partition: cell,
        source,
        source_id,
        event_type,
        event_date,
        state,
        address,
        given_pid,
        lon,
        lat,
        status,
        parent_pid,
        rule,
        score,
        margin,
        candidates,
      });
    }
    const drops: Record<string, number> = out < match.length ? { matched: match.length - out } : {};
    return { account: { in: match.length, out, drops } };
  },
});
