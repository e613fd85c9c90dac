import { eventMatchAsset } from '../../../schema/assets/event.ts';
import { stateOfBucket } from '../../../schema/event_bucket.ts';
import { marketEventRecord } from '../../../schema/records/market_event.ts';
import { openIndex } from '../../../transforms/address/match/address_index.ts';
import { latestRecords } from '../../../transforms/events/latest_record.ts';
import { EventMatcher, NO_ADDRESSES, PLACE_COLUMNS } from '../../../transforms/events/match_event.ts';
import { input } from '../../engine/input.ts';
import { stage } from '../../engine/stage.ts';
import { readStoredSections, STORED_INDEX } from './stored_index.ts';

export const eventMatchStage = stage({
  name: 'event_match',
  version: 6,
  doc: 'The address of each market event: its text, coordinates, lot on plan and given id against the addresses of its state.',
  subject: 'event',
  inputs: {
    event: input(marketEventRecord, PLACE_COLUMNS),
    ...STORED_INDEX,
  },
  output: eventMatchAsset,
  resource: {
    keyOf: (cell) => stateOfBucket(cell) ?? '',
    /** Builds the matcher of a state ('': all states); null: none of its addresses is loaded. */
    async build(reader, state) {
      const sections = await readStoredSections(reader, state || null);
      return sections === null ? null : new EventMatcher(openIndex(sections));
    },
  },
  compute({ event }, { cell, resource, emit }) {
    const latest = latestRecords(event);
    for (const eventPlace of latest) {
      const { event_key } = eventPlace;
      emit({
        month_partition: cell,
        event_key,
        ...(resource === null ? NO_ADDRESSES : resource.match(eventPlace)),
      });
    }
    const repeated = event.length - latest.length;
    const drops: Record<string, number> = repeated > 0 ? { superseded: repeated } : {};
    return { account: { in: event.length, out: latest.length, drops } };
  },
});
