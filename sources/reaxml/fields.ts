import type { RawEvent } from '../market/market_event.ts';

type Fields = Readonly<Record<string, string>>;

/** Channel by tag; null: not a listing of a home. */
const CHANNELS: Readonly<Record<string, 'sale' | 'rent' | null>> = {
  residential: 'sale',
  land: 'sale',
  rural: 'sale',
  rental: 'rent',
  commercial: null,
  commercialLand: null,
  business: null,
  holidayRental: null,
};

/** True for tags of listings of any kind; a file also has other tags. */
export const isListing = (kind: string): boolean => Object.hasOwn(CHANNELS, kind);

/** Returns sale or rent; null: not a listing of a home. */
export const channelOf = (kind: string): 'sale' | 'rent' | null => CHANNELS[kind] ?? null;

const YES = /^(yes|y|true|1|\d+)$/i;
const NO = /^(no|n|false|0)$/i;

/** Tags that state each listing feature. */
const FEATURES: Readonly<Record<string, readonly string[]>> = {
  presence_of_pool: ['pool', 'poolInGround', 'poolAboveGround', 'inGroundPool', 'aboveGroundPool'],
  presence_of_ensuite: ['ensuite'],
  entertaining_area: ['outdoorEnt', 'deck', 'outdoorEntertaining'],
};

/** Matches `views` as an element, an attribute, or an element with children: `<views>ocean</views>`, `<views value="city"/>`. */
const VIEWS = /^(?:features\/)?views?(?:[/@].*)?$/i;

/** Returns the stated features; null: none of the tags exists. */
function featuresOf(fields: Fields): string[] | null {
  const texts: string[] = [];
  let isStated = false;
  for (const [feature, tags] of Object.entries(FEATURES)) {
    const values = tags.map((tag) => fields[`features/${tag}`]).filter((value) => value !== undefined);
    isStated ||= values.length > 0;
    if (values.some((value) => YES.test(value) && !NO.test(value))) texts.push(feature);
  }
  const views = Object.entries(fields).filter(([path]) => VIEWS.test(path));
  isStated ||= views.length > 0;
  if (views.some(([, value]) => !NO.test(value) && !/^none$/i.test(value))) texts.push('good_view_outlook');
  return isStated ? texts : null;
}

/** Returns the coordinates of the address, which some feeds state. */
function pointOf(fields: Fields): Partial<RawEvent> {
  const textOf = (name: string): string | undefined =>
    [
      `address/${name}`,
      `address/geocode/${name}`,
      `geocode/${name}`,
      `address/@${name}`,
      `address@${name}`,
      name,
    ]
      .map((path) => fields[path])
      .find((value) => value !== undefined);
  const [lat, lon] = [
    textOf('latitude') ?? textOf('lat'),
    textOf('longitude') ?? textOf('long') ?? textOf('lon'),
  ];
  return lat === undefined || lon === undefined ? {} : { lat, lon };
}

const sized = (value: string | undefined, unit: string | undefined): string =>
  value === undefined ? '' : /[a-z²]/i.test(value) ? value : `${value} ${unit ?? 'squareMeter'}`;

const typeOf = (kind: string, fields: Fields): string => {
  if (kind === 'land' || kind === 'rural') return kind;
  return fields['category@name'] ?? fields.category ?? '';
};

/** Returns the asking price or rent of a listing. */
function readAskingPrice(fields: Fields): Partial<RawEvent> {
  const rent = fields.rent;
  if (rent !== undefined)
    return { price: rent, price_period: fields['rent@period'] ?? 'week', price_text: fields.priceView ?? '' };
  const hidden = NO.test(fields['price@display'] ?? '');
  return { price: hidden ? '' : (fields.price ?? ''), price_text: fields.priceView ?? '' };
}

/** Returns the sale price, from the sold details only, never the asking price. */
function soldOf(fields: Fields): Partial<RawEvent> {
  const hidden = NO.test(
    fields['soldDetails/price@display'] ?? fields['soldDetails/soldPrice@display'] ?? '',
  );
  const price = fields['soldDetails/price'] ?? fields['soldDetails/soldPrice'] ?? '';
  return { price: hidden ? '' : price, price_disclosed: hidden ? 'no' : '' };
}

/** Builds the event of a listing from its merged fields. Sizes are in square metres, squares, acres or hectares. */
export function rawEvent(
  kind: string,
  fields: Fields,
  event: { source: string; source_id: string; event_type: string; event_date: string; observed_at: string },
): RawEvent {
  const channel = channelOf(kind) ?? 'sale';
  const lot = fields['address/lotNumber'];
  return {
    ...event,
    channel,
    ...(event.event_type === 'sold' ? soldOf(fields) : readAskingPrice(fields)),
    unit: fields['address/subNumber'] ?? '',
    number: fields['address/streetNumber'] ?? (lot === undefined ? '' : `LOT ${lot}`),
    street: fields['address/street'] ?? '',
    suburb: fields['address/suburb'] ?? '',
    state: fields['address/state'] ?? '',
    postcode: fields['address/postcode'] ?? '',
    ...pointOf(fields),
    bedrooms: fields['features/bedrooms'] ?? '',
    bathrooms: fields['features/bathrooms'] ?? '',
    garages: fields['features/garages'] ?? '',
    carports: fields['features/carports'] ?? '',
    open_spaces: fields['features/openSpaces'] ?? '',
    property_type: typeOf(kind, fields),
    land_area: sized(fields['landDetails/area'], fields['landDetails/area@unit']),
    floor_area: sized(fields['buildingDetails/area'], fields['buildingDetails/area@unit']),
    year_built: fields.yearBuilt ?? '',
    features: featuresOf(fields),
    description: fields.description ?? '',
  };
}
