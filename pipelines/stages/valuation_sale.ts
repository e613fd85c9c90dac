import { matchedEventAsset } from '../../schema/assets/event.ts';
import {
  VALUATION_KINDS,
  valuationDayAsset,
  valuationHomeAsset,
  valuationSaleAsset,
} from '../../schema/assets/valuation.ts';
import { modelPartition } from '../../schema/model_partition.ts';
import { evidenceDayRecord, evidenceSaleRecord } from '../../schema/records/evidence.ts';
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
import { type StageResult, stage } from '../engine/stage.ts';
import { byPid, groupBy } from './by_key.ts';

const HOME_COLUMNS = Object.keys(valuationHomeAsset.columns) as (keyof typeof valuationHomeAsset.columns)[];
/** Columns of the evidence that was written down, as they are emitted. */
const WRITTEN_COLUMNS = Object.keys(evidenceSaleRecord.columns).filter(
  (name) => name !== 'load_id' && name !== 'source_no',
) as Exclude<keyof typeof evidenceSaleRecord.columns, 'load_id' | 'source_no'>[];
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

/**
 * Emits the evidence of a cell as it was written down, sales of homes that are gone since among it. Of the events as they are today those
 * count that it has.
 */
function emitWritten(
  event: readonly Pick<Row<typeof propertyEventTable>, 'gnaf_pid' | 'event_id' | 'type'>[],
  written: readonly Omit<Row<typeof evidenceSaleRecord>, 'load_id' | 'source_no'>[],
  oldest: string,
  emit: (row: Row<typeof valuationSaleAsset>) => void,
): StageResult {
  const known = new Set<string>();
  for (const sale of written) {
    const kind = sale.kind as ValuationKind;
    known.add(`${kind} ${sale.gnaf_pid} ${sale.event_id}`);
    const is_recent = sale.date >= oldest;
    emit({ ...sale, model_partition: modelPartition(kind, sale.state), is_recent });
  }
  let out = 0;
  for (const { gnaf_pid, event_id, type } of event)
    if (known.has(`${kindOf(type)} ${gnaf_pid} ${event_id}`)) out++;
  const later = event.length - out;
  return { account: { in: event.length, out, drops: later > 0 ? { not_in_evidence: later } : {} } };
}

export const valuationSaleStage = stage({
  name: 'valuation_sale',
  version: 5,
  doc: 'The sales and rents before the day of valuation, each with its home as it was described then: by records before that day, so that a night of listings makes no model anew. Where evidence is loaded that was written down, that and nothing else.',
  subject: 'event',
  alsoOf: 'written',
  inputs: {
    event: input(propertyEventTable, ['gnaf_pid', 'event_id', 'type', 'date', 'price'], { kind: 'own' }, [
      { type: 'Sold', is_evidence: true },
      { type: 'For Rent', price: { not: null } },
    ]),
    record: input(matchedEventAsset, ATTRIBUTE_COLUMNS, { kind: 'own' }),
    property: input(propertyTable, ['gnaf_pid', 'dwelling_type', 'land_area_sqm']),
    home: input(valuationHomeAsset, HOME_COLUMNS),
    day: input(valuationDayAsset, ['as_of'], { kind: 'all' }),
    written: input(evidenceSaleRecord, WRITTEN_COLUMNS),
    written_day: input(evidenceDayRecord, ['as_of'], { kind: 'all' }),
  },
  output: valuationSaleAsset,
  params: () => ({ VALUATION_KINDS }),
  compute({ event, record, property, home, day, written, written_day }, { cell, emit }) {
    const as_of = day[0]?.as_of ?? '';
    const oldest = as_of === '' ? '' : isoOfDay(dayNumber(as_of) - COMPARABLES.max_age_days);
    // Without any sale or rent there is no day of valuation, whatever was written down.
    if (written_day.length > 0 && as_of !== '') return emitWritten(event, written, oldest, emit);
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
