const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const pad = (value: number): string => String(value).padStart(2, '0');

/** Returns a date as YYYY-MM-DD; null: it does not exist. */
function dayOf(year: number, month: number, day: number): string | null {
  const date = new Date(Date.UTC(year, month - 1, day));
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && year >= 1900 && year < 2200;
  return isReal ? `${year}-${pad(month)}-${pad(day)}` : null;
}

/**
 * Parses the date in a release label: `2025-11-08`, `20251108`, `NOVEMBER 2025`, `NOV25`, `2025-11` or `202511` (first day of the month),
 * `2021` (first day of the year). Null: none.
 */
export function releaseDate(label: string): string | null {
  const text = label.trim().toUpperCase();
  const full = /(?<!\d)((?:19|20|21)\d\d)[-_./]?(\d\d)[-_./]?(\d\d)(?!\d)/.exec(text);
  if (full) {
    const day = dayOf(Number(full[1]), Number(full[2]), Number(full[3]));
    if (day !== null) return day;
  }
  const namedDate =
    /\b(JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)[A-Z]*[\s_-]*((?:19|20|21)\d\d|\d\d)(?!\d)/.exec(
      text,
    );
  if (namedDate) {
    const year = Number(namedDate[2]);
    return dayOf(year < 100 ? 2000 + year : year, MONTHS.indexOf(namedDate[1]!) + 1, 1);
  }
  const month = /(?<!\d)((?:19|20|21)\d\d)[-_./]?(0[1-9]|1[0-2])(?!\d)/.exec(text);
  if (month) return dayOf(Number(month[1]), Number(month[2]), 1);
  const year = /(?<!\d)((?:19|20|21)\d\d)(?!\d)/.exec(text);
  return year ? dayOf(Number(year[1]), 1, 1) : null;
}
