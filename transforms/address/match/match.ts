import { formatLabel } from '../label.ts';
import { type AddressFields, parseAddress } from '../parse/parse.ts';
import type { AddressIndex } from './address_index.ts';
import { MIN_MARGIN, MIN_SCORE, parentAmong, type RankedCandidate, rank } from './decide.ts';
import type { MatchCandidate, MatchHints, MatchResult, MatchStatus } from './match_result.ts';
import { AddressQuery } from './query.ts';
import type { AddressReading } from './readings.ts';
import { ruleName } from './reasons.ts';
import { AddressSearch } from './search.ts';

/** Maximum candidates in a result. */
const LISTED = 5;
const MICRO = 1e6;

/** Input of a match: free text, fields, or text completed by fields. */
export type MatchInput = AddressFields & { text?: string | null };

const rounded = (score: number): number => Math.round(score * MICRO) / MICRO;
const scoreOf = ({ rank: value }: RankedCandidate): number => rounded(Math.max(0, Math.min(1, value)));

function labelOf({ addresses, streets, localities }: AddressIndex, row: number): string {
  const street = addresses.value('street', row);
  const locality = localities.all[streets.localityOf(street)]!;
  return formatLabel({
    level_type: addresses.text('level_type', row),
    level_number: addresses.text('level', row),
    flat_type: addresses.text('flat_type', row),
    flat_number: addresses.text('flat', row),
    building_name: addresses.text('building', row),
    lot_number: addresses.text('lot', row),
    number_first: addresses.text('first', row),
    number_last: addresses.text('last', row),
    street: streets.label(street) || null,
    location_description: null,
    locality_name: locality.name,
    state: locality.state,
    postcode: addresses.text('postcode', row),
  });
}

const candidateOf = (index: AddressIndex, ranked: RankedCandidate): MatchCandidate => ({
  gnaf_pid: index.addresses.pids.text(ranked.row),
  label: labelOf(index, ranked.row),
  score: scoreOf(ranked),
  rule: ruleName(ranked.path.reasons),
});

/** Returns the rule of a result without candidates: the part of the address that was not found. */
function missing({ parsed, facts }: AddressQuery, readings: readonly AddressReading[]): string {
  const hasNumber = parsed.number_first !== null || parsed.lot !== null;
  if (!hasNumber && parsed.building === null) return parsed.tail.length === 0 ? 'no_address' : 'no_number';
  if (!facts.locality)
    return readings.some(({ placeKey }) => placeKey !== null) ? 'locality_unknown' : 'no_locality';
  if (!facts.street) return 'street_absent';
  return facts.number ? 'unit_absent' : 'number_absent';
}

function statusOf(best: RankedCandidate | undefined, margin: number): MatchStatus {
  if (best === undefined || best.rank < MIN_SCORE - 1e-9) return 'no_match';
  return margin >= MIN_MARGIN - 1e-9 ? 'matched' : 'ambiguous';
}

interface MatchSearchResult {
  query: AddressQuery;
  readings: AddressReading[];
  ranked: RankedCandidate[];
}

function find(index: AddressIndex, input: MatchInput, hints: MatchHints): MatchSearchResult {
  const query = new AddressQuery(parseAddress(input), index.addresses);
  const readings = new AddressSearch(index, query, hints).run();
  return { query, readings, ranked: rank(query, index, hints) };
}

/**
 * Matches one address. A match has a score of at least MIN_SCORE and leads the second candidate by MIN_MARGIN. Otherwise the result
 * is `parent`, `ambiguous` or `no_match` with candidates, never an arbitrary one of several.
 * `gnaf_pid` is a live principal, never a parent. Deterministic; no text throws.
 */
export function matchAddress(index: AddressIndex, input: MatchInput, hints: MatchHints = {}): MatchResult {
  const { query, readings, ranked } = find(index, input, hints);
  const [best, second] = ranked;
  const lead = best === undefined ? 0 : rounded(best.rank - Math.max(0, second?.rank ?? 0));
  const bestStatus = statusOf(best, lead);
  const parent = bestStatus === 'no_match' ? parentAmong(index, ranked) : null;
  const status = parent === null ? bestStatus : 'parent';
  const ordered = parent === null ? ranked : [parent, ...ranked.filter(({ row }) => row !== parent.row)];
  const listedCandidates = ordered
    .slice(0, status === 'matched' ? 2 : LISTED)
    .map((each) => candidateOf(index, each));
  const reading = readings.find(({ isKnown }) => isKnown) ?? readings[0];
  return {
    status,
    gnaf_pid: status === 'matched' ? listedCandidates[0]!.gnaf_pid : null,
    parent_pid: status === 'parent' ? listedCandidates[0]!.gnaf_pid : null,
    score: listedCandidates[0]?.score ?? 0,
    rule: listedCandidates[0]?.rule ?? missing(query, readings),
    runner_up: listedCandidates[1] ?? null,
    margin: parent === null ? lead : rounded(parent.margin),
    candidates: listedCandidates,
    parsed: {
      ...query.parsed,
      street: reading && reading.street.length > 0 ? reading.street.join(' ') : null,
      locality: reading?.locality ?? null,
    },
  };
}

/** Returns possible addresses of a text, for geocoding: best first, ties by gnaf_pid, with any score. */
export function candidates(
  index: AddressIndex,
  text: string,
  limit: number,
  hints: MatchHints = {},
): MatchCandidate[] {
  const { ranked } = find(index, { text }, hints);
  return ranked.slice(0, Math.max(0, limit)).map((each) => candidateOf(index, each));
}
