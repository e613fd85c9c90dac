import { matchedEventAsset } from '../../schema/assets/event.ts';
import {
  VALUATION_KINDS,
  valuationDayAsset,
  valuationHomeAsset,
  valuationSaleAsset,
} from '../../schema/assets/valuation.ts';
import { modelPartition } from '../../schema/model_partition.ts';
import { propertyTable } from '../../schema/serving/property.ts';
import { propertyEventTable } from '../../schema/serving/property_event.ts';
import type { Row } from '../../schema/table.ts';
import type { ValuationKind } from '../../transforms/avm/model.ts';
import { COMPARABLES } from '../../transforms/cma/comparables.ts';
import {
  ATTRIBUTE_COLUMNS,
  type AttributeRecord,
  byWord,
  statedValuesAt,
} from '../../transforms/events/attributes.ts';
import { dayNumber, isoOfDay } from '../../transforms/stats/calendar.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';
import { byPid, groupBy } from './by_key.ts';

const HOME_COLUMNS = Object.keys(valuationHomeAsset.columns) as (keyof typeof valuationHomeAsset.columns)[];
type Property = Pick<Row<typeof propertyTable>, 'dwelling_type' | 'land_area_sqm'>;

const kindOf = (type: string): ValuationKind => (type === 'Sold' ? 'sale' : 'rent');

/** The home as it was described on a day, by records in the order of byWord. */
function describedOn(records: readonly AttributeRecord[], property: Property, date: string) {
  const stated = statedValuesAt(records, date);
  return {
    bedrooms: stated.bedrooms?.value ?? null,
    bathrooms: stated.bathrooms?.value ?? null,
    parking: stated.parking?.value ?? null,
    dwelling_type: stated.property_type?.value ?? property.dwelling_type,
    land_area_sqm: property.land_area_sqm ?? stated.land_area_sqm?.value ?? null,
    floor_area_sqm: stated.floor_area_sqm?.value ?? null,
    year_built: stated.year_built?.value ?? null,
  };
}

export const valuationSaleStage = stage({
  name: 'valuation_sale',
  version: 6,
  doc: 'The sales and rents before the day of valuation, each with its home as it was described then: by records before that day.',
  subject: 'event',
  inputs: {
    event: input(propertyEventTable, ['gnaf_pid', 'event_id', 'type', 'date', 'price'], { kind: 'own' }, [
      { type: 'Sold', is_evidence: true },
      { type: 'For Rent', price: { not: null } },
    ]),
    record: input(matchedEventAsset, ATTRIBUTE_COLUMNS, { kind: 'own' }),
    property: input(propertyTable, ['gnaf_pid', 'dwelling_type', 'land_area_sqm']),
    home: input(valuationHomeAsset, HOME_COLUMNS),
    day: input(valuationDayAsset, ['as_of'], { kind: 'all' }),
  },
  output: valuationSaleAsset,
  params: () => ({ VALUATION_KINDS }),
  compute({ event, record, property, home, day }, { cell, emit }) {
    const as_of = day[0]?.as_of ?? '';
    const oldest = as_of === '' ? '' : isoOfDay(dayNumber(as_of) - COMPARABLES.max_age_days);
    const [homes, properties] = [byPid(home), byPid(property)];
    const known = groupBy(
      record.filter(({ event_date }) => event_date < as_of),
      (row) => row.gnaf_pid,
    );
    let out = 0;
    for (const { gnaf_pid, event_id, type, date, price } of event) {
      if (date >= as_of) continue;
      const kind = kindOf(type);
      const own = homes.get(gnaf_pid)!;
      out++;
      emit({
        ...own,
        ...describedOn(byWord(known.get(gnaf_pid) ?? []), properties.get(gnaf_pid)!, date),
        cell,
        kind,
        event_id,
        date,
        price: price!,
        model_partition: modelPartition(kind, own.state),
        is_recent: date >= oldest,
      });
    }
    const later = event.length - out;
    const drops: Record<string, number> = later > 0 ? { after_valuation_day: later } : {};
    return { account: { in: event.length, out, drops } };
  },
});
