import { z } from 'zod';
import { STATES } from '../release/coverage.ts';
import { dateInName } from '../release/release_label.ts';
import { isoDate } from './words/dates.ts';
import { RENT_BOUNDS } from './words/rent.ts';

/** Options of every market event adapter. */
export const marketOptions = {
  /** Order of day and month in a date such as 4/3/2026. */
  date_order: z.enum(['dmy', 'mdy']).default('dmy'),
  /** First of the hundred years that a year of two digits is in, such as 1950; without it, a date such as 4/3/26 is rejected. */
  two_digit_years_from: z
    .int()
    .min(1900)
    .max(2100)
    .nullish()
    .transform((year) => year ?? null),
  /** State of rows that state none. */
  state: z
    .enum(STATES)
    .nullish()
    .transform((state) => state ?? null),
  /** Date after which an event is in the future, if neither the event nor its file name states when it was observed. */
  as_of: z.iso
    .date()
    .nullish()
    .transform((date) => date ?? null),
  /** Bounds of a weekly rent; see RENT_BOUNDS. */
  rent_bounds: z
    .strictObject({
      least: z.number().positive().default(RENT_BOUNDS.least),
      most: z
        .array(z.number().positive())
        .min(1)
        .default([...RENT_BOUNDS.most]),
      state_share: z.record(z.string(), z.number().positive()).default({ ...RENT_BOUNDS.state_share }),
    })
    .default({ ...RENT_BOUNDS, most: [...RENT_BOUNDS.most], state_share: { ...RENT_BOUNDS.state_share } }),
};

/** Values of those options. */
export type MarketOptions = z.output<z.ZodObject<typeof marketOptions>>;

/** Returns the date in a file name, or the last day of a month in it: the date of the file; null: none. */
export function dayInName(name: string): string | null {
  const date = dateInName(name);
  if (date === null || date.length === 10) return date;
  const [year, month] = date.split('-').map(Number) as [number, number];
  for (let day = 31; day > 27; day--) {
    const last = isoDate(year, month, day);
    if (last !== null) return last;
  }
  return null;
}
