import { normaliseLotPlan } from '../lot_plan.ts';
import { legalLotText } from '../parse/legal_lot.ts';
import type { AddressIndex } from './address_index.ts';
import { NONE } from './addresses.ts';
import type { MatchHints } from './match_result.ts';
import type { AddressQuery, Hit } from './query.ts';
import { EXACT, type MatchPath, outvotedCost, parentCost, pathReach, step } from './reasons.ts';
import { isPart } from './unit_rules.ts';

/** Maximum distance in metres at which coordinates confirm an address. */
const CONFIRMS_M = 100;
/** Score bonus of a confirmation. It may lift a candidate of another street type, never one of another unit. */
const CONFIRMED = 0.12;
/** Minimum score of a match, and its minimum lead over the second candidate. */
export const MIN_SCORE = 0.8;
export const MIN_MARGIN = 0.04;

/** A candidate with its score before the score is capped at 1. */
export interface RankedCandidate {
  readonly row: number;
  readonly rank: number;
  readonly path: MatchPath;
}

const METRES_PER_DEGREE = 111_200;

function distance_m(index: AddressIndex, row: number, lon: number, lat: number): number | null {
  const position = index.addresses.place(row);
  if (position === null) return null;
  const east = (position[0] - lon) * Math.cos((lat * Math.PI) / 180);
  return Math.hypot(east, position[1] - lat) * METRES_PER_DEGREE;
}

/** Returns the rows on the parcel in the hints or the text. Null: no parcel, or an unreadable one. */
function rowsOfParcel(query: AddressQuery, index: AddressIndex, hints: MatchHints): Set<number> | null {
  const { state, legal_lot } = query.parsed;
  if (!hints.lot_plan && legal_lot === null) return null;
  const states = state === null ? [...new Set(index.localities.all.map((each) => each.state))] : [state];
  const rows = new Set<number>();
  for (const each of states) {
    const text = hints.lot_plan || legalLotText(each, legal_lot!);
    const key = normaliseLotPlan(each, text);
    if (key !== null) for (const row of index.lotPlans.find(key)) rows.add(row);
  }
  return rows;
}

/** Scores a candidate by its distance from the coordinates in the hints. */
function withCoordinates(index: AddressIndex, { row, path }: Hit, hints: MatchHints): RankedCandidate {
  const { lon, lat } = hints;
  if (!Number.isFinite(lon) || !Number.isFinite(lat)) return { row, rank: 1 - path.cost, path };
  const away_m = distance_m(index, row, lon!, lat!);
  if (away_m === null) return { row, rank: 1 - path.cost, path };
  if (away_m > pathReach(path)) {
    const far = step(path, 'far_away');
    return { row, rank: 1 - far.cost, path: far };
  }
  if (away_m > CONFIRMS_M) return { row, rank: 1 - path.cost, path };
  return { row, rank: 1 - path.cost + CONFIRMED, path: step(path, 'coordinates') };
}

/** Adds the addresses of the parcel if the text has no number to find them by. */
function addParcel(query: AddressQuery, index: AddressIndex, rows: ReadonlySet<number>): void {
  const { addresses } = index;
  if (query.parsed.number_first !== null) return;
  for (const row of rows) {
    const unitFits = query.wantsUnit ? addresses.value('flat', row) === query.unit : !isPart(addresses, row);
    if (unitFits) query.add(row, step(EXACT, 'lot_plan'));
  }
}

/** Adds the evidence of the postcode to a path. If the suburb is not the stated one, a different postcode rules the address out. */
function withPostcode(query: AddressQuery, postcode: number, path: MatchPath): MatchPath {
  if (query.parsed.postcode === null || postcode === NONE || postcode === query.postcode) return path;
  // The postcode matches the stated suburb, so it is no further evidence against a suburb farther away.
  if (path.reasons.includes('locality_further')) return path;
  const elsewhere = (['locality_neighbour', 'locality_alias', 'locality_by_postcode'] as const).some(
    (reason) => path.reasons.includes(reason),
  );
  return step(elsewhere ? step(path, 'neighbour_not_certain') : path, 'postcode_conflict');
}

/** Returns whether `a` is the better path to an address: higher rank, then fewer reasons, then reasons in alphabetical order. */
function isBetter(a: RankedCandidate, b: RankedCandidate): boolean {
  if (a.rank !== b.rank) return a.rank > b.rank;
  const [x, y] = [a.path.reasons, b.path.reasons];
  return x.length !== y.length ? x.length < y.length : x.join() < y.join();
}

/** Returns the candidates, one per principal, best first; ties by pid. */
export function rank(query: AddressQuery, index: AddressIndex, hints: MatchHints): RankedCandidate[] {
  const { addresses } = index;
  const parcel = rowsOfParcel(query, index, hints);
  if (parcel !== null) addParcel(query, index, parcel);
  const best = new Map<number, RankedCandidate>();
  for (const hit of query.hits) {
    let path = withPostcode(query, addresses.value('postcode', hit.row), hit.path);
    const principal = addresses.principalOf(hit.row);
    if (principal !== hit.row) path = step(path, 'alias_address');
    if (addresses.value('live', principal) === 0) path = step(path, 'retired');
    let ranked = withCoordinates(index, { row: principal, path }, hints);
    if (parcel !== null && parcel.size > 0) {
      const on = parcel.has(hit.row) || parcel.has(principal);
      const rankedPath = on ? ranked.path : step(ranked.path, 'lot_plan_conflict');
      ranked = {
        row: principal,
        rank: ranked.rank + (on ? CONFIRMED : path.cost - rankedPath.cost),
        path: rankedPath,
      };
    }
    const previous = best.get(principal);
    if (previous === undefined || isBetter(ranked, previous)) best.set(principal, ranked);
  }
  return [...best.values()].sort(
    (a, b) => b.rank - a.rank || (addresses.pids.text(a.row) < addresses.pids.text(b.row) ? -1 : 1),
  );
}

/** A parent of the address in the text, with its lead over any other address. */
export interface Parent extends RankedCandidate {
  readonly margin: number;
}

/**
 * Returns the parent of the address in the text: the building of a missing unit, or the range that contains the number. Null: no
 * parent is certain enough. The rest of the text must fit as for a match.
 * If the register has the address but coordinates or parcel contradict it, its parent is not returned instead.
 */
export function parentAmong({ addresses }: AddressIndex, ranked: readonly RankedCandidate[]): Parent | null {
  const isParent = ({ row, path }: RankedCandidate): boolean =>
    parentCost(path) > 0 && !isPart(addresses, row);
  const score = (each: RankedCandidate): number => each.rank + (isParent(each) ? parentCost(each.path) : 0);
  const [best, second] = [...ranked].sort((a, b) => score(b) - score(a));
  if (best === undefined || !isParent(best) || score(best) < MIN_SCORE - 1e-9) return null;
  const margin = score(best) - (second === undefined ? 0 : Math.max(0, score(second)));
  const isThere = ranked.some(
    ({ path }) => outvotedCost(path) > 0 && path.cost - outvotedCost(path) <= 1 - MIN_SCORE + 1e-9,
  );
  return margin < MIN_MARGIN - 1e-9 || isThere ? null : { ...best, margin };
}
