import { readMember, type ZipMember } from '../formats/archive/zip.ts';
import { readDelimited } from '../formats/table/delimited.ts';
import { RowTally } from '../tally.ts';
import type { AuthorityTable } from './tables.ts';

/** Code lists for addresses. A code that is not in its list is returned unchanged. */
export interface Codes {
  flatType(code: string | null): string | null;
  levelType(code: string | null): string | null;
  streetSuffix(code: string | null): string | null;
  /** Returns the long form of a street type. STREET_TYPE_AUT is reversed: its CODE is the long form and its NAME the abbreviation. */
  streetType(code: string | null): string | null;
}

async function readCodes(
  member: ZipMember,
  tally: RowTally,
  signal?: AbortSignal,
): Promise<[code: string, name: string][]> {
  const codes: [string, string][] = [];
  const source = { file: member.file, chunks: readMember(member, signal), delimiter: '|' };
  for await (const rows of readDelimited(source, ['CODE', 'NAME'], tally.badLine)) {
    while (rows.next()) {
      tally.rows_in++;
      const code = rows.text(0);
      if (code === null) tally.reject(rows.line, 'missing_value', 'CODE is empty');
      else {
        tally.records++;
        codes.push([code, rows.text(1) ?? '']);
      }
    }
  }
  return codes;
}

/** Reads the code lists that the release has. */
export async function loadCodes(
  members: Readonly<Partial<Record<AuthorityTable, ZipMember>>>,
  signal?: AbortSignal,
): Promise<{ codes: Codes; tallies: RowTally[] }> {
  const tallies: RowTally[] = [];
  const load = async (table: AuthorityTable): Promise<[string, string][]> => {
    const member = members[table];
    if (member === undefined) return [];
    const tally = new RowTally(member.name, null);
    tallies.push(tally);
    return readCodes(member, tally, signal);
  };
  const nameOf = (list: [string, string][]): ((code: string | null) => string | null) => {
    const names = new Map(list);
    return (code) => (code === null ? null : names.get(code) || code);
  };
  const flatType = nameOf(await load('FLAT_TYPE_AUT'));
  const levelType = nameOf(await load('LEVEL_TYPE_AUT'));
  const streetSuffix = nameOf(await load('STREET_SUFFIX_AUT'));
  const types = await load('STREET_TYPE_AUT');
  const long = new Set(types.map(([code]) => code));
  const byAbbreviation = nameOf(types.map(([code, name]) => [name, code]));
  // A few abbreviations are also the long form of another type, so the code is tried first.
  const streetType = (code: string | null): string | null =>
    code === null || long.has(code) ? code : byAbbreviation(code);
  return { codes: { flatType, levelType, streetSuffix, streetType }, tallies };
}
