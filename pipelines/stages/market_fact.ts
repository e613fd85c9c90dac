import { addressRegionAsset } from '../../schema/assets.ts';
import { marketFactAsset } from '../../schema/market_assets.ts';
import { propertyEventTable } from '../../schema/serving/property_event.ts';
import type { Row } from '../../schema/table.ts';
import { valuationDayAsset, valuationHomeAsset } from '../../schema/valuation_assets.ts';
import { finderType } from '../../transforms/finder_row.ts';
import { input, stage } from '../engine/stage.ts';
import { byPid } from './by_key.ts';

const KINDS = { Sold: 'sale', 'For Rent': 'rent', 'For Sale': 'listing' } as const;

export const marketFactStage = stage({
  name: 'market_fact',
  version: 2,
  doc: 'The sales, rents and listings before the day of valuation that market figures are made of.',
  subject: 'event',
  inputs: {
    event: input(propertyEventTable, [
      'gnaf_pid',
      'event_id',
      'type',
      'date',
      'end_date',
      'end_reason',
      'price',
      'is_evidence',
    ]),
    home: input(valuationHomeAsset, ['gnaf_pid', 'state', 'dwelling_type']),
    region: input(addressRegionAsset, ['gnaf_pid', 'sal_name', 'sa1', 'sa2', 'sa3', 'lga', 'poa']),
    day: input(valuationDayAsset, ['as_of'], { kind: 'all' }),
  },
  output: marketFactAsset,
  compute({ event, home, region, day }, { cell }) {
    const homes = byPid(home);
    const regions = byPid(region);
    const as_of = day[0]?.as_of ?? '';
    const rows: Row<typeof marketFactAsset>[] = [];
    const drops: Record<string, number> = {};
    const drop = (name: string): void => {
      drops[name] = (drops[name] ?? 0) + 1;
    };
    for (const { gnaf_pid, event_id, type, date, end_date, end_reason, price, is_evidence } of event) {
      const kind = KINDS[type as keyof typeof KINDS];
      const { state, dwelling_type } = homes.get(gnaf_pid)!;
      const market = finderType(dwelling_type);
      if (date >= as_of) drop('after_valuation_day');
      else if (market === null) drop('no_market');
      else if (kind === 'sale' ? !is_evidence : kind === 'rent' && price === null) drop('no_evidence');
      else {
        const { sal_name, sa1, sa2, sa3, lga, poa } = regions.get(gnaf_pid)!;
        const ended = kind === 'listing' && end_date !== null && end_date < as_of;
        rows.push({
          cell,
          gnaf_pid,
          event_id,
          kind,
          market,
          date,
          price: kind === 'listing' ? null : price,
          end_date: ended ? end_date : null,
          is_sold: ended && end_reason === 'sold',
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
    return { rows, account: { in: event.length, out: rows.length, drops } };
  },
});
