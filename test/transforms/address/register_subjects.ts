import type { gnafRows } from './gnaf_rows.ts';
import type { Subject } from './variants.ts';

type Rows = Awaited<ReturnType<typeof gnafRows>>;
/** An address record with the columns that the index does not need. */
export type LabelledAddress = Rows['addresses'][number] & {
  label: string;
  alias_principal: string;
  street_name: string | null;
  street_type: string | null;
  street_suffix: string | null;
  locality_name: string;
};

const SUFFIX: Readonly<Record<string, string>> = { NORTH: 'N', SOUTH: 'S', EAST: 'E', WEST: 'W' };

function subjectOf(row: LabelledAddress): Subject {
  return {
    pid: row.gnaf_pid,
    unit: row.flat_number,
    first: row.number_first ?? '',
    last: row.number_last,
    name: row.street_name ?? '',
    type: row.street_type,
    suffix: row.street_suffix === null ? null : (SUFFIX[row.street_suffix] ?? row.street_suffix),
    locality: row.locality_name,
    state: 'VIC',
    postcode: row.postcode ?? '',
  };
}

/** Subjects of the live principal addresses that have a number and a street. */
export const subjectsOf = (rows: readonly LabelledAddress[]): Subject[] =>
  rows
    .filter((row) => row.alias_principal === 'P' && row.is_live && row.number_first && row.street_name)
    .map(subjectOf);

const keyOf = (s: Subject, number: string): string =>
  [s.unit ?? '', number, s.name, s.type, s.suffix, s.locality, s.state].join('|');

/** Returns whether the register has an address, as principal, alias, or end of a range. */
export function existence(rows: readonly LabelledAddress[]): (subject: Subject) => boolean {
  const keys = new Set<string>();
  for (const row of rows) {
    const subject = subjectOf(row);
    for (const number of [subject.first, subject.last, `${subject.first}-${subject.last}`])
      if (number) keys.add(keyOf(subject, number));
  }
  return (s) => keys.has(keyOf(s, s.last === null ? s.first : `${s.first}-${s.last}`));
}
