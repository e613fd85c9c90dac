import { createHash } from 'node:crypto';
import type { DatasetConfig } from '../adapter.ts';

const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
);
/** A month by its name or first three letters, and a year: `NOV25`, `August 2026`. */
const MONTH_YEAR = new RegExp(
  `(?<![a-z])(${MONTHS.map((name) => `${name}|${name.slice(0, 3)}`).join('|')})[-_ ]?(?:20)?(\\d\\d)(?!\\d)`,
  'i',
);

/** Returns the date in a file name, `YYYY-MM-DD` or `YYYY-MM`; null: none. */
export function dateInName(name: string): string | null {
  const ymd = /(?<!\d)(20\d\d)[-_]?(0[1-9]|1[0-2])[-_]?(0[1-9]|[12]\d|3[01])(?!\d)/.exec(name);
  if (ymd !== null) return `${ymd[1]}-${ymd[2]}-${ymd[3]}`;
  const month = MONTH_YEAR.exec(name);
  if (month === null) return null;
  const number = 1 + MONTHS.findIndex((each) => each.startsWith(month[1]!.slice(0, 3).toLowerCase()));
  return `20${month[2]}-${String(number).padStart(2, '0')}`;
}

/** Returns the label of a release that states none: the latest date in a file name, else the latest date inside a file, else a hash. */
export function releaseLabel(
  dataset: DatasetConfig,
  files: readonly { file: string; changed: string | null }[],
): string {
  const latest = (dates: readonly (string | null)[]): string | undefined =>
    dates
      .filter((date) => date !== null)
      .sort()
      .at(-1);
  const date =
    latest(files.map(({ file }) => dateInName(file))) ?? latest(files.map(({ changed }) => changed));
  if (date !== undefined) return date;
  const hash = createHash('sha256');
  for (const file of dataset.files) hash.update(file.sha256);
  return `files ${hash.digest('hex').slice(0, 12)}`;
}
