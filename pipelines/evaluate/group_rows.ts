import type { GroupFigures } from './figures.ts';

/** Formats a metric; a dash if unknown. */
export const fixed = (value: number, digits: number): string =>
  Number.isFinite(value) ? value.toFixed(digits) : '–';

/** Returns metrics of groups as rows of text cells, header first. `title` heads the column of group names. */
export function groupRows(
  title: string,
  groups: readonly GroupFigures[],
): [head: string[], ...rows: string[][]] {
  return [
    [title, 'sales', 'median error %', 'within 20 %', 'COD', 'median ratio', 'coverage %', 'width %'],
    ...groups.map((own) => [
      own.group,
      String(own.n),
      fixed(own.median_abs_error_pct, 2),
      fixed(own.within_20_pct, 1),
      fixed(own.cod, 2),
      fixed(own.median_ratio, 3),
      fixed(own.coverage_pct, 1),
      fixed(own.median_width_pct, 1),
    ]),
  ];
}
