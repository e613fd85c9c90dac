import { SEIFA_INDEXES, type SeifaIndex } from '../../schema/records/seifa.ts';
import { findHeaderRow, type SheetRow } from '../formats/table/workbook.ts';

export const SEIFA_MEASURES = [
  'score',
  'rank',
  'decile',
  'percentile',
  'state_rank',
  'state_decile',
  'state_percentile',
] as const;
type SeifaMeasure = (typeof SEIFA_MEASURES)[number];

/** Positions in a sheet, from 0. */
export interface SeifaLayout {
  /** Index of the header among the rows. */
  readonly header: number;
  readonly code: number;
  /** -1: the sheet has none. */
  readonly population: number;
  readonly measures: readonly {
    readonly index: SeifaIndex;
    readonly measure: SeifaMeasure;
    readonly at: number;
  }[];
}

/** Words that name an index in a title; the longer title comes first, because it contains the shorter. */
const INDEX_TITLES: readonly (readonly [SeifaIndex, RegExp])[] = [
  ['irsad', /advantage and disadvantage|\birsad\b/i],
  ['irsd', /socio-?economic disadvantage|\birsd\b/i],
  ['ier', /economic resources|\bier\b/i],
  ['ieo', /education and occupation|\bieo\b/i],
];

const indexIn = (text: string): SeifaIndex | null =>
  INDEX_TITLES.find(([, title]) => title.test(text))?.[0] ?? null;

const SCORE = /^score$/i;
/** Maximum characters of a column name: a longer text above a table is its title. */
const MAX_NAME_CHARS = 80;
const MEASURE_TITLES: readonly (readonly ['rank' | 'decile' | 'percentile', RegExp])[] = [
  ['rank', /^rank$/i],
  ['decile', /^decile$/i],
  ['percentile', /^percentile$/i],
];

const CODE = /\bcode\b|\((SA1|SA2|SAL|LGA|POA)\)|statistical area level|postal area/i;

/** Finds the first column with a name in the header or in the two rows above, where the names of merged cells are; -1: none. */
function columnNamed(rows: readonly SheetRow[], header: number, name: RegExp): number {
  for (const { cells } of rows.slice(Math.max(0, header - 2), header + 1).reverse()) {
    const at = cells.findIndex((cell) => cell.length < MAX_NAME_CHARS && name.test(cell));
    if (at >= 0) return at;
  }
  return -1;
}

/**
 * Finds the layout of an index sheet from the text of its header. A summary has Score and Decile of four indexes, with their names in the
 * row above. A detail sheet has one index, named in the title, with ranks in Australia and then in the state. Null: not an index (contents,
 * notes, excluded areas).
 */
export function layoutOf(rows: readonly SheetRow[]): SeifaLayout | null {
  const header = findHeaderRow(rows, [SCORE, /^decile$/i]);
  if (header < 0) return null;
  const names = rows[header]!.cells;
  const code = Math.max(0, columnNamed(rows, header, CODE));
  const population = columnNamed(rows, header, /usual resident population/i);
  const shared = { header, code, population };
  const scores = names.flatMap((name, at) => (SCORE.test(name) ? [at] : []));
  if (scores.length > 1) return { ...shared, measures: summaryMeasures(rows, header, scores) };
  const index = titleIndex(rows, header);
  return index === null ? null : { ...shared, measures: detailMeasures(names, index, scores[0]!) };
}

/** Finds the nearest index name at or left of each Score in the rows above; without names, the ABS order applies. */
function summaryMeasures(
  rows: readonly SheetRow[],
  header: number,
  scores: readonly number[],
): SeifaLayout['measures'] {
  const above = rows.slice(Math.max(0, header - 3), header).map(({ cells }) => cells);
  const namedScores = scores.map((at, i) => {
    for (let column = at; column > (scores[i - 1] ?? -1); column--) {
      for (const cells of above) {
        const index = indexIn(cells[column] ?? '');
        if (index !== null) return index;
      }
    }
    return null;
  });
  const isNamed = new Set(namedScores).size === scores.length && !namedScores.includes(null);
  return scores.flatMap((at, i) => {
    const index = isNamed ? namedScores[i]! : SEIFA_INDEXES[i];
    if (index === undefined) return [];
    const decile = rows[header]!.cells.findIndex((name, column) => column > at && /^decile$/i.test(name));
    const next = scores[i + 1] ?? Number.POSITIVE_INFINITY;
    const score = { index, measure: 'score', at } as const;
    return decile < 0 || decile > next ? [score] : [score, { index, measure: 'decile', at: decile } as const];
  });
}

function titleIndex(rows: readonly SheetRow[], header: number): SeifaIndex | null {
  for (const { cells } of rows.slice(0, header))
    for (const cell of cells) {
      const index = indexIn(cell);
      if (index !== null) return index;
    }
  return null;
}

/**
 * Finds the measures of a detail sheet. Names repeat: the first Rank, Decile and Percentile are for Australia, the second for the state.
 */
function detailMeasures(names: readonly string[], index: SeifaIndex, score: number): SeifaLayout['measures'] {
  const measures: SeifaLayout['measures'][number][] = [{ index, measure: 'score', at: score }];
  for (const [measure, title] of MEASURE_TITLES) {
    const at = names.flatMap((name, column) => (title.test(name) ? [column] : []));
    if (at[0] !== undefined) measures.push({ index, measure, at: at[0] });
    if (at[1] !== undefined) measures.push({ index, measure: `state_${measure}`, at: at[1] });
  }
  return measures;
}
