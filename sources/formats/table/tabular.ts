import type { Problem } from '../feature.ts';
import { missingColumns } from './columns.ts';

export interface TableLine {
  readonly line: number;
  readonly cells: readonly string[];
  /** Why the line cannot be read; it then has no cells. Absent or null: it can. */
  readonly problem?: Problem | null;
}

/** Positions of the columns of wanted fields in a table, preferred ones first; empty: the table has none. */
export type ColumnPositions<K extends string> = Readonly<Record<K, readonly number[]>>;

const comparable = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/**
 * Finds all columns of fields in a header by aliases, in the order of the aliases; case, punctuation and repeated spaces are ignored. If
 * columns repeat a name, the first counts.
 */
export function bindAliases<K extends string>(
  header: readonly string[],
  aliases: Readonly<Record<K, readonly string[]>>,
): ColumnPositions<K> {
  const names = header.map(comparable);
  const positions = {} as Record<K, readonly number[]>;
  for (const key of Object.keys(aliases) as K[]) {
    const foundAt = aliases[key].map((alias) => names.indexOf(comparable(alias))).filter((at) => at >= 0);
    positions[key] = [...new Set(foundAt)];
  }
  return positions;
}

/** Returns the first filled cell of a row at some positions; empty: all are blank. */
export function cellAt(cells: readonly string[], at: readonly number[]): string {
  for (const position of at) {
    const cell = cells[position];
    if (cell !== undefined && cell.trim() !== '') return cell;
  }
  return '';
}

/** Throws EtlError `missing_column` if a needed column was not found; it names the file, the wanted columns and the existing ones. */
export function requireColumns<K extends string>(
  positions: ColumnPositions<K>,
  needed: readonly K[],
  aliases: Readonly<Record<K, readonly string[]>>,
  header: readonly string[],
  file: string,
): void {
  const missing = needed.filter((key) => positions[key].length === 0);
  if (missing.length === 0) return;
  const missingNames = missing.map((key) => `${key} (${aliases[key].join(' or ') || 'no name given'})`);
  const advice = 'Check that it is the right table, or name the column in field_map.';
  throw missingColumns(file, missingNames, header, advice);
}

/** Reads a whole number such as `40000`, `40000.0` or `-3`, at most nine digits; null: empty. NaN: anything else. */
export function wholeNumber(text: string): number | null {
  if (text === '') return null;
  return /^-?\d{1,9}(\.0+)?$/.test(text) ? Number(text) : Number.NaN;
}

/** Reads a decimal number as spreadsheets and CSV files write it, exponent allowed; null: empty. NaN: anything else, including infinity. */
export function decimalNumber(text: string): number | null {
  if (text === '') return null;
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i.test(text)) return Number.NaN;
  const value = Number(text);
  return Number.isFinite(value) ? value : Number.NaN;
}
