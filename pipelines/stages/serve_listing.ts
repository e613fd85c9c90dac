import { eventMonthAsset } from '../../schema/assets/event.ts';
import { addressHomeAsset } from '../../schema/assets/property.ts';
import { listingTable } from '../../schema/serving/listing.ts';
import { propertyTable } from '../../schema/serving/property.ts';
import { propertyBasicsTable } from '../../schema/serving/property_basics.ts';
import { propertyEventTable } from '../../schema/serving/property_event.ts';
import { isCurrentListing, type StatusFacts } from '../../transforms/events/status.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';
import { byPid, groupBy } from './by_key.ts';

export const serveListingStage = stage({
  name: 'serve_listing',
  version: 2,
  doc: 'Rows of serving.listing: the latest current listing for sale of each property, and for rent.',
  subject: 'property',
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
      'price_low',
      'price_high',
    ]),
    property: input(propertyTable, [
      'gnaf_pid',
      'state',
      'sa2',
      'sa3',
      'sal',
      'address',
      'dwelling_type',
      'lon',
      'lat',
    ]),
    basics: input(propertyBasicsTable, ['gnaf_pid', 'bedrooms', 'bathrooms', 'parking', 'dwelling_type']),
    region: input(addressHomeAsset, ['gnaf_pid', 'lga', 'poa']),
    month: input(eventMonthAsset, ['as_of'], { kind: 'all' }),
  },
  output: listingTable,
  compute({ event, property, basics, region, month }, { cell, emit }) {
    const properties = byPid(property);
    const described = byPid(basics);
    const regions = byPid(region);
    const current = event.filter((each) => isCurrentListing(each as StatusFacts, month[0]!.as_of));
    const listed = new Set<string>();
    for (const offers of groupBy(current, (each) => `${each.gnaf_pid}|${each.type}`).values()) {
      // Sorted by key: of listings that begin on one day the first stays.
      const latest = offers.reduce((best, each) => (each.date > best.date ? each : best));
      const { gnaf_pid, event_id, type, date, last_date, is_under_offer, ...prices } = latest;
      const { dwelling_type, ...own } = properties.get(gnaf_pid)!;
      listed.add(gnaf_pid);
      const home = described.get(gnaf_pid)!;
      const { lga, poa } = regions.get(gnaf_pid)!;
      emit({
        gnaf_pid,
        event_id,
        cell,
        state: own.state,
        sa2: own.sa2,
        sa3: own.sa3,
        sal: own.sal,
        lga,
        poa,
        address: own.address,
        type,
        date,
        last_date,
        is_under_offer,
        price: prices.price,
        price_low: prices.price_low,
        price_high: prices.price_high,
        bedrooms: home.bedrooms,
        bathrooms: home.bathrooms,
        parking: home.parking,
        dwelling_type: home.dwelling_type ?? dwelling_type,
        lon: own.lon,
        lat: own.lat,
      });
    }
    const without = property.length - listed.size;
    const drops: Record<string, number> = without > 0 ? { no_current_listing: without } : {};
    return { account: { in: property.length, out: listed.size, drops } };
  },
});
