import { eventMonthAsset, matchedEventAsset } from '../../schema/assets/event.ts';
import { LISTING_FEATURES } from '../../schema/records/market_event.ts';
import { propertyTable } from '../../schema/serving/property.ts';
import { propertyBasicsTable } from '../../schema/serving/property_basics.ts';
import { propertyEventTable } from '../../schema/serving/property_event.ts';
import type { Row } from '../../schema/table.ts';
import {
  ATTRIBUTE_COLUMNS,
  type AttributeRecord,
  byWord,
  statedFeaturesOf,
  statedValues,
} from '../../transforms/events/attributes.ts';
import {
  isCurrentListing,
  type Standing,
  type StatusFacts,
  statusOf,
} from '../../transforms/events/status.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';
import { groupBy } from './by_key.ts';

const HISTORY_COLUMNS = [
  'gnaf_pid',
  'type',
  'date',
  'last_date',
  'end_date',
  'end_reason',
  'is_under_offer',
  'price',
  'price_low',
  'price_high',
  'is_evidence',
] as const;
type History = Pick<Row<typeof propertyEventTable>, (typeof HISTORY_COLUMNS)[number]>[];

/** The latest sale and listings of a history that is newest first; the listing date is that of a listing that is on the market. */
function latestOf(history: History, as_of: string) {
  const listing = history.find((event) => isCurrentListing(event as StatusFacts, as_of));
  const offer = history.find(({ type }) => type === 'For Sale');
  const sale = history.find(({ is_evidence }) => is_evidence);
  const rent = history.find(({ type, price }) => type === 'For Rent' && price !== null);
  return {
    listing_date: listing?.date ?? null,
    asking_price: offer?.price ?? null,
    asking_low: offer?.price_low ?? null,
    asking_high: offer?.price_high ?? null,
    sale_date: sale?.date ?? null,
    sale_price: sale?.price ?? null,
    rent_date: rent?.date ?? null,
    rent_pw: rent?.price ?? null,
  };
}

/** What the records of a property say of the home. */
function describe(records: readonly AttributeRecord[]) {
  const ordered = byWord(records);
  const { bedrooms, bathrooms, parking, property_type, land_area_sqm, floor_area_sqm, year_built } =
    statedValues(ordered);
  const { features, date: features_date } = statedFeaturesOf(ordered);
  return {
    bedrooms: bedrooms?.value ?? null,
    bedrooms_date: bedrooms?.date ?? null,
    bedrooms_source: bedrooms?.source ?? null,
    bathrooms: bathrooms?.value ?? null,
    bathrooms_date: bathrooms?.date ?? null,
    bathrooms_source: bathrooms?.source ?? null,
    parking: parking?.value ?? null,
    parking_date: parking?.date ?? null,
    parking_source: parking?.source ?? null,
    dwelling_type: property_type?.value ?? null,
    dwelling_type_date: property_type?.date ?? null,
    dwelling_type_source: property_type?.source ?? null,
    advertised_land_sqm: land_area_sqm?.value ?? null,
    advertised_land_date: land_area_sqm?.date ?? null,
    advertised_land_source: land_area_sqm?.source ?? null,
    floor_area_sqm: floor_area_sqm?.value ?? null,
    floor_area_date: floor_area_sqm?.date ?? null,
    floor_area_source: floor_area_sqm?.source ?? null,
    year_built: year_built?.value ?? null,
    year_built_date: year_built?.date ?? null,
    year_built_source: year_built?.source ?? null,
    ...features,
    features_date,
  };
}

export const servePropertyBasicsStage = stage({
  name: 'serve_property_basics',
  version: 2,
  doc: 'Rows of serving.property_basics: what listings say of each property, and its standing on the market.',
  subject: 'property',
  by: 'key',
  inputs: {
    property: input(propertyTable, ['gnaf_pid', 'state', 'sa2', 'sa3']),
    record: input(matchedEventAsset, ATTRIBUTE_COLUMNS, { kind: 'own' }),
    event: input(propertyEventTable, HISTORY_COLUMNS),
    month: input(eventMonthAsset, ['as_of'], { kind: 'all' }),
  },
  output: propertyBasicsTable,
  params: () => ({ LISTING_FEATURES }),
  compute({ property, record, event, month }, { cell, emit }) {
    const records = groupBy(record, (row) => row.gnaf_pid);
    const histories = groupBy(event, (row) => row.gnaf_pid);
    let out = 0;
    for (const { gnaf_pid, state, sa2, sa3 } of property) {
      const own = records.get(gnaf_pid);
      if (!own) continue;
      const history = (histories.get(gnaf_pid) ?? []).sort((a, b) =>
        a.date > b.date ? -1 : a.date < b.date ? 1 : 0,
      );
      const { as_of } = month[0]!;
      const standing: Standing = statusOf(history as StatusFacts[], as_of);
      out++;
      emit({
        gnaf_pid,
        cell,
        state,
        sa2,
        sa3,
        ...describe(own),
        status: standing.status,
        status_date: standing.date,
        ...latestOf(history, as_of),
      });
    }
    const without = property.length - out;
    const drops: Record<string, number> = without > 0 ? { no_event: without } : {};
    return { account: { in: property.length, out, drops } };
  },
});
