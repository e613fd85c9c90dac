/** What is asked of the pipeline for one row of an oracle: whether both agree, and how far apart they are; null: the row decides nothing. */
export type Verdict = { agrees: boolean; off?: number | null } | null;

/** What was compared with what, and how it came out. */
export interface Comparison {
  what: string;
  /** The oracle: its file. */
  oracle: string;
  /** Rows that decide something, those that agree, and those that decide nothing. */
  rows: number;
  agree: number;
  undecided: number;
  /** The largest difference, with its unit and the row that it is of; null: what is compared has no size, or all are equal. */
  worst: string | null;
  /** Why rows decide nothing, or what counts as equal; empty: nothing to say. */
  remark: string;
  /** The first rows that do not agree, by their key. */
  wrong: string[];
}

/** Rows of an oracle that are named where they do not agree. */
const NAMED = 5;

const rounded = (value: number): string => String(Number(value.toFixed(value < 1 ? 4 : 2)));

/** Holds every row of an oracle against what the pipeline has. */
export function compare<R>(
  { what, oracle, unit, remark = '' }: { what: string; oracle: string; unit?: string; remark?: string },
  rows: readonly R[],
  keyOf: (row: R) => string,
  judge: (row: R) => Verdict,
): Comparison {
  let [agree, undecided, off, at] = [0, 0, 0, ''];
  const wrong: string[] = [];
  for (const row of rows) {
    const verdict = judge(row);
    if (verdict === null) {
      undecided++;
      continue;
    }
    if (verdict.agrees) agree++;
    else if (wrong.length < NAMED) wrong.push(keyOf(row));
    if ((verdict.off ?? 0) > off) [off, at] = [verdict.off!, keyOf(row)];
  }
  const worst = unit === undefined || off === 0 ? null : `${rounded(off)} ${unit} (${at})`;
  return { what, oracle, rows: rows.length - undecided, agree, undecided, worst, remark, wrong };
}
