import { matchedEventAsset } from '../../../schema/assets/event.ts';
import { groupBy } from '../../../schema/group_by.ts';
import { propertyTable } from '../../../schema/serving/property.ts';
import { propertyEventTable } from '../../../schema/serving/property_event.ts';
import { historyOf } from '../../../transforms/events/history.ts';
import { FACT_COLUMNS } from '../../../transforms/events/market_facts.ts';
import { input } from '../../engine/input.ts';
import { stage } from '../../engine/stage.ts';

export const servePropertyEventStage = stage({
  name: 'serve_property_event',
  version: 1,
  doc: 'Rows of serving.property_event: the sales and listings of each property, every real event once.',
  subject: 'property',
  inputs: {
    property: input(propertyTable, ['gnaf_pid', 'state', 'sa2', 'sa3']),
    event: input(matchedEventAsset, FACT_COLUMNS, { kind: 'own' }),
  },
  output: propertyEventTable,
  compute({ property, event }, { cell, emit }) {
    const events = groupBy(event, (row) => row.gnaf_pid);
    let out = 0;
    for (const { gnaf_pid, state, sa2, sa3 } of property) {
      const ownEvents = events.get(gnaf_pid);
      if (!ownEvents) continue;
      const history = historyOf(ownEvents);
      if (history.length > 0) out++;
      for (const each of history) {
        const is_evidence = each.type === 'Sold' && each.price !== null && each.no_evidence === null;
        emit({ gnaf_pid, cell, state, sa2, sa3, ...each, is_evidence });
      }
    }
    const drops: Record<string, number> = out < property.length ? { no_event: property.length - out } : {};
    return { account: { in: property.length, out, drops } };
  },
});
