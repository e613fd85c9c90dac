/** Which of day and month comes first in a date whose order its own figures do not show. */
export type DateOrder = 'dmy' | 'mdy';

/** A date that was read. */
export interface ReadDate {
  /** YYYY-MM-DD. */
  readonly date: string;
  /**
   * `plain`: it can be read in one way. `ambiguous`: day and month could change places, so the order decided. `flipped`: it
   * cannot be read in the order, and was read in the other one.
   */
  readonly reading: 'plain' | 'ambiguous' | 'flipped';
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const FIRST_YEAR = 1900;
const LAST_YEAR = 2199;
const ISO =
  /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[-T ]\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/i;
const COMPACT = /^(\d{4})(\d\d)(\d\d)(?:-?\d{6}|-\d{1,2}:\d\d(?::\d\d)?)?$/;
const PARTS = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4}|\d\d)(?: \d{1,2}:\d\d(?::\d\d)?(?: ?[AP]M)?)?$/i;
const WORDS = /^(?:\w{3,9},? )?(\d{1,2})(?:st|nd|rd|th)?[ -]([a-z]{3,9})\.?,?[ -](\d{4}|\d\d)$/i;
const MONTH_FIRST = /^(?:\w{3,9},? )?([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$/i;
/** A time in UTC, whose day in Australia may be the next one. */
const UTC = /\d[T ]\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|\+00:?00)$/i;

/** Time zone by state; that of Sydney where none is known. */
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

/** The day of a UTC time in a state, YYYY-MM-DD. */
function localDay(time: string, state: string | null): string {
  const timeZone = ZONES[state ?? ''] ?? ZONES.NSW!;
  const format =
    FORMATS.get(timeZone) ??
    new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  FORMATS.set(timeZone, format);
  return format.format(new Date(time));
}

/** A time of day inside a text, if there is one. */
const CLOCK = /[-T ](\d{1,2}):(\d\d)(?::(\d\d))?/i;
const COMPACT_CLOCK = /^\d{8}-?(\d\d)(\d\d)(\d\d)$/;

/** Whether hour, minute and second are those of a day; 24:00:00 is its end. */
const isClock = (hour: number, minute: number, second: number): boolean =>
  (hour < 24 || (hour === 24 && minute === 0 && second === 0)) && minute < 60 && second <= 60;

/** Whether the time of day in a text, if it has one, is one. */
function hasNoBadClock(text: string): boolean {
  const found = COMPACT_CLOCK.exec(text) ?? CLOCK.exec(text);
  return found === null || isClock(Number(found[1]), Number(found[2]), Number(found[3] ?? 0));
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

function daysOf(year: number, month: number): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month === 2 && leap ? 29 : DAYS[month - 1]!;
}

/** YYYY-MM-DD of a day that exists from 1900 to 2199; null: there is none. */
export function dayOf(year: number, month: number, day: number): string | null {
  if (!(year >= FIRST_YEAR && year <= LAST_YEAR && month >= 1 && month <= 12)) return null;
  if (!(day >= 1 && day <= daysOf(year, month))) return null;
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

/** Number of a month by its name; 0: there is none of this name. */
const monthOf = (name: string): number => 1 + MONTHS.indexOf(name.slice(0, 3).toLowerCase());

const plain = (date: string | null): ReadDate | null => (date === null ? null : { date, reading: 'plain' });

/** A year of four digits, or with `short_years` of two: 70 to 99 are of the last century. Null: it has two. */
function yearOf(text: string, short_years: boolean): number | null {
  const year = Number(text);
  if (text.length === 4) return year;
  return short_years ? (year < 70 ? 2000 : 1900) + year : null;
}

/** Whether a text would be a date if its year of two digits were read. */
export const hasShortYear = (text: string, order: DateOrder): boolean =>
  readDate(text, order) === null && readDate(text, order, { short_years: true }) !== null;

/** How dates are read besides their order. */
export interface DateOptions {
  /** State in which a UTC time has its day; null: Sydney. */
  readonly state?: string | null;
  /** Read years of two digits. */
  readonly short_years?: boolean;
}

/**
 * A date as feeds write it: `2026-03-04` with or without a time, `20260304`, `20260304-101500`, `4 Mar 2026`, `March 4, 2026`, and
 * `4/3/2026` in the order given; a date that is impossible in that order is read in the other. A time with an offset has the day that it
 * states, a time in UTC the day that it is in the state. Null: no date, also for the number of a day in a workbook, whose first day is unknown.
 */
export function readDate(
  text: string,
  order: DateOrder,
  { state = null, short_years = false }: DateOptions = {},
): ReadDate | null {
  const trimmed = text.trim();
  if (!hasNoBadClock(trimmed)) return null;
  if (UTC.test(trimmed)) {
    const time = readTime(trimmed);
    if (time !== null) return plain(localDay(time, state));
  }
  const ymd = ISO.exec(trimmed) ?? COMPACT.exec(trimmed);
  if (ymd !== null) return plain(dayOf(Number(ymd[1]), Number(ymd[2]), Number(ymd[3])));
  const words = WORDS.exec(trimmed);
  if (words !== null) {
    const year = yearOf(words[3]!, short_years);
    return year === null ? null : plain(dayOf(year, monthOf(words[2]!), Number(words[1])));
  }
  const american = MONTH_FIRST.exec(trimmed);
  if (american !== null) return plain(dayOf(Number(american[3]), monthOf(american[1]!), Number(american[2])));
  const parts = PARTS.exec(trimmed);
  if (parts === null) return null;
  const year = yearOf(parts[3]!, short_years);
  if (year === null) return null;
  const [first, second] = [Number(parts[1]), Number(parts[2])];
  const dmy = dayOf(year, second, first);
  const mdy = dayOf(year, first, second);
  const [wanted, other] = order === 'dmy' ? [dmy, mdy] : [mdy, dmy];
  if (wanted === null) return other === null ? null : { date: other, reading: 'flipped' };
  return { date: wanted, reading: other === null || other === wanted ? 'plain' : 'ambiguous' };
}

const TIME = /^(\d{4})-(\d\d)-(\d\d)(?:[T -](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?)?\s*(Z|[+-]\d\d:?\d\d)?$/i;
const COMPACT_TIME = /^(\d{4})(\d\d)(\d\d)-?(\d\d):?(\d\d):?(\d\d)$/;

/**
 * A time as `YYYY-MM-DDThh:mm:ssZ`, so that the order of texts is that of times; a time without zone is taken as UTC, a date
 * as its first second. Also REAXML's `2009-01-01-12:30:00`. Null: no time.
 */
export function readTime(text: string): string | null {
  const found = TIME.exec(text.trim()) ?? COMPACT_TIME.exec(text.trim());
  if (found === null) return null;
  const [year, month, day] = [Number(found[1]), Number(found[2]), Number(found[3])];
  const [hour, minute, second] = [Number(found[4] ?? 0), Number(found[5] ?? 0), Number(found[6] ?? 0)];
  if (dayOf(year, month, day) === null || !isClock(hour, minute, second)) return null;
  const zone = /^([+-])(\d\d):?(\d\d)$/.exec(found[7] ?? '');
  if (zone !== null && (Number(zone[2]) > 14 || Number(zone[3]) > 59)) return null;
  const offset = zone === null ? 0 : Number(`${zone[1]}1`) * (Number(zone[2]) * 60 + Number(zone[3]));
  const time = new Date(Date.UTC(year, month - 1, day, hour, minute - offset, second));
  return `${time.toISOString().slice(0, 19)}Z`;
}

/** The day that many days after a day, both YYYY-MM-DD. */
export function addDays(date: string, days: number): string {
  const [year, month, day] = date.split('-').map(Number) as [number, number, number];
  return new Date(Date.UTC(year, month - 1, day + days)).toISOString().slice(0, 10);
}
