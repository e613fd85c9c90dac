import { propertyEventTable } from '../../schema/serving/property_event.ts';
import { saleTable } from '../../schema/serving/sale.ts';
import type { Row } from '../../schema/table.ts';
import { valuationDayAsset, valuationHomeAsset, valuationSaleAsset } from '../../schema/valuation_assets.ts';
import { input, stage } from '../engine/stage.ts';
import { byPid } from './by_key.ts';

const HOME_COLUMNS = Object.keys(valuationHomeAsset.columns) as (keyof typeof valuationHomeAsset.columns)[];

export const valuationSaleStage = stage({
  name: 'valuation_sale',
  version: 1,
  doc: 'The sales and rents before the day of valuation, each with its home: a sale with the home as it was described then.',
  subject: 'event',
  inputs: {
    event: input(
      propertyEventTable,
      ['gnaf_pid', 'event_id', 'type', 'date', 'price'],
      { kind: 'own' },
      "(type = 'Sold' AND is_evidence) OR (type = 'For Rent' AND price IS NOT NULL)",
    ),
    sale: input(saleTable, [
      'gnaf_pid',
      'event_id',
      'bedrooms',
      'bathrooms',
      'parking',
      'dwelling_type',
      'land_area_sqm',
      'floor_area_sqm',
      'year_built',
    ]),
    home: input(valuationHomeAsset, HOME_COLUMNS),
    day: input(valuationDayAsset, ['as_of'], { kind: 'all' }),
  },
  output: valuationSaleAsset,
  compute({ event, sale, home, day }, { cell }) {
    const homes = byPid(home);
    const sales = new Map(sale.map((row) => [`${row.gnaf_pid}|${row.event_id}`, row]));
    const as_of = day[0]?.as_of ?? '';
    const rows: Row<typeof valuationSaleAsset>[] = [];
    for (const { gnaf_pid, event_id, type, date, price } of event) {
      if (date >= as_of) continue;
      const own = sales.get(`${gnaf_pid}|${event_id}`);
      const described = own && {
        bedrooms: own.bedrooms,
        bathrooms: own.bathrooms,
        parking: own.parking,
        dwelling_type: own.dwelling_type,
        land_area_sqm: own.land_area_sqm,
        floor_area_sqm: own.floor_area_sqm,
        year_built: own.year_built,
      };
      rows.push({
        ...homes.get(gnaf_pid)!,
        ...described,
        cell,
        kind: type === 'Sold' ? 'sale' : 'rent',
        event_id,
        date,
        price: price!,
      });
    }
    const later = event.length - rows.length;
    const drops: Record<string, number> = later > 0 ? { after_valuation_day: later } : {};
    return { rows, account: { in: event.length, out: rows.length, drops } };
  },
});
