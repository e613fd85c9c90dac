const SECONDS_DIGITS = 10;
/** Years of days on which something can have ended by now: before and after stand the days that say "not known" and "never". */
const FIRST_YEAR = 1901;
const LAST_YEAR = 2049;

/** A day as digits alone: `20230501`. */
const DAY = /^(\d{4})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/;

/** Year of a date, however a publisher writes it: ISO, day or month first, `YYYYMMDD`, seconds or milliseconds since 1970; null: it is none. */
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
 * Whether an end date says that something has ended. A blank, a text that is no date, and the days that publishers write for "never" or
 * "not known" (3000-01-01 in any time zone and form, 9999, 1899-12-30 …) do not.
 */
export function hasEnded(text: string | null): boolean {
  const year = text === null ? null : yearOf(text);
  return year !== null && year >= FIRST_YEAR && year <= LAST_YEAR;
}
