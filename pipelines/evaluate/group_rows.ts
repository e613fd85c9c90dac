import type { StandardsMet } from '../../transforms/stats/standards.ts';
import { type errorSpread, type GroupFigures, SPREAD_METRICS } from './error_figures.ts';

/** Formats a metric; a dash if unknown. */
export const fixed = (value: number, digits: number): string =>
  Number.isFinite(value) ? value.toFixed(digits) : '–';

/** Names the standards of the IAAO that a group misses; `met`: none, as far as its sales show. */
function missed({ level, uniformity, vertical_equity }: StandardsMet): string {
  const names = [level ? [] : ['level'], uniformity ? [] : ['COD'], vertical_equity === false ? ['VEI'] : []];
  return names.flat().join(', ') || 'met';
}

/** Returns metrics of groups as rows of text cells, header first. `title` heads the column of group names. */
export function groupFigureRows(
  title: string,
  groups: readonly GroupFigures[],
): [head: string[], ...rows: string[][]] {
  return [
    [
      title,
      'sales',
      'median error %',
      'within 20 %',
      'median ratio',
      'COD',
      'VEI %',
      'IAAO',
      'coverage %',
      'width %',
    ],
    ...groups.map((own) => [
      own.group,
      String(own.n),
      fixed(own.median_abs_error_pct, 2),
      fixed(own.within_20_pct, 1),
      fixed(own.median_ratio, 3),
      fixed(own.cod, 2),
      fixed(own.vei, 1),
      missed(own.met),
      fixed(own.coverage_pct, 1),
      fixed(own.median_width_pct, 1),
    ]),
  ];
}

/** Names and digits of the metrics in a table of their spread. */
const SPREAD_NAMES: Record<(typeof SPREAD_METRICS)[number], [name: string, digits: number]> = {
  median_abs_error_pct: ['median error %', 2],
  median_ratio: ['median ratio', 3],
  cod: ['COD', 2],
  prd: ['PRD', 3],
  prb: ['PRB', 3],
  vei: ['VEI %', 1],
  coverage_pct: ['coverage %', 1],
};

export const SPREAD_HEAD = ['mean ± SD', 'lowest', 'highest'] as const;

/** Returns the spread of metrics over time windows as rows of text cells, without the header `SPREAD_HEAD`. */
export const spreadRows = (spread: ReturnType<typeof errorSpread>): string[][] =>
  SPREAD_METRICS.flatMap((metric) => {
    const values = spread[metric];
    const [name, digits] = SPREAD_NAMES[metric];
    if (values === null) return [];
    const text = (value: number): string => fixed(value, digits);
    return [[name, `${text(values.mean)} ± ${text(values.sd)}`, text(values.low), text(values.high)]];
  });
