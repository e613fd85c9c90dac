/** Maximum of each count; more is a mistake. */
export const COUNTS_MAX = { bedrooms: 30, bathrooms: 20, parking: 50 } as const;

const NOTHING = /^(|nan|n\/?a|null|none|-)$/i;

/**
 * Reads a published count of rooms, `3`, `2.0` or `2.5`, rounded down (half a bathroom is none). `studio` has 0 bedrooms. Null:
 * nothing is stated. NaN: not a number, negative or more than `most`.
 */
export function readCount(text: string, most: number): number | null {
  const trimmed = text.trim();
  if (NOTHING.test(trimmed)) return null;
  if (/^studio$/i.test(trimmed)) return 0;
  if (!/^\d{1,4}(\.\d{1,3})?\+?$/.test(trimmed)) return Number.NaN;
  const value = Math.floor(Number.parseFloat(trimmed));
  return value > most ? Number.NaN : value;
}

/** Reads a construction year. Null: nothing is stated. NaN: not a year from 1788 to `latest`. */
export function readYearBuilt(text: string, latest: number): number | null {
  const trimmed = text.trim();
  if (NOTHING.test(trimmed) || trimmed === '0') return null;
  const year = /^\d{4}(\.0+)?$/.test(trimmed) ? Number(trimmed) : Number.NaN;
  return year >= 1788 && year <= latest ? year : Number.NaN;
}
