import { type Bbox, expandBbox } from '../../schema/grid.ts';

/** Ground of which a dataset says nothing; null edges: all that it covers. */
export interface CoverageGap {
  readonly dataset: string;
  readonly theme: string;
  readonly west: number | null;
  readonly south: number | null;
  readonly east: number | null;
  readonly north: number | null;
}

/** A box in which nothing is known of a theme. */
interface ThemeBox {
  readonly theme: string;
  readonly box: Bbox;
}

const meet = (a: Bbox, b: Bbox): boolean => a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3];

/** Whether the gap of a dataset and theme is all that it covers. */
export function isWholeGap(
  gaps: readonly CoverageGap[],
): (row: { readonly dataset: string; readonly theme: string }) => boolean {
  const whole = new Set(
    gaps.filter(({ west }) => west === null).map(({ dataset, theme }) => `${dataset}|${theme}`),
  );
  return ({ dataset, theme }) => whole.has(`${dataset}|${theme}`);
}

/** The boxes of gaps, each widened by the metres within which its theme is looked for. */
export const gapBoxes = (gaps: readonly CoverageGap[], reachOf: (theme: string) => number): ThemeBox[] =>
  gaps.flatMap(({ theme, west, south, east, north }) =>
    west === null ? [] : [{ theme, box: expandBbox([west, south!, east!, north!], reachOf(theme)) }],
  );

/** Themes of the boxes that a box meets. */
export const themesMeeting = (boxes: readonly ThemeBox[], around: Bbox): Set<string> =>
  new Set(boxes.filter(({ box }) => meet(box, around)).map(({ theme }) => theme));

/** The boxes that a box meets. */
export const boxesMeeting = (boxes: readonly ThemeBox[], around: Bbox): ThemeBox[] =>
  boxes.filter(({ box }) => meet(box, around));
