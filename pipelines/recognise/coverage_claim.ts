import type { Bbox } from '../../schema/grid.ts';
import { WHOLE_STATE } from '../../schema/records/coverage.ts';
import type { Part } from '../../sources/adapter.ts';
import { type CoverageOption, isCoverage, NATIONAL } from '../../sources/release/coverage.ts';
import type { Extent } from './extent.ts';

/** Bounding boxes of each state's mainland and near islands, GDA2020 degrees. A layer of the whole state spans most of its box. */
const STATE_BOXES: Readonly<Record<string, Bbox>> = {
  NSW: [141, -37.51, 153.64, -28.16],
  VIC: [140.96, -39.14, 149.98, -33.98],
  QLD: [138, -29.18, 153.55, -10.69],
  SA: [129, -38.06, 141, -26],
  WA: [112.92, -35.13, 129, -13.69],
  TAS: [143.82, -43.65, 148.48, -39.58],
  NT: [129, -26, 138, -10.96],
  ACT: [148.76, -35.92, 149.4, -35.12],
  [NATIONAL]: [112.92, -43.65, 153.64, -10.69],
};
/** Maximum gap between a layer's extent and each side of the state's box, as a share of the box's width or height. */
const MARGIN = 0.15;
/** Minimum share of a box that zones of all kinds fill; half of a state's box is sea or neighbouring states. */
const FILLED = 0.3;

/** Coverage to configure for a dataset, with the reason. */
export interface Claim {
  readonly coverage: CoverageOption;
  readonly note: string;
}

/** Returns the state that a dataset covers by default, or AU for several; null: none. */
export function claimedState(parts: readonly Part[]): string | null {
  const source = parts.map((part) => part.source).find(isCoverage);
  if (source === undefined || !('areas' in source.extent)) return null;
  const states = source.extent.areas.filter(({ area }) => area === WHOLE_STATE).map(({ state }) => state);
  return states.length === 1 ? states[0]! : states.length === 0 ? null : NATIONAL;
}

function reaches(whole: Bbox, state: string): boolean {
  const box = STATE_BOXES[state];
  if (box === undefined) return false;
  const [width, height] = [(box[2] - box[0]) * MARGIN, (box[3] - box[1]) * MARGIN];
  return (
    whole[0] <= box[0] + width &&
    whole[1] <= box[1] + height &&
    whole[2] >= box[2] - width &&
    whole[3] >= box[3] - height
  );
}

/** Returns the approximate area of a box in square metres, on a sphere; accurate enough for a share. */
function boxSqm([west, south, east, north]: Bbox): number {
  const rad = Math.PI / 180;
  return 6_371_000 ** 2 * (east - west) * rad * (Math.sin(north * rad) - Math.sin(south * rad));
}

/**
 * Returns a narrower coverage for a dataset that claims a whole state; null: its features span the state. Otherwise it is their bounding
 * box, or `none` if zones leave most of the box blank or there are too few features for a box.
 */
export function narrowedClaim(adapter: string, state: string, extent: Extent): Claim | null {
  const isState = reaches(extent.whole, state);
  const box = isState ? extent.whole : extent.middle;
  if (!(box[0] < box[2] && box[1] < box[3]))
    return { coverage: 'none', note: 'Its features have no extent, so "none found" is never claimed.' };
  if (adapter === 'zoning' && extent.polygons_sqm < boxSqm(box) * FILLED)
    return {
      coverage: 'none',
      note: 'Its zones leave most of their extent blank: places without a zone count as unknown.',
    };
  if (isState) return null;
  return {
    coverage: { bbox: [...box] },
    note: `An extract of ${state}: outside the box of its features, places count as unknown. Widen the box if the extract covers more.`,
  };
}

/** Returns whether two boxes share more than a tenth of the smaller one. Neighbours touch only along their border. */
export function overlap(a: Bbox, b: Bbox): boolean {
  const width = Math.min(a[2], b[2]) - Math.max(a[0], b[0]);
  const height = Math.min(a[3], b[3]) - Math.max(a[1], b[1]);
  const area = ([west, south, east, north]: Bbox): number => (east - west) * (north - south);
  return width > 0 && height > 0 && width * height > 0.1 * Math.min(area(a), area(b));
}
