import type { AddressForm } from './address_text.ts';
import type { Advert } from './advert.ts';
import { DAYS } from './calendar.ts';
import type { SampleEvent } from './campaigns.ts';
import type { SampleHome } from './home.ts';

/** How one campaign is told: the same for all its events. */
export interface Telling {
  readonly source_id: string;
  readonly form: AddressForm;
  /** Street line and whole address as the agent writes them. */
  readonly street: string;
  readonly address: string;
  readonly advert: Advert;
  /** True where the source lists the features beside the text. */
  readonly features_stated: boolean;
  readonly pid_given: boolean;
  readonly point_given: boolean;
  /** True where a rent is told by the month, as text. */
  readonly monthly: boolean;
}

/** Name of the feed that writes the event contract. */
export const FEED = 'sample_agencies';

/** Columns of the event contract that the sample fills, in order. */
export const LISTING_COLUMNS = [
  'source',
  'source_id',
  'event_type',
  'channel',
  'event_date',
  'observed_at',
  'gnaf_pid',
  'address',
  'suburb',
  'state',
  'postcode',
  'lat',
  'lon',
  'price',
  'price_low',
  'price_high',
  'price_text',
  'price_disclosed',
  'bedrooms',
  'bathrooms',
  'parking',
  'property_type',
  'land_area_sqm',
  'floor_area_sqm',
  'features',
  'description',
] as const;
export type ListingRow = Record<(typeof LISTING_COLUMNS)[number], string | number>;

/** Dollars a month that are written for a weekly rent. */
export const monthlyOf = (rent_aud_pw: number): number => Math.round((rent_aud_pw * 52) / 12);

/** Dollars a week that the event says, after what `telling` does to it; null: none. */
export function toldPrice({ channel, price }: SampleEvent, { monthly }: Telling): number | null {
  return price !== null && channel === 'rent' && monthly ? Math.round((monthlyOf(price) * 12) / 52) : price;
}

const thousands = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',');

/** The row of an event; the attributes and the text stand in the row of the listing alone. */
export function listingRow(home: SampleHome, event: SampleEvent, telling: Telling): ListingRow {
  const { price, range, channel } = event;
  const monthly = channel === 'rent' && telling.monthly && price !== null;
  const listed = event.type === 'listed';
  const undisclosed = event.type === 'sold' && price === null;
  return {
    source: FEED,
    source_id: telling.source_id,
    event_type: event.type,
    channel,
    event_date: DAYS[event.day]!,
    observed_at: `${DAYS[event.day]}T20:00:00Z`,
    gnaf_pid: telling.pid_given ? home.pid : '',
    address: telling.address,
    suburb: home.address.suburb,
    state: home.state,
    postcode: home.address.postcode,
    lat: telling.point_given ? home.lat : '',
    lon: telling.point_given ? home.lon : '',
    price: monthly || price === null ? '' : price,
    price_low: range?.[0] ?? '',
    price_high: range?.[1] ?? '',
    price_text: monthly
      ? `$${thousands(monthlyOf(price))} pcm`
      : listed && price === null
        ? range === null
          ? 'Contact agent'
          : `$${thousands(range[0])} - $${thousands(range[1])}`
        : '',
    price_disclosed: undisclosed ? 'false' : '',
    bedrooms: listed ? home.bedrooms : '',
    bathrooms: listed ? home.bathrooms : '',
    parking: listed ? home.parking : '',
    property_type: home.type,
    land_area_sqm: listed && home.land_area_sqm > 0 ? home.land_area_sqm : '',
    floor_area_sqm: listed ? home.floor_area_sqm : '',
    features: listed && telling.features_stated ? telling.advert.features.join(';') : '',
    description: listed ? telling.advert.description : '',
  };
}
