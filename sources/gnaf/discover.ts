import { EtlError } from '../../schema/errors.ts';
import type { DatasetConfig, Part, Release } from '../adapter.ts';
import { membersIn } from '../formats/archive/release_members.ts';
import { readMember, type ZipMember } from '../formats/archive/zip.ts';
import { readDelimited } from '../formats/table/delimited.ts';
import { discoverCore, isCoreFile } from './core.ts';
import { findMembers } from './members.ts';
import { type GnafOptions, readGnafOptions } from './options.ts';
import type { StateSource } from './part.ts';
import { identifyRelease } from './release.ts';
import {
  AUTHORITY_TABLES,
  meshBlockColumns,
  meshBlockLinkColumns,
  REQUIRED_TABLES,
  TABLES,
  type TableName,
} from './tables.ts';

function missingTable(state: string, table: string): EtlError {
  return new EtlError(
    'gnaf_missing_table',
    `G-NAF: ${state}_${table}_psv.psv is not among the files of ${state}. Fetch the whole release, or exclude ${state} with the option states.`,
  );
}

/** Chooses the mesh-block tables of a state: the wanted year, else the newest; null if it has none. */
function chooseMeshBlocks(
  state: string,
  tables: Map<string, ZipMember>,
  wantedYear?: number,
): StateSource['meshBlocks'] {
  const years = [...tables.keys()]
    .flatMap((name) => /^ADDRESS_MESH_BLOCK_(\d{4})$/.exec(name)?.[1] ?? [])
    .filter((year) => tables.has(`MB_${year}`))
    .map(Number)
    .sort((a, b) => b - a);
  if (wantedYear !== undefined && !years.includes(wantedYear)) {
    throw new EtlError(
      'gnaf_no_mesh_block_year',
      `G-NAF: ${state} has no mesh-block tables of ${wantedYear}; it has ${years.join(', ') || 'none'}. Change the option mesh_block_year.`,
    );
  }
  const year = wantedYear ?? years[0];
  if (year === undefined) return null;
  return { year, link: tables.get(`ADDRESS_MESH_BLOCK_${year}`)!, codes: tables.get(`MB_${year}`)! };
}

/** Opens the member and checks that its header has the columns that are read. */
async function checkHeader(member: ZipMember, columns: readonly string[]): Promise<void> {
  const source = { file: member.file, chunks: readMember(member), delimiter: '|' };
  for await (const _ of readDelimited(source, columns, () => {})) return;
}

async function stateSource(
  state: string,
  tables: Map<string, ZipMember>,
  authority: Map<string, ZipMember>,
  options: GnafOptions,
): Promise<StateSource> {
  const source: StateSource = {
    state,
    tables: {},
    authority: {},
    meshBlocks: chooseMeshBlocks(state, tables, options.mesh_block_year),
    geocodesInMemory: options.geocodes_in_memory,
  };
  for (const table of Object.keys(TABLES) as TableName[]) {
    const member = tables.get(table);
    if (member !== undefined) {
      await checkHeader(member, TABLES[table].names);
      source.tables[table] = member;
    } else if (REQUIRED_TABLES.includes(table)) throw missingTable(state, table);
  }
  if (source.meshBlocks !== null) {
    await checkHeader(source.meshBlocks.link, meshBlockLinkColumns(source.meshBlocks.year));
    await checkHeader(source.meshBlocks.codes, meshBlockColumns(source.meshBlocks.year));
  }
  for (const table of AUTHORITY_TABLES) {
    const member = authority.get(table);
    if (member !== undefined) source.authority[table] = member;
  }
  return source;
}

function notesOn(sources: readonly StateSource[]): string[] {
  const notes: string[] = [];
  const states = (having: (source: StateSource) => boolean): string =>
    sources
      .filter(having)
      .map((source) => source.state)
      .join(', ');
  const noMeshBlocks = states((source) => source.meshBlocks === null);
  if (noMeshBlocks !== '') notes.push(`No mesh-block tables for ${noMeshBlocks}: mesh_block is null.`);
  for (const table of Object.keys(TABLES) as TableName[]) {
    const without = states((source) => source.tables[table] === undefined);
    if (without !== '') notes.push(`No table ${table} for ${without}.`);
  }
  for (const table of AUTHORITY_TABLES) {
    if (sources[0]?.authority[table] === undefined)
      notes.push(`No code list ${table}: codes are used instead of names.`);
  }
  return notes;
}

/**
 * Finds the release, its datum and its states (for G-NAF Core its one table), and checks the headers of all tables that will be read.
 * Throws EtlError: `gnaf_no_tables`, `gnaf_several_releases`, `gnaf_datum_unknown`, `gnaf_release_unknown`, `gnaf_missing_table`,
 * `gnaf_no_mesh_block_year`, `missing_column`, `bad_option` and the errors of the archive.
 */
export async function discoverGnaf(dataset: DatasetConfig): Promise<{ release: Release; parts: Part[] }> {
  const options = readGnafOptions(dataset);
  const core = await membersIn(
    dataset.files.map(({ path }) => path),
    isCoreFile,
  );
  if (core.length > 0) return discoverCore(dataset, core, options);
  const { found, members } = await findMembers(dataset);
  const release = identifyRelease(dataset, members);
  const states = [...(options.states ?? found.states.keys())].sort();
  const sources: StateSource[] = [];
  for (const state of new Set(states)) {
    const tables = found.states.get(state);
    if (tables === undefined) throw missingTable(state, 'ADDRESS_DETAIL');
    sources.push(await stateSource(state, tables, found.authority, options));
  }
  release.notes.push(...notesOn(sources));
  return { release, parts: sources.map((source) => ({ id: source.state, source })) };
}
