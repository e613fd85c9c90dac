/** Days from 1970-01-01 to 2000-01-01, the origin of PostgreSQL dates. */
const EPOCH_DAYS = 10_957;
const MS_PER_DAY = 86_400_000;
/** Days that are remembered: thirty years of them. */
const REMEMBERED = 11_000;

const dates = new Map<number, string>();
const days = new Map<string, number>();

/** The result of `make`, made once for each of the keys that fit into the memory. */
function remember<K, V>(memory: Map<K, V>, key: K, make: (key: K) => V): V {
  const known = memory.get(key);
  if (known !== undefined) return known;
  if (memory.size >= REMEMBERED) memory.clear();
  const value = make(key);
  memory.set(key, value);
  return value;
}

/** `YYYY-MM-DD` of a number of days since 2000-01-01. */
export const dateOfDays = (day: number): string =>
  remember(dates, day, () => new Date((day + EPOCH_DAYS) * MS_PER_DAY).toISOString().slice(0, 10));

/** Days since 2000-01-01 of `YYYY-MM-DD`; not a number where it is no date. */
export const daysOfDate = (date: string): number =>
  remember(days, date, () => Date.parse(`${date}T00:00:00Z`) / MS_PER_DAY - EPOCH_DAYS);
