import { eventMatchAsset, matchedEventAsset } from '../../../schema/assets/event.ts';
import { homeOfAsset } from '../../../schema/assets/property.ts';
import { LISTING_FEATURES, marketEventRecord } from '../../../schema/records/market_event.ts';
import type { Row } from '../../../schema/table.ts';
import { latestRecords } from '../../../transforms/events/latest_record.ts';
import { PLACE_COLUMNS } from '../../../transforms/events/match_event.ts';
import { statedFeatures } from '../../../transforms/events/text_features.ts';
import { input } from '../../engine/input.ts';
import { stage } from '../../engine/stage.ts';
import { byPid } from '../addresses/by_key.ts';

/** Columns copied unchanged from the record. */
const FACTS = [
  'event_key',
  'source',
  'source_id',
  'event_type',
  'channel',
  'event_date',
  'settlement_date',
  'observed_at',
  'price',
  'price_low',
  'price_high',
  'no_evidence',
  'dealing_id',
  'bedrooms',
  'bathrooms',
  'parking',
  'property_type',
  'land_area_sqm',
  'floor_area_sqm',
  'year_built',
] as const satisfies readonly (keyof Row<typeof marketEventRecord>)[];
type EventFacts = Pick<Row<typeof marketEventRecord>, (typeof FACTS)[number]>;

const factsOf = (record: EventFacts): EventFacts =>
  Object.fromEntries(FACTS.map((name) => [name, record[name]])) as unknown as EventFacts;

export const matchedEventStage = stage({
  name: 'matched_event',
  version: 5,
  doc: 'The events matched to a served address, in the home cell of that address.',
  subject: 'match',
  inputs: {
    match: input(eventMatchAsset, ['event_key', 'status', 'gnaf_pid', 'score', 'rule']),
    event: input(marketEventRecord, [...PLACE_COLUMNS, ...FACTS, 'features', 'description']),
    address: input(homeOfAsset, ['gnaf_pid', 'cell'], {
      kind: 'named',
      column: 'gnaf_pid',
      of: (match: { gnaf_pid: string | null }) => match.gnaf_pid,
    }),
  },
  output: matchedEventAsset,
  params: () => ({ LISTING_FEATURES }),
  compute({ match, event, address }, { cell, emit }) {
    const addresses = byPid(address);
    const events = new Map(latestRecords(event).map((row) => [row.event_key, row]));
    let out = 0;
    const drops: Record<string, number> = {};
    const drop = (name: string): void => {
      drops[name] = (drops[name] ?? 0) + 1;
    };
    for (const { event_key, status, gnaf_pid, score, rule } of match) {
      const addressPlace = gnaf_pid === null ? undefined : addresses.get(gnaf_pid);
      if (!addressPlace) {
        if (status === 'matched') drop('match_not_served');
        else if (status === 'parent') drop('parent');
        else if (status === 'ambiguous') drop('ambiguous');
        else drop('no_match');
        continue;
      }
      const record = events.get(event_key)!;
      out++;
      // Keys before spreads: adding keys after a spread makes creating the object ten times as slow.
      emit({
        month_partition: cell,
        home: addressPlace.cell,
        gnaf_pid: addressPlace.gnaf_pid,
        score,
        rule,
        ...factsOf(record),
        ...statedFeatures(record.features, record.description),
      });
    }
    return { account: { in: match.length, out, drops } };
  },
});
