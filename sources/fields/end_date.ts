const SECONDS_DIGITS = 10;
/** Years in which something can have ended by now: earlier and later days mean "not known" and "never". */
const FIRST_YEAR = 1901;
const LAST_YEAR = 2049;

/** A day as digits alone: `20230501`. */
const DAY = /^(\d{4})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/;

/**
 * Reads the year of a date in any published format: ISO, day or month first, `YYYYMMDD`, seconds or milliseconds since 1970; null: not a
 * date.
 */
function yearOf(text: string): number | null {
  const plain = text.trim();
  if (!/^-?\d+(\.0+)?$/.test(plain)) {
    const year = /(?<!\d)\d{4}(?!\d)/.exec(plain)?.[0];
    return year === undefined ? null : Number(year);
  }
  const digits = plain.replace(/\..*$/, '').replace('-', '');
  if (digits.length === 4) return Number(digits);
  const day = DAY.exec(plain);
  if (day !== null) return Number(day[1]);
  if (digits.length < SECONDS_DIGITS - 1) return null;
  const moment = new Date(Number(plain) * (digits.length <= SECONDS_DIGITS ? 1000 : 1));
  return Number.isNaN(moment.getTime()) ? null : moment.getUTCFullYear();
}

/**
 * Returns whether an end date is in the past. False for a blank, a text that is not a date, and days that publishers write for "never" or
 * "not known" (3000-01-01 in any time zone and format, 9999, 1899-12-30 …).
 */
export function hasEnded(text: string | null): boolean {
  const year = text === null ? null : yearOf(text);
  return year !== null && year >= FIRST_YEAR && year <= LAST_YEAR;
}
