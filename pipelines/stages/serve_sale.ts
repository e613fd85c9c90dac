import { matchedEventAsset } from '../../schema/assets/event.ts';
import { addressHomeAsset } from '../../schema/assets/property.ts';
import { cellOf } from '../../schema/grid.ts';
import { propertyTable } from '../../schema/serving/property.ts';
import { propertyEventTable } from '../../schema/serving/property_event.ts';
import { saleTable } from '../../schema/serving/sale.ts';
import { ATTRIBUTE_COLUMNS, byWord, statedValuesAt } from '../../transforms/events/attributes.ts';
import { streetLine } from '../../transforms/finder_row.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';
import { byPid, groupBy } from './by_key.ts';

export const serveSaleStage = stage({
  name: 'serve_sale',
  version: 4,
  doc: 'Rows of serving.sale: the sales that are evidence of value, with the home as it was described at the time.',
  subject: 'property',
  by: 'key',
  inputs: {
    event: input(propertyEventTable, [
      'gnaf_pid',
      'event_id',
      'date',
      'settlement_date',
      'price',
      'is_evidence',
      'sources',
    ]),
    property: input(propertyTable, [
      'gnaf_pid',
      'state',
      'sa2',
      'sa3',
      'sal',
      'address',
      'flat_number',
      'number_first',
      'number_last',
      'lot_number',
      'street',
      'dwelling_type',
      'land_area_sqm',
      'lon',
      'lat',
    ]),
    region: input(addressHomeAsset, ['gnaf_pid', 'lga', 'poa']),
    record: input(matchedEventAsset, ATTRIBUTE_COLUMNS, { kind: 'own' }),
  },
  output: saleTable,
  compute({ event, property, region, record }, { cell, emit }) {
    const events = groupBy(
      event.filter(({ is_evidence }) => is_evidence),
      (row) => row.gnaf_pid,
    );
    const regions = byPid(region);
    const records = groupBy(record, (row) => row.gnaf_pid);
    let out = 0;
    for (const home of property) {
      const { gnaf_pid, state, sa2, sa3, sal, address, lon, lat } = home;
      const sales = events.get(gnaf_pid);
      if (sales === undefined) continue;
      const { lga, poa } = regions.get(gnaf_pid)!;
      const known = byWord(records.get(gnaf_pid)!);
      out++;
      for (const { event_id, date, settlement_date, price, sources } of sales) {
        const stated = statedValuesAt(known, date);
        emit({
          gnaf_pid,
          event_id,
          cell,
          state,
          sa2,
          sa3,
          sal,
          lga,
          poa,
          address,
          street: streetLine(home),
          date,
          settlement_date,
          price: price!,
          bedrooms: stated.bedrooms?.value ?? null,
          bathrooms: stated.bathrooms?.value ?? null,
          parking: stated.parking?.value ?? null,
          dwelling_type: stated.property_type?.value ?? home.dwelling_type,
          land_area_sqm: home.land_area_sqm ?? stated.land_area_sqm?.value ?? null,
          floor_area_sqm: stated.floor_area_sqm?.value ?? null,
          year_built: stated.year_built?.value ?? null,
          lon,
          lat,
          point_cell: lon === null ? null : cellOf(lon, lat!),
          sources,
        });
      }
    }
    const without = property.length - out;
    const drops: Record<string, number> = without > 0 ? { no_evidence: without } : {};
    return { account: { in: property.length, out, drops } };
  },
});
