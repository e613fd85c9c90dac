import { type Bbox, unionBox } from '../../schema/grid.ts';
import { groupBy } from '../../schema/group_by.ts';
import { WHOLE_STATE } from '../../schema/records/coverage.ts';
import { DIGIT_OF_STATE } from '../../schema/states.ts';
import type { Part } from '../../sources/adapter.ts';
import { type CoverageOption, isCoverage, NATIONAL } from '../../sources/release/coverage.ts';
import type { Council, Councils } from './councils.ts';
import type { Extent, PlacedFeature } from './extent.ts';

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
/** Maximum gap between features and each side of the box of a state or council, as a share of the box's width or height. */
const MARGIN = 0.15;
/** Minimum share of a box that zones of all kinds fill; half of a state's box is sea or neighbouring states. */
const FILLED = 0.3;
/** Minimum share of the features of one stated council that lie in one council of the ABS, for the two to be the same. */
const AGREED = 0.5;
/** Maximum stated councils in a question. */
const MAX_SHOWN = 10;

/** Coverage to configure for a dataset, with the reason. */
export interface Claim {
  readonly coverage: CoverageOption;
  readonly note: string;
  /** True: the operator has to say what the dataset covers. */
  readonly isOpen: boolean;
}

/** Returns the state that a dataset covers by default, or AU for several; null: none. */
export function claimedState(parts: readonly Part[]): string | null {
  const source = parts.map((part) => part.source).find(isCoverage);
  if (source === undefined || !('areas' in source.extent)) return null;
  const states = source.extent.areas.filter(({ area }) => area === WHOLE_STATE).map(({ state }) => state);
  return states.length === 1 ? states[0]! : states.length === 0 ? null : NATIONAL;
}

/** Returns whether a box reaches near every side of another. */
function spans(box: Bbox, other: Bbox): boolean {
  const [width, height] = [(other[2] - other[0]) * MARGIN, (other[3] - other[1]) * MARGIN];
  return (
    box[0] <= other[0] + width &&
    box[1] <= other[1] + height &&
    box[2] >= other[2] - width &&
    box[3] >= other[3] - height
  );
}

/** Returns the approximate area of a box in square metres, on a sphere; accurate enough for a share. */
function boxSqm([west, south, east, north]: Bbox): number {
  const rad = Math.PI / 180;
  return 6_371_000 ** 2 * (east - west) * rad * (Math.sin(north * rad) - Math.sin(south * rad));
}

const centreOf = ({ box: [west, south, east, north] }: PlacedFeature): [number, number] => [
  (west + east) / 2,
  (south + north) / 2,
];

const none = (note: string, isOpen = false): Claim => ({ coverage: 'none', note, isOpen });

/**
 * Returns a narrower coverage for a dataset that claims a whole state; null: its features span the state. Otherwise it is the councils
 * that its features state, or the councils that they span, or `none` with a question. `councils` null: no boundaries in the folder.
 */
export function narrowedClaim(
  adapter: string,
  state: string,
  extent: Extent,
  councils: Councils | null,
): Claim | null {
  const { box, features } = extent;
  const stateBox = STATE_BOXES[state];
  const isState = stateBox !== undefined && spans(box, stateBox);
  if (!(box[0] < box[2] && box[1] < box[3]))
    return none('Its features have no extent, so "none found" is never claimed.');
  const filled = adapter === 'zoning' ? FILLED : 0;
  if ((isState || councils === null) && !fills(features, box, filled))
    return none('Its zones leave most of their extent blank: places without a zone count as unknown.');
  if (isState) return null;
  const byCouncil = [...groupBy(features, ({ council }) => council ?? '')];
  const isStated = byCouncil.every(([value]) => value !== '');
  const codes = isStated
    ? statedCouncils(state, byCouncil, councils, filled)
    : spannedCouncils(features, councils, filled);
  if (codes.length > 0)
    return {
      coverage: { lga: codes },
      note: `An extract of ${state}: outside ${codes.length === 1 ? 'this council' : 'these councils'}, places count as unknown.`,
      isOpen: false,
    };
  const values = byCouncil.map(([value]) => value).filter((value) => value !== '');
  const examples = values.slice(0, MAX_SHOWN).join(', ') + (values.length > MAX_SHOWN ? ', …' : '');
  const names = values.length === 0 ? '' : ` Its features state ${examples}.`;
  return none(
    `Which councils does it cover completely?${names} Set coverage, for example {lga: ["24130"]} with codes of the ABS; until then places without a feature count as unknown.`,
    true,
  );
}

/**
 * Returns the ABS codes of stated councils. The only stated council is covered. Of several, those that their features span are, because an
 * extract by a box has parts of the councils along its edge.
 */
function statedCouncils(
  state: string,
  featuresByCouncil: readonly (readonly [value: string, features: readonly PlacedFeature[]])[],
  councils: Councils | null,
  filled: number,
): string[] {
  const isCode = (value: string): boolean =>
    /^[1-9]\d{4}$/.test(value) && (state === NATIONAL || Number(value[0]) === DIGIT_OF_STATE[state]);
  const codes = featuresByCouncil.flatMap(([value, features]) => {
    const council = councilOf(features, councils);
    const isOnly = featuresByCouncil.length === 1;
    if (council === null) return isOnly && isCode(value) ? [value] : [];
    const isCovered = (isOnly || spans(boxOf(features), council.box)) && fills(features, council.box, filled);
    return isCovered ? [council.code] : [];
  });
  return [...new Set(codes)].sort();
}

/** Returns the codes of the councils that the features inside them span. */
function spannedCouncils(
  features: readonly PlacedFeature[],
  councils: Councils | null,
  filled: number,
): string[] {
  if (councils === null) return [];
  const inside = groupBy(features, (feature) => councils.at(...centreOf(feature)));
  return [...inside]
    .flatMap(([council, own]) =>
      council !== null && spans(boxOf(own), council.box) && fills(own, council.box, filled)
        ? [council.code]
        : [],
    )
    .sort();
}

/** Returns the council that most of some features are in; null: none. */
function councilOf(features: readonly PlacedFeature[], councils: Councils | null): Council | null {
  if (councils === null) return null;
  const inside = groupBy(features, (feature) => councils.at(...centreOf(feature)));
  const most = [...inside].find(
    ([council, own]) => council !== null && own.length >= features.length * AGREED,
  );
  return most?.[0] ?? null;
}

const boxOf = (features: readonly PlacedFeature[]): Bbox => unionBox(features.map(({ box }) => box));

/** Returns whether the polygons of features have at least a share of the area of a box. */
const fills = (features: readonly PlacedFeature[], box: Bbox, share: number): boolean =>
  features.reduce((sum, { sqm }) => sum + sqm, 0) >= boxSqm(box) * share;

/** Returns whether two boxes share more than a tenth of the smaller one. Neighbours touch only along their border. */
export function overlap(a: Bbox, b: Bbox): boolean {
  const width = Math.min(a[2], b[2]) - Math.max(a[0], b[0]);
  const height = Math.min(a[3], b[3]) - Math.max(a[1], b[1]);
  const area = ([west, south, east, north]: Bbox): number => (east - west) * (north - south);
  return width > 0 && height > 0 && width * height > 0.1 * Math.min(area(a), area(b));
}
