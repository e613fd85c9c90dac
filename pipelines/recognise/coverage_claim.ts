import type { Bbox } from '../../schema/grid.ts';
import { WHOLE_STATE } from '../../schema/records/coverage.ts';
import type { Part } from '../../sources/adapter.ts';
import { type CoverageOption, isCoverage, NATIONAL } from '../../sources/release/coverage.ts';
import type { Extent } from './extent.ts';

/** The mainland and near islands of each state, degrees: what its publisher's layers of the whole state reach across. */
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
/** How far a layer of a state may stay behind its border, as a share of the width or height of the state. */
const MARGIN = 0.15;
/** Least share of a box that zones fill, all kinds of them being there: half of the box of a state is sea or its neighbours. */
const FILLED = 0.3;

/** Coverage to configure for a dataset, and the reason. */
export interface Claim {
  readonly coverage: CoverageOption;
  readonly note: string;
}

/** The state, or AU for several, that a dataset covers by default; null: none. */
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

/** Square metres of a box, on a sphere: near enough for a share. */
function boxSqm([west, south, east, north]: Bbox): number {
  const rad = Math.PI / 180;
  return 6_371_000 ** 2 * (east - west) * rad * (Math.sin(north * rad) - Math.sin(south * rad));
}

/**
 * Coverage of a dataset that claims a whole state: null if its features span the state; otherwise their bounding box; none for zones
 * that leave most of their box blank, and for too few features to make a box.
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

/** Whether two boxes share more than a tenth of the smaller one: neighbours touch along their border alone. */
export function overlap(a: Bbox, b: Bbox): boolean {
  const width = Math.min(a[2], b[2]) - Math.max(a[0], b[0]);
  const height = Math.min(a[3], b[3]) - Math.max(a[1], b[1]);
  const area = ([west, south, east, north]: Bbox): number => (east - west) * (north - south);
  return width > 0 && height > 0 && width * height > 0.1 * Math.min(area(a), area(b));
}
