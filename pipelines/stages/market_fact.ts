import { marketFactAsset } from '../../schema/assets/market.ts';
import { addressHomeAsset } from '../../schema/assets/property.ts';
import { valuationDayAsset, valuationHomeAsset } from '../../schema/assets/valuation.ts';
import { propertyEventTable } from '../../schema/serving/property_event.ts';
import { isCurrentListing, type StatusFacts } from '../../transforms/events/status.ts';
import { finderType } from '../../transforms/finder_row.ts';
import { dayNumber, isoOfDay } from '../../transforms/stats/calendar.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';
import { byPid, groupBy } from './by_key.ts';

const lastDayBefore = (date: string): string => isoOfDay(dayNumber(date) - 1);

const KINDS = { Sold: 'sale', 'For Rent': 'rent', 'For Sale': 'listing' } as const;

export const marketFactStage = stage({
  name: 'market_fact',
  version: 4,
  doc: 'The sales, rents and listings before the day of valuation that market figures are made of.',
  subject: 'home',
  by: 'key',
  inputs: {
    event: input(propertyEventTable, [
      'gnaf_pid',
      'event_id',
      'type',
      'date',
      'last_date',
      'end_date',
      'end_reason',
      'is_under_offer',
      'price',
      'is_evidence',
    ]),
    home: input(valuationHomeAsset, ['gnaf_pid', 'state', 'dwelling_type']),
    region: input(addressHomeAsset, ['gnaf_pid', 'sal_name', 'sa1', 'sa2', 'sa3', 'lga', 'poa']),
    day: input(valuationDayAsset, ['as_of'], { kind: 'all' }),
  },
  output: marketFactAsset,
  compute({ event, home, region, day }, { cell, emit }) {
    const events = groupBy(event, (row) => row.gnaf_pid);
    const regions = byPid(region);
    const as_of = day[0]?.as_of ?? '';
    let out = 0;
    for (const { gnaf_pid, state, dwelling_type } of home) {
      const market = finderType(dwelling_type);
      if (market === null) continue;
      const facts = (events.get(gnaf_pid) ?? []).filter(
        ({ type, date, is_evidence }) => date < as_of && (type !== 'Sold' || is_evidence),
      );
      if (facts.length === 0) continue;
      const { sal_name, sa1, sa2, sa3, lga, poa } = regions.get(gnaf_pid)!;
      out++;
      for (const each of facts) {
        const { event_id, type, date, end_date, end_reason, price } = each;
        const kind = KINDS[type as keyof typeof KINDS];
        const ended = kind !== 'sale' && end_date !== null && end_date < as_of;
        const open = { ...each, end_date: ended ? end_date : null } as StatusFacts;
        emit({
          cell,
          gnaf_pid,
          event_id,
          kind,
          market,
          date,
          price: kind === 'listing' ? null : price,
          end_date: ended ? end_date : null,
          is_sold: ended && end_reason === 'sold',
          is_current: isCurrentListing(open, lastDayBefore(as_of)),
          state,
          sal: sal_name,
          sa1,
          sa2,
          sa3,
          lga,
          poa,
        });
      }
    }
    const without = home.length - out;
    const drops: Record<string, number> = without > 0 ? { no_market_event: without } : {};
    return { account: { in: home.length, out, drops } };
  },
});
