/** Order of day and month in an ambiguous date. */
export type DateOrder = 'dmy' | 'mdy';

export interface ReadDate {
  /** YYYY-MM-DD. */
  readonly date: string;
  /**
   * `plain`: only one reading. `ambiguous`: day and month could be swapped, so the order decided. `flipped`: impossible in the
   * given order, and read in the other one.
   */
  readonly reading: 'plain' | 'ambiguous' | 'flipped';
}

const MONTH_NAMES =
  'january february march april may june july august september october november december'.split(' ');
const FIRST_YEAR = 1900;
const LAST_YEAR = 2199;
/** A time of day after a date. */
const TIME_OF_DAY = String.raw`\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?(?: ?[ap]\.?m\.?)?`;
const ISO = new RegExp(
  String.raw`^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[-T ]${TIME_OF_DAY} ?(?:Z|UTC|[+-]\d\d:?\d\d)?)?$`,
  'i',
);
const COMPACT = /^(\d{4})(\d\d)(\d\d)(?:-?\d{6}|-\d{1,2}:\d\d(?::\d\d)?)?$/;
const YEAR = String.raw`(\d{4}|\d\d)`;
const CLOCK_BEHIND = `(?:,? ${TIME_OF_DAY})?`;
const PARTS = new RegExp(String.raw`^(\d{1,2})([/.-])(\d{1,2})\2${YEAR}${CLOCK_BEHIND}$`, 'i');
const WEEKDAY = String.raw`(?:[a-z]{3,9}\.?,? )?`;
const WORDS = new RegExp(
  String.raw`^${WEEKDAY}(\d{1,2})(?:st|nd|rd|th)?(?: of)?[ -]?([a-z]{3,9})\.?,?[ -]?${YEAR}${CLOCK_BEHIND}$`,
  'i',
);
const MONTH_FIRST = new RegExp(
  String.raw`^${WEEKDAY}([a-z]{3,9})\.?[ -](\d{1,2})(?:st|nd|rd|th)?(?:,? |,|-)(\d{4})${CLOCK_BEHIND}$`,
  'i',
);

/** A time in UTC, whose day in Australia may be the next one. */
const UTC = /^(.*\d[T ]\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?) ?(?:Z|UTC|\+00:?00)$/i;
/** Time zone of each state. */
const ZONES: Readonly<Record<string, string>> = {
  NSW: 'Australia/Sydney',
  VIC: 'Australia/Melbourne',
  QLD: 'Australia/Brisbane',
  SA: 'Australia/Adelaide',
  WA: 'Australia/Perth',
  TAS: 'Australia/Hobart',
  NT: 'Australia/Darwin',
  ACT: 'Australia/Sydney',
};
const FORMATS = new Map<string, Intl.DateTimeFormat>();

/** Returns the local day of a UTC time in a state, YYYY-MM-DD; in Sydney if the state is unknown. */
function localDay(time: string, state: string | null): string {
  const timeZone = ZONES[state ?? ''] ?? ZONES.NSW!;
  const format =
    FORMATS.get(timeZone) ??
    new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  FORMATS.set(timeZone, format);
  return format.format(new Date(time));
}

/** A time of day inside a text. */
const CLOCK = /[-T ](\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d+)?)?(?: ?([ap])\.?m)?/i;
const COMPACT_CLOCK = /^\d{8}-?(\d\d)(\d\d)(\d\d)$/;

/** Returns whether hour, minute and second are a valid time; 24:00:00 is the end of a day. */
const isClock = (hour: number, minute: number, second: number): boolean =>
  (hour < 24 || (hour === 24 && minute === 0 && second === 0)) && minute < 60 && second <= 60;

/** Returns whether the time of day in a text, if any, is valid. */
function hasNoBadClock(text: string): boolean {
  const match = COMPACT_CLOCK.exec(text) ?? CLOCK.exec(text);
  if (match === null) return true;
  const hour = Number(match[1]);
  if (match[4] !== undefined && (hour < 1 || hour > 12)) return false;
  return isClock(hour, Number(match[2]), Number(match[3] ?? 0));
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

function daysOf(year: number, month: number): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month === 2 && leap ? 29 : DAYS[month - 1]!;
}

/** Returns YYYY-MM-DD of a valid day from 1900 to 2199. Null: not valid. */
export function isoDate(year: number, month: number, day: number): string | null {
  if (!(year >= FIRST_YEAR && year <= LAST_YEAR && month >= 1 && month <= 12)) return null;
  if (!(day >= 1 && day <= daysOf(year, month))) return null;
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

const plain = (date: string | null): ReadDate | null => (date === null ? null : { date, reading: 'plain' });

/** Returns the month number, from 1, of a name or its first three letters; 0: none. */
function monthOf(name: string): number {
  const lower = name.toLowerCase();
  const monthIndex = MONTH_NAMES.findIndex((month) => month === lower || month.slice(0, 3) === lower);
  return lower === 'sept' ? 9 : monthIndex + 1;
}

/** Returns the year of a text; two digits give the year in the hundred years from `firstYear`. NaN: two digits without a first year. */
function yearOf(text: string, firstYear: number | null): number {
  const year = Number(text);
  if (text.length > 2) return year;
  return firstYear === null ? Number.NaN : firstYear + ((((year - firstYear) % 100) + 100) % 100);
}

/** Date options other than the order. */
export interface DateOptions {
  /** State that gives the local day of a UTC time. Null: unknown. */
  readonly state?: string | null;
  /** First of the hundred years for two-digit years. Null: such a text is not a date. */
  readonly firstYear?: number | null;
}

/**
 * Reads a date as written in feeds, with or without a time: `2026-03-04`, `20260304`, `20260304-101500`, `4 Mar 2026`, `March 4,
 * 2026`, `4/3/2026`. The last one is read in the given order, or in the other one if that is impossible. Two-digit years, as in
 * `4/3/26` and `4-Mar-26`, need `firstYear`.
 * A time with an offset has its stated day; a time in UTC has the local day of the state. Null: not a date. Day numbers of
 * workbooks are rejected, because their first day is unknown.
 */
export function readDate(
  text: string,
  order: DateOrder,
  { state = null, firstYear = null }: DateOptions = {},
): ReadDate | null {
  const trimmed = text.trim().replace(/\s+/g, ' ');
  if (!hasNoBadClock(trimmed)) return null;
  const utc = UTC.exec(trimmed);
  const time = utc === null ? null : readTime(`${utc[1]}Z`);
  if (time !== null) return plain(localDay(time, state));
  const ymd = ISO.exec(trimmed) ?? COMPACT.exec(trimmed);
  if (ymd !== null) return plain(isoDate(Number(ymd[1]), Number(ymd[2]), Number(ymd[3])));
  const words = WORDS.exec(trimmed);
  if (words !== null)
    return plain(isoDate(yearOf(words[3]!, firstYear), monthOf(words[2]!), Number(words[1])));
  const american = MONTH_FIRST.exec(trimmed);
  if (american !== null)
    return plain(isoDate(Number(american[3]), monthOf(american[1]!), Number(american[2])));
  const parts = PARTS.exec(trimmed);
  if (parts === null) return null;
  const [first, second, year] = [Number(parts[1]), Number(parts[3]), yearOf(parts[4]!, firstYear)];
  const dmy = isoDate(year, second, first);
  const mdy = isoDate(year, first, second);
  const [wanted, other] = order === 'dmy' ? [dmy, mdy] : [mdy, dmy];
  if (wanted === null) return other === null ? null : { date: other, reading: 'flipped' };
  return { date: wanted, reading: other === null || other === wanted ? 'plain' : 'ambiguous' };
}

/** Returns whether a text is a date except for its two-digit year. */
export const hasShortYear = (text: string, order: DateOrder): boolean =>
  readDate(text, order) === null && readDate(text, order, { firstYear: 1950 }) !== null;

const TIME = /^(\d{4})-(\d\d)-(\d\d)(?:[T -](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?)?\s*(Z|[+-]\d\d:?\d\d)?$/i;
const COMPACT_TIME = /^(\d{4})(\d\d)(\d\d)-?(\d\d):?(\d\d):?(\d\d)$/;

/**
 * Returns a time as `YYYY-MM-DDThh:mm:ssZ`, so that text order is time order. A time without zone is UTC; a date is its first
 * second. Also reads REAXML's `2009-01-01-12:30:00`. Null: not a time.
 */
export function readTime(text: string): string | null {
  const match = TIME.exec(text.trim()) ?? COMPACT_TIME.exec(text.trim());
  if (match === null) return null;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const [hour, minute, second] = [Number(match[4] ?? 0), Number(match[5] ?? 0), Number(match[6] ?? 0)];
  if (isoDate(year, month, day) === null || !isClock(hour, minute, second)) return null;
  const zone = /^([+-])(\d\d):?(\d\d)$/.exec(match[7] ?? '');
  if (zone !== null && (Number(zone[2]) > 14 || Number(zone[3]) > 59)) return null;
  const offset = zone === null ? 0 : Number(`${zone[1]}1`) * (Number(zone[2]) * 60 + Number(zone[3]));
  const time = new Date(Date.UTC(year, month - 1, day, hour, minute - offset, second));
  return `${time.toISOString().slice(0, 19)}Z`;
}

/** Adds days to a day, both YYYY-MM-DD. */
export function addDays(date: string, days: number): string {
  const [year, month, day] = date.split('-').map(Number) as [number, number, number];
  return new Date(Date.UTC(year, month - 1, day + days)).toISOString().slice(0, 10);
}
