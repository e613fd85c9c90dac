import { basename, dirname } from 'node:path';
import { EtlError } from '../../schema/errors.ts';
import type { DatasetConfig, Release } from '../adapter.ts';
import type { ZipMember } from '../formats/archive/zip.ts';

const MONTHS = [
  'JANUARY',
  'FEBRUARY',
  'MARCH',
  'APRIL',
  'MAY',
  'JUNE',
  'JULY',
  'AUGUST',
  'SEPTEMBER',
  'OCTOBER',
  'NOVEMBER',
  'DECEMBER',
];
const FOLDER = new RegExp(
  `^G-?NAF(?: Core)? (${MONTHS.map((m) => `${m}|${m.slice(0, 3)}`).join('|')}) (\\d{4})$`,
  'i',
);
const FILE = /g-?naf(?:[_ -]?core)?[_ -]([a-z]{3})[a-z]*[_ -]?(\d{2})(?!\d)/i;
const DATUMS = { gda94: 'EPSG:4283', gda2020: 'EPSG:7844' } as const;

/** Returns the month with a given name or first letters. */
const monthOf = (name: string): string | undefined => MONTHS.find((m) => m.startsWith(name.toUpperCase()));

function labelOf(name: string): string | null {
  const folder = FOLDER.exec(name);
  if (folder !== null) return `${monthOf(folder[1]!)} ${folder[2]}`;
  const file = FILE.exec(name);
  const month = file && monthOf(file[1]!);
  return file && month ? `${month} 20${file[2]}` : null;
}

function datumOf(name: string): string | null {
  const datums = [...name.toLowerCase().matchAll(/gda ?_?-?(2020|94)/g)].map(
    (m) => `gda${m[1]}` as keyof typeof DATUMS,
  );
  if (new Set(datums).size > 1) throw datumUnknown(`${name} names both GDA94 and GDA2020`);
  return datums[0] === undefined ? null : DATUMS[datums[0]];
}

function datumUnknown(problem: string): EtlError {
  return new EtlError(
    'gnaf_datum_unknown',
    `G-NAF: ${problem}. The tables do not state their datum: set crs of the dataset to EPSG:7844 for ` +
      'the GDA2020 product or EPSG:4283 for the GDA94 product, or keep the published name of the zip.',
  );
}

/** Yields names that may state a member's release or datum, nearest first: its folders in the zip, the zip, the folders around it. */
function* namesAround(member: ZipMember): Generator<string> {
  const paths = member.zip === null ? [member.path] : [member.name, member.path];
  for (const path of paths) {
    if (path === member.path && member.zip !== null) yield basename(path);
    for (let at = dirname(path); basename(at) !== '' && at !== '.'; at = dirname(at)) yield basename(at);
  }
}

function nearest(member: ZipMember, parse: (name: string) => string | null): string | null {
  for (const name of namesAround(member)) {
    const value = parse(name);
    if (value !== null) return value;
  }
  return null;
}

/** Returns the value that the names of all members state; null: none states one. EtlError `gnaf_several_releases` if they differ. */
function agreed(
  members: readonly ZipMember[],
  what: string,
  parse: (name: string) => string | null,
): string | null {
  const datums = new Map<string, string>();
  for (const member of members) {
    const value = nearest(member, parse);
    if (value !== null && !datums.has(value))
      datums.set(value, member.zip === null ? dirname(member.path) : member.path);
  }
  if (datums.size > 1) {
    const list = [...datums].map(([value, where]) => `${value} in ${where}`).join('; ');
    throw new EtlError(
      'gnaf_several_releases',
      `G-NAF: the files are of more than one ${what}: ${list}. Configure the files of one release and one datum only.`,
      { details: { found: Object.fromEntries(datums) } },
    );
  }
  return [...datums.keys()][0] ?? null;
}

/**
 * Determines label and datum of the release from the names of zip and folders; the configuration overrides them, and the override is noted.
 * Throws EtlError `gnaf_datum_unknown`, `gnaf_release_unknown`, `gnaf_several_releases`.
 */
export function identifyRelease(dataset: DatasetConfig, members: readonly ZipMember[]): Release {
  const notes: string[] = [];
  const label = agreed(members, 'release', labelOf);
  const id = dataset.release ?? label;
  if (id === null || id === '') {
    throw new EtlError(
      'gnaf_release_unknown',
      `G-NAF: neither a folder such as "G-NAF NOVEMBER 2025" nor the file name says which release this is (${members[0]?.path}). ` +
        'Set release of the dataset, for example NOVEMBER 2025.',
    );
  }
  if (label !== null && label !== id)
    notes.push(`The release is ${id} by configuration; the file names say ${label}.`);
  const statedDatum = dataset.crs === null ? agreed(members, 'datum', datumOf) : statedQuietly(members);
  const applied = dataset.crs ?? statedDatum;
  if (applied === null)
    throw datumUnknown(`no zip or folder name of ${members[0]?.path} has gda94 or gda2020 in it`);
  const overridden = statedDatum !== null && statedDatum !== applied;
  if (overridden) notes.push(`The datum is ${applied} by configuration; the file names say ${statedDatum}.`);
  else if (statedDatum === null)
    notes.push(`The datum is ${applied} by configuration; the file names do not say.`);
  return { dataset, id, crs: { applied, stated: statedDatum, overridden }, notes };
}

/** Ignores names that contradict one another: the configuration states the datum. */
function statedQuietly(members: readonly ZipMember[]): string | null {
  try {
    return agreed(members, 'datum', datumOf);
  } catch {
    return null;
  }
}
