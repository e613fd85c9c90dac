import { basename } from 'node:path';
import { EtlError } from '../../schema/errors.ts';
import type { DatasetConfig, Part, Release } from '../adapter.ts';
import type { ZipMember } from '../formats/archive/zip.ts';
import { missingColumns } from '../formats/table/columns.ts';
import { readNames } from '../formats/table/delimited.ts';
import type { GnafOptions } from './options.ts';
import { identifyRelease } from './release.ts';

/** Columns that every address needs. */
const REQUIRED = [
  'ADDRESS_DETAIL_PID',
  'NUMBER_FIRST',
  'STREET_NAME',
  'STREET_TYPE',
  'LOCALITY_NAME',
  'STATE',
  'POSTCODE',
  'GEOCODE_TYPE',
  'LONGITUDE',
  'LATITUDE',
] as const;

/** Columns that are read if the file has them. */
const OPTIONAL = [
  'ADDRESS_LABEL',
  'BUILDING_NAME',
  'FLAT_TYPE',
  'FLAT_NUMBER',
  'LEVEL_TYPE',
  'LEVEL_NUMBER',
  'NUMBER_LAST',
  'LOT_NUMBER',
  'STREET_SUFFIX',
  'LEGAL_PARCEL_ID',
  'MB_CODE',
  'ALIAS_PRINCIPAL',
  'PRINCIPAL_PID',
  'PRIMARY_SECONDARY',
  'PRIMARY_PID',
] as const;

export type CoreColumn = (typeof REQUIRED)[number] | (typeof OPTIONAL)[number];

/** Input for reading G-NAF Core; crosses a worker boundary. */
export interface CoreSource {
  readonly core: ZipMember;
  /** Columns to read that the file has. */
  readonly columns: readonly CoreColumn[];
  readonly meshBlockYear: number;
  /** States to read; null: all. */
  readonly states: readonly string[] | null;
}

export const isCore = (source: unknown): source is CoreSource =>
  (source as { core?: unknown }).core !== undefined;

/** True for the table of G-NAF Core. */
export const isCoreFile = (path: string): boolean => /^G-?NAF_CORE\.psv$/i.test(basename(path));

/** Returns the columns of the file that are read. EtlError `missing_column`. */
async function columnsOf(core: ZipMember): Promise<CoreColumn[]> {
  const header = await readNames(core, '|');
  const names = new Set(header.map((name) => name.toUpperCase()));
  const missing = REQUIRED.filter((name) => !names.has(name));
  if (missing.length > 0) throw missingColumns(core.file, missing, header);
  return [...REQUIRED, ...OPTIONAL.filter((name) => names.has(name))];
}

/** Returns the year of the mesh blocks of a release: 2026 from August 2026 on. Source: Geoscape release notes. */
function meshBlockYearOf(label: string): number {
  const match = /^(\w+) (\d{4})$/.exec(label);
  const year = Number(match?.[2] ?? 0);
  const isLate = /^(AUG|SEP|OCT|NOV|DEC)/i.test(match?.[1] ?? '');
  return year > 2026 || (year === 2026 && isLate) ? 2026 : 2021;
}

/** Finds the release and the single part of a G-NAF Core delivery. EtlErrors as discoverGnaf. */
export async function discoverCore(
  dataset: DatasetConfig,
  members: readonly ZipMember[],
  options: GnafOptions,
): Promise<{ release: Release; parts: Part[] }> {
  const [core, other] = members;
  if (other !== undefined) {
    throw new EtlError(
      'gnaf_several_releases',
      `Two G-NAF Core files: ${core!.file} and ${other.file}. Configure the files of one release and one datum only.`,
    );
  }
  const release = identifyRelease(dataset, members);
  const columns = await columnsOf(core!);
  const meshBlockYear = options.mesh_block_year ?? meshBlockYearOf(release.id);
  release.notes.push(
    'G-NAF Core has no confidence (0 is assumed) and only names of localities and streets: their pids are derived from the names, and aliases and neighbours are unknown.',
    columns.includes('MB_CODE')
      ? `Mesh blocks are read as those of ${meshBlockYear}; set the option mesh_block_year to change this.`
      : 'No column MB_CODE: mesh_block is null.',
  );
  const source: CoreSource = { core: core!, columns, meshBlockYear, states: options.states ?? null };
  return { release, parts: [{ id: 'CORE', source }] };
}
