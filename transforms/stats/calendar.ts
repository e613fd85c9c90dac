/** A date of the proleptic Gregorian calendar; month 1 to 12. */
export interface CivilDate {
  year: number;
  month: number;
  day: number;
}

/** Returns the days from 1970-01-01 to a date, negative before. Algorithm: Howard Hinnant, days_from_civil. */
export function dayOf({ year, month, day }: CivilDate): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146097 + dayOfEra - 719468;
}

/** Returns the date of a day number; the inverse of dayOf. */
export function civilOf(dayNumber: number): CivilDate {
  const z = dayNumber + 719468;
  const era = Math.floor(z / 146097);
  const doe = z - era * 146097;
  const yoe = Math.floor(
    (doe - Math.floor(doe / 1460) + Math.floor(doe / 36524) - Math.floor(doe / 146096)) / 365,
  );
  const doy = doe - (365 * yoe + Math.floor(yoe / 4) - Math.floor(yoe / 100));
  const mp = Math.floor((5 * doy + 2) / 153);
  const month = mp < 10 ? mp + 3 : mp - 9;
  return {
    year: yoe + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: doy - Math.floor((153 * mp + 2) / 5) + 1,
  };
}

/** Returns the months from January 1970 to the month of a day, negative before. */
export function monthOf(dayNumber: number): number {
  const { year, month } = civilOf(dayNumber);
  return (year - 1970) * 12 + month - 1;
}

export function firstDayOfMonth(monthNumber: number): number {
  const year = 1970 + Math.floor(monthNumber / 12);
  return dayOf({ year, month: monthNumber - (year - 1970) * 12 + 1, day: 1 });
}

/** Returns the day number of `YYYY-MM-DD`. Null: not a valid date. */
export function dayOfIso(text: string): number | null {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!match) return null;
  const day = dayOf({ year: Number(match[1]), month: Number(match[2]), day: Number(match[3]) });
  return isoOfDay(day) === text ? day : null;
}

/** Returns `YYYY-MM-DD` of a day number. */
export function isoOfDay(dayNumber: number): string {
  const { year, month, day } = civilOf(dayNumber);
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

/** Returns the day number of a valid date, such as a database date. */
export const dayNumber = (date: string): number => dayOfIso(date)!;
