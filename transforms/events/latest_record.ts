import { compareText } from './market_facts.ts';
import { type EventPlace, PLACE_COLUMNS } from './match_event.ts';

const placeText = (row: EventPlace): string => JSON.stringify(PLACE_COLUMNS.map((name) => row[name]));

/** Order in which records of one event replace each other: by observation; of one time, by what they say, so that the order of files changes nothing. */
const byObservationAndContent = (a: EventPlace, b: EventPlace): number =>
  compareText(a.observed_at, b.observed_at) ||
  compareText(placeText(a), placeText(b)) ||
  compareText(JSON.stringify(a), JSON.stringify(b));

/** Of records with one event_key, which several files may tell, the one that was observed last. In the order of the first ones. */
export function latestRecords<T extends EventPlace>(rows: readonly T[]): T[] {
  const latest = new Map<string, T>();
  for (const row of rows) {
    const known = latest.get(row.event_key);
    if (!known || byObservationAndContent(known, row) < 0) latest.set(row.event_key, row);
  }
  return [...latest.values()];
}
