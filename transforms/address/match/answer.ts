import type { ParsedAddress } from '../parse/parse.ts';

/** What else is known of the place. GDA2020 degrees; WGS84 is taken as GDA2020. */
export interface MatchHints {
  lon?: number | null;
  lat?: number | null;
  /** Legal parcel identifier as the state writes it: `1\PS908944`, `381//DP1061794`. Needs a state in the address. */
  lot_plan?: string | null;
}

export interface MatchCandidate {
  gnaf_pid: string;
  /** Formatted address of the register, upper case. */
  label: string;
  /** 0 to 1; 1 says exactly what the register says. */
  score: number;
  /** What separates it from the text; see reasons.ts. `exact`: nothing. */
  rule: string;
}

/**
 * `matched`: one address, certain enough. `parent`: the register does not have the address, and has its parent: the building of the unit,
 * or the range that the number lies in. `ambiguous`: several that the text may mean. `no_match`: none.
 */
export type MatchStatus = 'matched' | 'parent' | 'ambiguous' | 'no_match';

/** The answer to one text, with its hints. */
export interface MatchResult {
  status: MatchStatus;
  /** Principal address; null unless matched. */
  gnaf_pid: string | null;
  /** Principal address of the parent; null unless the status is `parent`. It is another address than the text means. */
  parent_pid: string | null;
  /** Score of the best candidate; 0: there is none. */
  score: number;
  /** Rule of the best candidate; where there is none, what was not found: `locality_unknown`, `street_absent`, `number_absent`, `no_number`, `no_address`. */
  rule: string;
  /** The second candidate; null: there is none. */
  runner_up: MatchCandidate | null;
  /** Score of the best candidate less that of the second, or of nothing; of a parent, its lead on another parent. */
  margin: number;
  /** Best first, a parent before all; ties by gnaf_pid; no more than the limit. */
  candidates: MatchCandidate[];
  parsed: ParsedAddress & { street: string | null; locality: string | null };
}
