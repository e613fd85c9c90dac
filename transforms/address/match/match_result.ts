import type { ParsedAddress } from '../parse/parse.ts';

/** Further facts about the address. GDA2020 degrees; WGS84 is treated as GDA2020. */
export interface MatchHints {
  lon?: number | null;
  lat?: number | null;
  /** Legal parcel identifier in the state's format: `1\PS908944`, `381//DP1061794`. Requires a state in the address. */
  lot_plan?: string | null;
}

export interface MatchCandidate {
  gnaf_pid: string;
  /** Formatted address of the register, upper case. */
  label: string;
  /** 0 to 1; 1: equals the register. */
  score: number;
  /** Differences from the text; see reasons.ts. `exact`: none. */
  rule: string;
}

/**
 * Status of a match. `matched`: one address with enough certainty. `parent`: only the parent is in the register, the building of
 * the unit or the range that contains the number. `ambiguous`: several possible addresses. `no_match`: none.
 */
export type MatchStatus = 'matched' | 'parent' | 'ambiguous' | 'no_match';

/** Result for one text with its hints. */
export interface MatchResult {
  status: MatchStatus;
  /** Principal address. Null: not matched. */
  gnaf_pid: string | null;
  /** Principal address of the parent. Null unless the status is `parent`. It is not the address in the text. */
  parent_pid: string | null;
  /** Score of the best candidate; 0: none. */
  score: number;
  /** Rule of the best candidate. Without one, what was not found: `locality_unknown`, `street_absent`, `number_absent`, `no_number`, `no_address`. */
  rule: string;
  /** Second candidate. Null: none. */
  runner_up: MatchCandidate | null;
  /** Score of the best candidate minus the second's, or minus 0. For a parent: its lead over another parent. */
  margin: number;
  /** Best first, with a parent before all others; ties by gnaf_pid; at most the limit. */
  candidates: MatchCandidate[];
  parsed: ParsedAddress & { street: string | null; locality: string | null };
}
