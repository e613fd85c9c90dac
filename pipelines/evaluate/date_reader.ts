import { dayOf, isoOfDay } from '../../transforms/stats/calendar.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** Day used for dates without one. */
const MIDDLE = 15;

const PARTS: Readonly<Record<string, string>> = {
  d: String.raw`(?<d>\d{1,2})`,
  m: String.raw`(?<m>\d{1,2}|[A-Za-z]{3,9})`,
  Y: String.raw`(?<Y>\d{4})`,
  y: String.raw`(?<y>\d{2})`,
};

/**
 * Returns a reader of dates in a format of d, m, Y and y, for example `d/m/Y`. It returns the day number; null: invalid. A time after the
 * date is ignored. Two-digit years are 1970 to 2069. Without a day it is the 15th.
 */
export function dateReader(format: string): (text: string) => number | null {
  const source = [...format].map((each) => PARTS[each] ?? each.replace(/[^A-Za-z0-9]/, '\\$&')).join('');
  const pattern = new RegExp(`^${source}(?:[T ].*)?$`);
  return (text) => {
    const groups = pattern.exec(text.trim())?.groups;
    if (!groups) return null;
    const { d, m, Y, y } = groups;
    const year = Y ? Number(Y) : y ? Number(y) + (Number(y) >= 70 ? 1900 : 2000) : NaN;
    const month = m ? (/^\d/.test(m) ? Number(m) : MONTHS.indexOf(m.slice(0, 3).toLowerCase()) + 1) : NaN;
    const day = d ? Number(d) : MIDDLE;
    if (!(month >= 1 && month <= 12) || !(day >= 1 && day <= 31) || !(year >= 1800)) return null;
    const number = dayOf({ year, month, day });
    // A day that the month does not have, such as 31 April, would become a day of the next month.
    return Number(isoOfDay(number).slice(8)) === day ? number : null;
  };
}
