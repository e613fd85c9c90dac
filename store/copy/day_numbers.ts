/** Days from 1970-01-01 to 2000-01-01, the origin of PostgreSQL dates. */
const EPOCH_DAYS = 10_957;
const MS_PER_DAY = 86_400_000;
/** Maximum cached days: thirty years. */
const REMEMBERED = 11_000;

const dates = new Map<number, string>();
const days = new Map<string, number>();

/** Returns the result of `make`, cached by key; a full cache is cleared. */
function remember<K, V>(memory: Map<K, V>, key: K, make: (key: K) => V): V {
  const cached = memory.get(key);
  if (cached !== undefined) return cached;
  if (memory.size >= REMEMBERED) memory.clear();
  const value = make(key);
  memory.set(key, value);
  return value;
}

/** Converts a number of days since 2000-01-01 to `YYYY-MM-DD`. */
export const dateOfDays = (day: number): string =>
  remember(dates, day, () => new Date((day + EPOCH_DAYS) * MS_PER_DAY).toISOString().slice(0, 10));

/** Converts `YYYY-MM-DD` to days since 2000-01-01; NaN if it is not a date. */
export const daysOfDate = (date: string): number =>
  remember(days, date, () => Date.parse(`${date}T00:00:00Z`) / MS_PER_DAY - EPOCH_DAYS);
