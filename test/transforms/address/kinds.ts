import type { MatchResult } from '../../../transforms/address/match/match_result.ts';

/** One labelled text and its answer. */
export interface Judged {
  kind: string;
  /** Null: it must not match. */
  expected: string | null;
  result: MatchResult;
}

interface KindCount {
  texts: number;
  /** Matched as labelled. */
  right: number;
  /** Matched to another address, or matched where there is none. */
  wrong: number;
  /** Told as the parent of what the text names. */
  parent: number;
  ambiguous: number;
  no_match: number;
}

export interface KindTally {
  kinds: ReadonlyMap<string, KindCount>;
  /** Right among the matched. */
  precision: number;
  /** Right among those that exist. */
  recall: number;
  /** Matched among those that do not exist. */
  invented: number;
}

/** Counts answers by kind of variant. */
export function tallyKinds(judged: readonly Judged[]): KindTally {
  const kinds = new Map<string, KindCount>();
  let [matched, right, exist, invented] = [0, 0, 0, 0];
  for (const { kind, expected, result } of judged) {
    const count = kinds.get(kind) ?? { texts: 0, right: 0, wrong: 0, parent: 0, ambiguous: 0, no_match: 0 };
    kinds.set(kind, count);
    count.texts++;
    if (expected !== null) exist++;
    if (result.status !== 'matched') {
      count[result.status]++;
      continue;
    }
    matched++;
    if (expected === null) invented++;
    const isRight = expected === result.gnaf_pid;
    count[isRight ? 'right' : 'wrong']++;
    if (isRight) right++;
  }
  const absent = judged.length - exist;
  return {
    kinds,
    precision: matched === 0 ? 1 : right / matched,
    recall: exist === 0 ? 1 : right / exist,
    invented: absent === 0 ? 0 : invented / absent,
  };
}

const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;

/** Prints the table by kind and the totals. */
export function printKinds(title: string, { kinds, precision, recall, invented }: KindTally): void {
  console.log(title);
  console.log('kind                        texts  right  wrong  parent  ambiguous  no_match');
  for (const [kind, c] of kinds)
    console.log(
      `${kind.padEnd(27)} ${String(c.texts).padStart(5)}  ${String(c.right).padStart(5)}  ${String(c.wrong).padStart(5)}  ${String(c.parent).padStart(6)}  ${String(c.ambiguous).padStart(9)}  ${String(c.no_match).padStart(8)}`,
    );
  console.log(
    `precision ${percent(precision)}, recall ${percent(recall)}, non-existent matched ${percent(invented)}`,
  );
}
