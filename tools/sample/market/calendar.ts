const DAY_MS = 86_400_000;
const FIRST = Date.UTC(2016, 6, 1);

/** Days of the market, 1 July 2016 to 30 June 2026: the events of the sample lie in them, whenever it is made. */
export const DAYS = Array.from({ length: 3652 }, (_, day) =>
  new Date(FIRST + day * DAY_MS).toISOString().slice(0, 10),
);

/** Months since the first one, fractional. */
export const monthsOf = (day: number): number => day / 30.4375;
