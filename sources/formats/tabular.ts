import { missingColumns } from './columns.ts';

/** Position of a wanted column in a table; -1: the table has none. */
export type Positions<K extends string> = Readonly<Record<K, number>>;

const comparable = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/**
 * Finds columns in a header by aliases, the first alias first; case, punctuation and repeated spaces do not count. Of columns
 * that repeat a name the first is taken.
 */
export function bindAliases<K extends string>(
  header: readonly string[],
  aliases: Readonly<Record<K, readonly string[]>>,
): Positions<K> {
  const names = header.map(comparable);
  const positions = {} as Record<K, number>;
  for (const key of Object.keys(aliases) as K[]) {
    positions[key] = -1;
    for (const alias of aliases[key]) {
      positions[key] = names.indexOf(comparable(alias));
      if (positions[key] >= 0) break;
    }
  }
  return positions;
}

/** Throws EtlError `missing_column` where one of the needed columns was not found; it names the file, what was wanted and what is there. */
export function requireColumns<K extends string>(
  positions: Positions<K>,
  needed: readonly K[],
  aliases: Readonly<Record<K, readonly string[]>>,
  header: readonly string[],
  file: string,
): void {
  const missing = needed.filter((key) => positions[key] < 0);
  if (missing.length === 0) return;
  const wanted = missing.map((key) => `${key} (${aliases[key].join(' or ') || 'no name given'})`);
  const advice = 'Check that it is the right table, or name the column in field_map.';
  throw missingColumns(file, wanted, header, advice);
}

/** A whole number such as `40000`, `40000.0` or `-3`, at most nine digits; null: empty. NaN: anything else. */
export function wholeNumber(text: string): number | null {
  if (text === '') return null;
  return /^-?\d{1,9}(\.0+)?$/.test(text) ? Number(text) : Number.NaN;
}

/** A decimal number as spreadsheets and CSV files write it, exponent allowed; null: empty. NaN: anything else, infinite too. */
export function decimalNumber(text: string): number | null {
  if (text === '') return null;
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i.test(text)) return Number.NaN;
  const value = Number(text);
  return Number.isFinite(value) ? value : Number.NaN;
}
