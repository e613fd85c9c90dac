import { compareText } from './market_facts.ts';
import { type EventPlace, PLACE_COLUMNS } from './match_event.ts';

const placeText = (row: EventPlace): string => JSON.stringify(PLACE_COLUMNS.map((name) => row[name]));

/** Order in which records of one event replace each other: by observation, ties by content, so that the order of files does not matter. */
const byObservationAndContent = (a: EventPlace, b: EventPlace): number =>
  compareText(a.observed_at, b.observed_at) ||
  compareText(placeText(a), placeText(b)) ||
  compareText(JSON.stringify(a), JSON.stringify(b));

/** Keeps the latest observation of each event_key; several files may report one event. Order: first appearance. */
export function latestRecords<T extends EventPlace>(rows: readonly T[]): T[] {
  const latest = new Map<string, T>();
  for (const row of rows) {
    const previous = latest.get(row.event_key);
    if (!previous || byObservationAndContent(previous, row) < 0) latest.set(row.event_key, row);
  }
  return [...latest.values()];
}
