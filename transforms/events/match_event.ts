import type { eventMatchAsset } from '../../schema/assets/event.ts';
import type { marketEventRecord } from '../../schema/records/market_event.ts';
import type { Row } from '../../schema/table.ts';
import type { AddressIndex } from '../address/match/address_index.ts';
import { NONE } from '../address/match/addresses.ts';
import { MIN_SCORE } from '../address/match/decide.ts';
import { type MatchInput, matchAddress } from '../address/match/match.ts';
import type { MatchResult } from '../address/match/match_result.ts';

/** Columns of an event that describe its location. */
export const PLACE_COLUMNS = [
  'event_key',
  'state',
  'address',
  'unit',
  'number',
  'street',
  'suburb',
  'postcode',
  'lot_plan',
  'given_pid',
  'lon',
  'lat',
  'observed_at',
] as const;
export type EventPlace = Pick<Row<typeof marketEventRecord>, (typeof PLACE_COLUMNS)[number]>;

/** Match result of an event, without its key. */
export type EventMatch = Omit<Row<typeof eventMatchAsset>, 'month_partition' | 'event_key'>;

/**
 * Returns the matcher's input for an event. If number and street are separate fields, the fields, because the address line may omit
 * the unit; else the line, completed by the fields.
 */
function matchInputOf({ address, unit, number, street, suburb, state, postcode }: EventPlace): MatchInput {
  const isSplit = Boolean(number?.trim() && street?.trim());
  const text = isSplit ? null : address;
  return { text, unit, number, street, suburb, state, postcode };
}

const isStated = (...texts: (string | null)[]): boolean =>
  texts.some((text) => text !== null && text.trim() !== '');

function fromResult(result: MatchResult): EventMatch {
  const { status, gnaf_pid, parent_pid, score, rule, margin, runner_up } = result;
  return {
    status,
    gnaf_pid,
    parent_pid,
    score,
    rule,
    margin,
    runner_up: runner_up?.gnaf_pid ?? null,
    runner_up_score: runner_up?.score ?? null,
    candidates: status === 'matched' ? null : result.candidates.map((each) => ({ ...each })),
  };
}

const byGivenPid = (gnaf_pid: string, score: number, rule: string): EventMatch => ({
  status: 'matched',
  gnaf_pid,
  parent_pid: null,
  score,
  rule,
  margin: score,
  runner_up: null,
  runner_up_score: null,
  candidates: null,
});

/** Compares the address that the source names by id with the match of the text. */
function weigh(givenPid: string, result: MatchResult): EventMatch {
  if (result.gnaf_pid === givenPid) return { ...fromResult(result), rule: `${result.rule}+given_pid` };
  const candidate = result.candidates.find(({ gnaf_pid }) => gnaf_pid === givenPid);
  if (result.status !== 'matched' && candidate)
    return byGivenPid(givenPid, Math.max(MIN_SCORE, candidate.score), `${candidate.rule}+given_pid`);
  if (result.candidates.length === 0) return byGivenPid(givenPid, MIN_SCORE, `${result.rule}+given_pid`);
  return {
    ...fromResult({ ...result, status: 'ambiguous', gnaf_pid: null, parent_pid: null }),
    rule: `${result.rule}+given_pid_conflict`,
    candidates: [
      ...result.candidates.map((each) => ({ ...each })),
      { gnaf_pid: givenPid, label: null, score: 0, rule: 'given_pid' },
    ],
  };
}

/** Matches market events with the addresses of one index. */
export class EventMatcher {
  readonly #index: AddressIndex;

  constructor(index: AddressIndex) {
    this.#index = index;
  }

  /**
   * Matches an event to an address. Text, coordinates and lot on plan decide by the rules of matchAddress. A gnaf_pid from the
   * source is a hint: it confirms the text's address, or chooses among its candidates. It decides alone if there is no text or the
   * text has no result.
   * If the text leads to another address, the event is ambiguous. The id of an alias is replaced by its principal; an unknown or
   * retired id is ignored, and the rule says so.
   */
  match(eventPlace: EventPlace): EventMatch {
    const { address, number, street, lot_plan, given_pid, lon, lat } = eventPlace;
    const givenPid = isStated(given_pid) ? this.#live(given_pid!.trim()) : null;
    if (givenPid?.pid && !isStated(address, number, street, lot_plan))
      return byGivenPid(givenPid.pid, 1, 'given_pid');
    const result = matchAddress(this.#index, matchInputOf(eventPlace), { lon, lat, lot_plan });
    if (givenPid === null) return fromResult(result);
    if (givenPid.pid === null) return { ...fromResult(result), rule: `${result.rule}+${givenPid.why}` };
    return weigh(givenPid.pid, result);
  }

  /** Returns the live principal of an id, or why there is none. */
  #live(pid: string): { pid: string; why: null } | { pid: null; why: string } {
    const { addresses } = this.#index;
    const row = addresses.pids.find(pid);
    if (row === NONE) return { pid: null, why: 'given_pid_unknown' };
    const principal = addresses.principalOf(row);
    if (addresses.value('live', principal) === 0) return { pid: null, why: 'given_pid_retired' };
    return { pid: addresses.pids.text(principal), why: null };
  }
}

/** Result for an event in a state without loaded addresses. */
export const NO_ADDRESSES: EventMatch = {
  status: 'no_match',
  gnaf_pid: null,
  parent_pid: null,
  score: 0,
  rule: 'no_addresses_of_state',
  margin: 0,
  runner_up: null,
  runner_up_score: null,
  candidates: [],
};
