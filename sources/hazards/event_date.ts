/**
 * Formats of the date of an event. `iso`: `2011-01-13` or `20110113`, perhaps followed by a time; `dmy`: `13/01/2011`; `mdy`: `01/13/2011`;
 * `epoch_ms`: milliseconds since 1970 (UTC), as in ArcGIS services.
 */
export const DATE_FORMATS = ['iso', 'dmy', 'mdy', 'epoch_ms'] as const;
export type DateFormat = (typeof DATE_FORMATS)[number];

/** Range of event years: from the first recorded floods to any date a file can hold. */
const FIRST_YEAR = 1788;
const LAST_YEAR = 2100;

const PATTERNS: Readonly<Record<Exclude<DateFormat, 'epoch_ms'>, RegExp>> = {
  iso: /^(?<y>\d{4})(?<s>[-/.]?)(?<m>\d{1,2})\k<s>(?<d>\d{1,2})(?:[T ].*)?$/,
  dmy: /^(?<d>\d{1,2})[-/.](?<m>\d{1,2})[-/.](?<y>\d{4})(?:[T ].*)?$/,
  mdy: /^(?<m>\d{1,2})[-/.](?<d>\d{1,2})[-/.](?<y>\d{4})(?:[T ].*)?$/,
};

function calendarDate(year: number, month: number, day: number): string | null {
  if (year < FIRST_YEAR || year > LAST_YEAR) return null;
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  return date.toISOString().slice(0, 10);
}

/** Parses the date of an event to `YYYY-MM-DD`; null: not a day of the years 1788 to 2100 in that format. */
export function eventDate(text: string, format: DateFormat): string | null {
  const plain = text.trim();
  if (format === 'epoch_ms') {
    if (!/^-?\d{1,15}(\.0+)?$/.test(plain)) return null;
    const date = new Date(Number(plain));
    return Number.isNaN(date.getTime())
      ? null
      : calendarDate(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate());
  }
  const groups = PATTERNS[format].exec(plain)?.groups;
  return groups === undefined ? null : calendarDate(Number(groups.y), Number(groups.m), Number(groups.d));
}
