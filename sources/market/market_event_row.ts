import { eventBucket } from '../../schema/event_bucket.ts';
import { inAustralia } from '../../schema/grid.ts';
import { EVENT_TYPES, LISTING_FEATURES, type MarketEventType } from '../../schema/records/market_event.ts';
import { STATE_OF_DIGIT } from '../../schema/states.ts';
import { tidyText, tooLong } from '../fields/tidy_text.ts';
import type { Problem } from '../formats/feature.ts';
import type { EventContext, MarketEvent, RawEvent } from './market_event.ts';
import { readEventPrice } from './market_event_price.ts';
import { COUNTS_MAX, readCount, readYearBuilt } from './words/counts.ts';
import { addDays, hasShortYear, type ReadDate, readDate, readTime } from './words/dates.ts';
import { parkingOf } from './words/parking.ts';
import { propertyTypeOf } from './words/property_type.ts';
import { parseArea } from './words/sizes.ts';

/** Maximum characters of the advertising text; the rest is cut. */
const MAX_DESCRIPTION = 20_000;
/** Australia is up to eleven hours ahead of UTC, the zone of observed_at: an event of the next day is not in the future. */
const TOLERANCE_DAYS = 1;
/** A contract that settles this many years later has a mistyped year: an assumption, from a typo in one digit of the decade. */
const MAX_SETTLEMENT_YEARS = 10;
const STATES: ReadonlySet<string> = new Set(Object.values(STATE_OF_DIGIT));
const STATE_IN_TEXT = /\b(NSW|VIC|QLD|SA|WA|TAS|NT|ACT)\b(?=[\s,]*(\d{4})?\s*(australia)?\W*$)/i;
const PID = /^GA(NSW|VIC|QLD|SA|WA|TAS|NT|ACT|OT)_?\d{1,12}$/;
const FEATURES: ReadonlySet<string> = new Set(LISTING_FEATURES);

const problem = (code: string, message: string): Problem => ({ code, message });
const quoted = (text: string | undefined): string => `"${(text ?? '').slice(0, 60)}"`;

/** Returns the whole years from one ISO date to another. */
const yearsBetween = (from: string, to: string): number =>
  Number(to.slice(0, 4)) - Number(from.slice(0, 4)) - (to.slice(5) < from.slice(5) ? 1 : 0);

/** Returns the abbreviation of a state in any spelling; null: not an Australian state. */
function stateAbbreviation(text: string): string | null {
  const upper = text.trim().toUpperCase().replaceAll('.', '');
  if (STATES.has(upper)) return upper;
  const names: Readonly<Record<string, string>> = {
    'NEW SOUTH WALES': 'NSW',
    VICTORIA: 'VIC',
    QUEENSLAND: 'QLD',
    'SOUTH AUSTRALIA': 'SA',
    'WESTERN AUSTRALIA': 'WA',
    TASMANIA: 'TAS',
    'NORTHERN TERRITORY': 'NT',
    'AUSTRALIAN CAPITAL TERRITORY': 'ACT',
  };
  return names[upper] ?? null;
}

/** Type, channel and the dates of an event. */
type Happening = Pick<
  MarketEvent,
  'event_type' | 'channel' | 'event_date' | 'settlement_date' | 'observed_at'
>;

function dateOf(text: string | undefined, raw: RawEvent, context: EventContext): ReadDate | null {
  const state = (raw.state ?? '').trim().toUpperCase() || context.state;
  return readDate(text ?? '', context.date_order, { state, firstYear: context.two_digit_years_from ?? null });
}

/** Whether a text looks like a date in the day numbers of a workbook: these are the days from 1954 to 2064, or four years later. */
const isDayNumber = (text: string): boolean =>
  /^\d{5}$/.test(text) && Number(text) >= 20_000 && Number(text) <= 60_000;

function badDate(dateText: string | undefined, { date_order }: EventContext): Problem {
  const text = (dateText ?? '').trim();
  const why = hasShortYear(text, date_order)
    ? 'has a year of two digits; set the option two_digit_years_from, for example 1950 for 1950 to 2049'
    : isDayNumber(text)
      ? 'looks like the day number of a workbook; format the column as a date before you export it'
      : 'is not a valid date';
  return problem('bad_date', `event_date ${quoted(dateText)} ${why}`);
}

function happeningOf(raw: RawEvent, context: EventContext): Happening | Problem {
  const event_type = (raw.event_type ?? '').trim().toLowerCase() as MarketEventType;
  if (!EVENT_TYPES.includes(event_type))
    return problem('bad_code', `event_type is ${quoted(raw.event_type)}, none of ${EVENT_TYPES.join(', ')}`);
  const implied = event_type === 'sold' ? 'sale' : event_type === 'leased' ? 'rent' : null;
  const channel = (raw.channel ?? '').trim().toLowerCase() || (implied ?? '');
  if (channel !== 'sale' && channel !== 'rent')
    return problem('bad_code', `channel is ${quoted(raw.channel)}, neither sale nor rent`);
  if (implied !== null && channel !== implied)
    return problem('bad_code', `channel ${channel} contradicts event_type ${event_type}`);
  const date = dateOf(raw.event_date, raw, context);
  if (date === null) return badDate(raw.event_date, context);
  context.notes.date(date.reading);
  const observed_at = (raw.observed_at ?? '') === '' ? null : readTime(raw.observed_at!);
  if (observed_at === null && (raw.observed_at ?? '') !== '')
    return problem('bad_date', `observed_at is ${quoted(raw.observed_at)}, no time`);
  const knownDate = observed_at?.slice(0, 10) ?? context.as_of;
  if (knownDate !== null && date.date > addDays(knownDate, context.days_ahead ?? TOLERANCE_DAYS))
    return problem(
      'future_date',
      `event_date ${date.date} is after ${knownDate}, the day of the information`,
    );
  const settlement = dateOf(raw.settlement_date, raw, context);
  if (settlement === null && (raw.settlement_date ?? '') !== '') context.notes.unread('settlement_date');
  if (settlement !== null && yearsBetween(date.date, settlement.date) >= MAX_SETTLEMENT_YEARS)
    return problem(
      'bad_date',
      `event_date ${date.date} is ${yearsBetween(date.date, settlement.date)} years before the settlement of ${settlement.date}, so one of them is mistyped`,
    );
  return {
    event_type,
    channel,
    event_date: date.date,
    settlement_date: settlement?.date ?? null,
    observed_at,
  };
}

type EventAddress = Pick<
  MarketEvent,
  | 'state'
  | 'address'
  | 'unit'
  | 'number'
  | 'street'
  | 'suburb'
  | 'postcode'
  | 'lot_plan'
  | 'given_pid'
  | 'lon'
  | 'lat'
>;

const text = (value: string | undefined): string | null => tidyText(value === '' ? null : (value ?? null));

function placeOf(raw: RawEvent, context: EventContext): EventAddress | Problem {
  const pid = text(raw.gnaf_pid)?.toUpperCase() ?? null;
  const given_pid = pid !== null && PID.test(pid) ? pid : null;
  if (pid !== null && given_pid === null) context.notes.unread('gnaf_pid');
  const [address, street, lot_plan] = [text(raw.address), text(raw.street), text(raw.lot_plan)];
  if (given_pid === null && address === null && street === null && lot_plan === null)
    return problem('missing_address', 'the row has neither address nor gnaf_pid');
  const digits = /^(\d{3,4})(\.0+)?$/.exec((raw.postcode ?? '').trim())?.[1];
  if (digits === undefined && text(raw.postcode) !== null) context.notes.unread('postcode');
  const stateText = text(raw.state);
  const state =
    (stateText === null ? null : stateAbbreviation(stateText)) ??
    (address === null ? undefined : STATE_IN_TEXT.exec(address)?.[1]?.toUpperCase()) ??
    (given_pid === null ? undefined : PID.exec(given_pid)![1]) ??
    context.state;
  if (stateText !== null && stateAbbreviation(stateText) === null) context.notes.unread('state');
  const eventAddress: EventAddress = {
    state,
    address,
    unit: text(raw.unit),
    number: text(raw.number),
    street,
    suburb: text(raw.suburb),
    postcode: digits?.padStart(4, '0') ?? null,
    lot_plan,
    given_pid,
    ...pointOf(raw, context),
  };
  return (
    tooLong({
      address,
      street,
      suburb: eventAddress.suburb,
      unit: eventAddress.unit,
      number: eventAddress.number,
      lot_plan: lot_plan,
    }) ?? eventAddress
  );
}

function pointOf(raw: RawEvent, { notes }: EventContext): Pick<MarketEvent, 'lon' | 'lat'> {
  if (text(raw.lon) === null && text(raw.lat) === null) return { lon: null, lat: null };
  const decimal = (value: string | undefined): number =>
    /^[+-]?\d{1,3}(\.\d+)?$/.test((value ?? '').trim()) ? Number(value) : Number.NaN;
  const [lon, lat] = [decimal(raw.lon), decimal(raw.lat)];
  if (inAustralia(lon, lat)) return { lon, lat };
  notes.unread('lon, lat');
  return { lon: null, lat: null };
}

type Attributes = Pick<
  MarketEvent,
  | 'bedrooms'
  | 'bathrooms'
  | 'parking'
  | 'property_type'
  | 'land_area_sqm'
  | 'floor_area_sqm'
  | 'year_built'
  | 'features'
  | 'description'
>;

function attributesOf(raw: RawEvent, event_date: string, { notes }: EventContext): Attributes {
  /** Replaces a figure that cannot be read by null, and counts it in the notes. */
  const valueIn = (field: string, value: number | null): number | null => {
    if (value === null || !Number.isNaN(value)) return value;
    notes.unread(field);
    return null;
  };
  const cars = (value: string | undefined): number | null =>
    valueIn('parking', readCount(value ?? '', COUNTS_MAX.parking));
  const parking = parkingOf({
    total: cars(raw.parking),
    garages: cars(raw.garages),
    carports: cars(raw.carports),
    open_spaces: cars(raw.open_spaces),
  });
  const listedFeatures = raw.features?.map((each) => each.trim().toLowerCase().replaceAll(' ', '_')) ?? null;
  const features =
    listedFeatures === null ? null : [...new Set(listedFeatures.filter((each) => FEATURES.has(each)))].sort();
  const description = text(raw.description);
  return {
    bedrooms: valueIn('bedrooms', readCount(raw.bedrooms ?? '', COUNTS_MAX.bedrooms)),
    bathrooms: valueIn('bathrooms', readCount(raw.bathrooms ?? '', COUNTS_MAX.bathrooms)),
    parking,
    property_type: propertyTypeOf(text(raw.property_type) ?? ''),
    land_area_sqm: valueIn('land_area_sqm', parseArea(raw.land_area ?? '', 'land')),
    floor_area_sqm: valueIn('floor_area_sqm', parseArea(raw.floor_area ?? '', 'floor')),
    year_built: valueIn(
      'year_built',
      readYearBuilt(raw.year_built ?? '', Number(event_date.slice(0, 4)) + 5),
    ),
    features,
    description: description === null ? null : cut(description),
  };
}

/** Cuts the text at MAX_DESCRIPTION, but never inside a surrogate pair. */
function cut(description: string): string {
  const start = description.slice(0, MAX_DESCRIPTION);
  return /[\ud800-\udbff]$/.test(start) ? start.slice(0, -1) : start;
}

/**
 * Builds the record of an event, or returns why there is none: `missing_value`, `bad_code`, `bad_date`, `future_date`, `missing_address`,
 * `bad_price`, `bad_rent`, `bad_value`, `bad_encoding`. Attributes that cannot be read are null and are counted in the notes.
 */
export function marketEvent(raw: RawEvent, source_no: number, context: EventContext): MarketEvent | Problem {
  for (const value of Object.values(raw))
    if (
      typeof value === 'string' &&
      (value.includes('\ufffd') || value.includes('\0') || !value.isWellFormed())
    )
      return problem('bad_encoding', 'the row has bytes that are not UTF-8 text, or NUL');
  const [source, source_id] = [text(raw.source), text(raw.source_id)];
  if (source === null || source_id === null)
    return problem('missing_key', `the row has no ${source === null ? 'source' : 'source_id'}`);
  const long = tooLong({ identifier: source_id.length > source.length ? source_id : source });
  if (long !== null) return long;
  const happening = happeningOf(raw, context);
  if ('code' in happening) return happening;
  const address = placeOf(raw, context);
  if ('code' in address) return address;
  const attributes = attributesOf(raw, happening.event_date, context);
  const price = readEventPrice(raw, { ...happening, ...address, ...attributes }, context);
  if ('code' in price) return price;
  return {
    load_id: 0,
    source_no,
    month_partition: eventBucket(address.state, happening.event_date),
    file: context.file,
    event_key: [context.dataset, source, source_id, happening.event_type, happening.event_date].join('|'),
    source,
    source_id,
    ...happening,
    ...address,
    ...price,
    dealing_id: text(raw.dealing_id),
    ...attributes,
  };
}
