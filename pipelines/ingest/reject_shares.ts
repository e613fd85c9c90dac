import type { InputAccount } from '../../sources/adapter.ts';

/** Minimum rejects for a delivery to fail: one bad row among few is not a bad delivery. */
const JUDGED_REJECTS = 5;
/** Minimum rows of a file for a share of its own: publishers also deliver one small file an agency. */
const JUDGED_ROWS = 20;

/** Row counts of one file for one table, or of a whole table. */
export interface RejectShare {
  /** Null: all files of the table. */
  readonly file: string | null;
  /** Null: rows that only add to other records. */
  readonly table: string | null;
  readonly rows: number;
  readonly rejects: number;
}

/**
 * Returns rejects by file, then by table over all files, in the order of the accounts. Rows with the same content in another file do not
 * count as rejects.
 */
export function rejectShares(accounts: readonly InputAccount[]): RejectShare[] {
  const shares = new Map<
    string,
    { file: string | null; table: string | null; rows: number; rejects: number }
  >();
  const add = (file: string | null, { table, rows_in, rejects, in_other_file = 0 }: InputAccount): void => {
    const key = JSON.stringify([file, table]);
    const share = shares.get(key) ?? { file, table, rows: 0, rejects: 0 };
    share.rows += rows_in;
    share.rejects += rejects - in_other_file;
    shares.set(key, share);
  };
  for (const account of accounts) add(account.file, account);
  for (const account of accounts) if (account.table !== null) add(null, account);
  return [...shares.values()];
}

/** Returns whether a share has enough rows and rejects to say something about a delivery. */
export const isJudged = ({ file, rows, rejects }: RejectShare): boolean =>
  rejects >= JUDGED_REJECTS && (file === null || rows >= JUDGED_ROWS);

/** Returns whether a share is a failed delivery: most of its rows are rejected. */
export const isMostlyRejected = (share: RejectShare): boolean =>
  isJudged(share) && share.rejects * 2 > share.rows;

/** Names a share: `stops.txt (stop)`. */
export const shareName = ({ file, table }: RejectShare): string =>
  file === null ? `table ${table}` : table === null ? file : `${file} (${table})`;
