import { ANY_STATE } from '../../schema/assets/coverage.ts';
import { type Bbox, expandBbox } from '../../schema/grid.ts';

/** Area without data in a dataset. Null edges: everything that it covers in the state. */
export interface CoverageGap {
  readonly dataset: string;
  readonly theme: string;
  /** State abbreviation, or `*` for any. */
  readonly state: string;
  readonly west: number | null;
  readonly south: number | null;
  readonly east: number | null;
  readonly north: number | null;
}

/** A box without data of a theme. */
interface ThemeBox {
  readonly theme: string;
  readonly box: Bbox;
}

const meet = (a: Bbox, b: Bbox): boolean => a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3];

/** Returns whether the gap of a dataset and theme is everything that it covers in a state. */
export function isWholeGap(
  gaps: readonly CoverageGap[],
): (row: { readonly dataset: string; readonly theme: string }, state: string) => boolean {
  const keyOf = (dataset: string, theme: string, state: string): string => `${dataset}|${theme}|${state}`;
  const wholeRegions = new Set(
    gaps.filter(({ west }) => west === null).map(({ dataset, theme, state }) => keyOf(dataset, theme, state)),
  );
  return ({ dataset, theme }, state) =>
    wholeRegions.has(keyOf(dataset, theme, state)) || wholeRegions.has(keyOf(dataset, theme, ANY_STATE));
}

/** Returns the boxes of gaps, each widened by the search radius of its theme, metres. */
export const gapBoxes = (gaps: readonly CoverageGap[], reachOf: (theme: string) => number): ThemeBox[] =>
  gaps.flatMap(({ theme, west, south, east, north }) =>
    west === null ? [] : [{ theme, box: expandBbox([west, south!, east!, north!], reachOf(theme)) }],
  );

export const themesMeeting = (boxes: readonly ThemeBox[], around: Bbox): Set<string> =>
  new Set(boxes.filter(({ box }) => meet(box, around)).map(({ theme }) => theme));

export const themeBoxesMeeting = (boxes: readonly ThemeBox[], around: Bbox): ThemeBox[] =>
  boxes.filter(({ box }) => meet(box, around));
