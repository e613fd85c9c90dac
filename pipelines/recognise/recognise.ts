import { dirname, join, relative } from 'node:path';
import { EtlError } from '../../schema/errors.ts';
import type { DatasetConfig, Release } from '../../sources/adapter.ts';
import { adapterNamed } from '../../sources/index.ts';
import { findFiles } from '../../store/loads/files.ts';
import { layersOf } from '../ingest/readable.ts';
import { claimedState, narrowedClaim, overlap } from './coverage_claim.ts';
import { candidateOf, type DatasetCandidate, isWhole, OPEN, openText } from './dataset_candidate.ts';
import { datasetPaths } from './dataset_paths.ts';
import { type Extent, extentOf } from './extent.ts';
import { viewFiles, viewRelease } from './file_view.ts';
import { roleOf, termsOf } from './roles.ts';
import { shownValues } from './shown_values.ts';
import { type Unit, unitsOf } from './units.ts';

/** A dataset recognised in files of a folder. */
export interface Recognised extends DatasetCandidate {
  /** Files and globs, relative to the folder. */
  readonly path: readonly string[];
  /** CRS that the configuration must state because the files do not; null: they do. */
  readonly crs: string | null;
  /** As stated by the files. */
  readonly release: Pick<Release, 'id' | 'crs'>;
  /** For example an assumed datum, or a coverage smaller than the state. */
  readonly notes: readonly string[];
  /** What else its files may be; null: nothing. */
  readonly second: DatasetCandidate | null;
  /** Question to decide before it is read, such as another dataset with its role in the same area, or terms of use. Null: it is read. */
  readonly question: string | null;
}

/** A file not recognised as a dataset. */
export interface Unrecognised {
  /** Relative to the folder. */
  readonly file: string;
  readonly why: string;
  /** YAML of a dataset that reads it once each … is filled in; null: content not recognised. */
  readonly proposed: string | null;
}

export interface Recognition {
  readonly datasets: readonly Recognised[];
  readonly unrecognised: readonly Unrecognised[];
}

/** Placeholder: recognition needs no digests, except that one would name a release without a date. */
const NO_DIGEST = '0'.repeat(64);

/** Files that belong to a shapefile. */
const SIBLING = /\.(shx|dbf|prj|cpg|sbn|sbx|qix|qpj|shp\.xml)$/i;

const datasetOf = (
  candidate: DatasetCandidate,
  paths: readonly string[],
  crs: string | null,
): DatasetConfig => ({
  id: candidate.id,
  files: [...paths].sort().map((path) => ({ path, bytes: 0, sha256: NO_DIGEST })),
  release: null,
  crs,
  options: candidate.options,
});

type Discovered = Awaited<ReturnType<ReturnType<typeof adapterNamed>['discover']>>;

/** Returns what the adapter finds in the files, or its EtlError if it rejects them; other errors are thrown. */
async function discovered(
  candidate: DatasetCandidate,
  paths: readonly string[],
  crs: string | null,
): Promise<Discovered | EtlError> {
  try {
    return await adapterNamed(candidate.adapter).discover(datasetOf(candidate, paths, crs));
  } catch (error) {
    if (error instanceof EtlError) return error;
    throw error;
  }
}

/** Returns whether reading yields a record, stopping at the first; else the reason. */
async function givesRecords(
  { adapter }: DatasetCandidate,
  { release, parts }: Discovered,
): Promise<true | string> {
  const end = new AbortController();
  let rejected = 0;
  let first: string | null = null;
  const remarks: string[] = [];
  try {
    for (const part of parts) {
      for await (const { records = [], rejects = [], notes = [] } of adapterNamed(adapter).read(
        release,
        part,
        {
          signal: end.signal,
        },
      )) {
        if (records.some(({ rows, table }) => rows.length > 0 && !table.name.startsWith('coverage')))
          return true;
        rejected += rejects.length;
        remarks.push(...notes);
        first ??= rejects[0]?.message ?? null;
      }
    }
  } catch (error) {
    if (error instanceof EtlError) return error.message;
    throw error;
  } finally {
    end.abort();
  }
  return rejected > 0
    ? rejected === 1
      ? `its only row cannot be read: ${first}`
      : `none of its ${rejected} rows can be read, the first: ${first}`
    : (remarks[0] ?? 'it has no such rows');
}

/** What a file may be. */
interface FileAssessment {
  /** Each with values for checking it. */
  candidates: (DatasetCandidate & { shown: string | null })[];
  /** What else it may be. */
  second: DatasetCandidate | null;
  /** Its columns, to tell deliveries of one role apart. */
  header: string;
  /** Columns that number its rows. */
  row_numbers: readonly string[];
  /** State of the first proposal; null: unknown. */
  told: string | null;
  /** Reason for having no candidate. */
  why: string;
  proposed: string | null;
}

async function judge(
  folder: string,
  { name: file, files, adapter, is_folder }: Unit,
): Promise<FileAssessment> {
  const paths = files.map((each) => join(folder, each));
  const views =
    adapter !== null
      ? [await viewRelease(file, paths, adapter)]
      : await viewFiles(is_folder ? [join(folder, file)] : await findFiles(paths, folder));
  const candidates = views.flatMap(({ proposals, columns }) =>
    proposals.map((each) => ({ ...candidateOf(each, file), shown: shownValues(each, columns) })),
  );
  const second = views.map((view) => view.second).find((each) => each !== null);
  const told = views[0]?.proposals[0]?.options.state;
  const problem = views.map((view) => view.problem).find((each) => each !== null);
  return {
    candidates: candidates.filter(({ options }) => isWhole(options)),
    second: second === undefined ? null : candidateOf(second, file),
    header: views.flatMap(({ columns }) => columns.map(({ name }) => name)).join(),
    row_numbers: views.flatMap(({ columns }) =>
      columns.filter((each) => each.is_row_number).map(({ name }) => name),
    ),
    told: typeof told === 'string' && told !== OPEN ? told : null,
    why: problem ?? openText(candidates[0]),
    proposed: views[0]?.proposed ?? null,
  };
}

/** Returns the column that identifies the parcels of a candidate, if it numbers the rows of its file; null: another or none. */
function numberedId({ adapter, options }: DatasetCandidate, rowNumbers: readonly string[]): string | null {
  const id = adapter === 'cadastre' && (options.field_map as { parcel_id?: unknown }).parcel_id;
  return typeof id === 'string' && rowNumbers.includes(id) ? id : null;
}

/** Files of one dataset: candidates with the same name, adapter and options in one folder. */
interface Group {
  candidate: DatasetCandidate;
  second: DatasetCandidate | null;
  files: string[];
  /** Folders that the configuration names instead of their files. */
  folders: string[];
  /** State that inspection found for its first file; the adapter may not need it. */
  told: string | null;
  /** Deciding column of its first file, with values; null: none. */
  shown: string | null;
  /** Column that identifies parcels and numbers the rows of the file; null: another or none. */
  numbered: string | null;
}

const UNSTATED = new Set(['missing_crs', 'unknown_crs']);

/** A dataset and the extent of its features; null: nothing depends on it. */
interface DatasetWithExtent {
  readonly dataset: Recognised;
  readonly extent: Extent | null;
}

/** Returns a group as a dataset if its adapter reads it, else the reason. If reading fails, it is tried with the state as an option. */
async function settle(
  folder: string,
  group: Group,
  all: readonly string[],
): Promise<DatasetWithExtent | string> {
  const { candidate, told } = group;
  const settled = await settleAs(folder, candidate, group, all);
  if (typeof settled !== 'string') return withNumberedRows(settled, group);
  if (told === null) return settled;
  const stated = { ...candidate, options: { state: told, ...candidate.options } };
  const again = await settleAs(folder, stated, group, all);
  return typeof again === 'string' ? settled : withNumberedRows(again, group);
}

/** Adds a question to a cadastre of several files whose parcels only have the row numbers of their file. */
function withNumberedRows(settled: DatasetWithExtent, { files, numbered }: Group): DatasetWithExtent {
  const { dataset } = settled;
  if (files.length < 2 || numbered === null || dataset.question !== null) return settled;
  const question = `Which column identifies a parcel? ${numbered} numbers the rows of each file, so parcels of several files would share it. Set parcel_id, or configure one file.`;
  return { ...settled, dataset: { ...dataset, question } };
}

async function settleAs(
  folder: string,
  candidate: DatasetCandidate,
  group: Group,
  all: readonly string[],
): Promise<DatasetWithExtent | string> {
  const { files, second, shown } = group;
  const path = datasetPaths(files, group.folders, all);
  const paths = await findFiles(
    files.map((file) => join(folder, file)),
    folder,
  );
  let found = await discovered(candidate, paths, null);
  let crs: string | null = null;
  let question = candidate.doubt ?? null;
  const notes: string[] = shown === null ? [] : [shown];
  if (found instanceof EtlError && UNSTATED.has(found.code) && files.every((file) => /\.csv$/i.test(file))) {
    crs = 'EPSG:7844';
    notes.push('The table states no datum; its degrees are read as GDA2020.');
    found = await discovered(candidate, paths, crs);
  }
  if (found instanceof EtlError && found.code === 'gnaf_datum_unknown') {
    crs = OPEN;
    question =
      'GDA2020 or GDA94? No folder says so. Set crs to EPSG:7844 for GDA2020, to EPSG:4283 for GDA94.';
    found = await discovered(candidate, paths, 'EPSG:7844');
  }
  if (found instanceof EtlError) return found.message;
  const read = await givesRecords(candidate, found);
  if (read !== true) return `as ${candidate.adapter} ${JSON.stringify(candidate.options)}: ${read}`;
  const state = claimedState(found.parts);
  const extent = state !== null || roleOf(candidate) !== null ? await extentOf(layersOf(found.parts)) : null;
  const claim = state !== null && extent !== null ? narrowedClaim(candidate.adapter, state, extent) : null;
  if (claim !== null) notes.push(claim.note);
  const options = claim === null ? candidate.options : { ...candidate.options, coverage: claim.coverage };
  const { release } = found;
  return { dataset: { ...candidate, options, path, crs, release, notes, second, question }, extent };
}

const termsQuestion = (dataset: Recognised): string | null => {
  const terms = termsOf(dataset);
  return terms === null ? null : `May you use it? ${terms} Set licence, and accept_licence to the same text.`;
};

/** Adds a question on terms of use, and to all but the largest of the datasets that share a role and an area. */
function withQuestions(settled: readonly DatasetWithExtent[]): Recognised[] {
  const largest = [...settled].sort((a, b) => (b.extent?.features ?? 0) - (a.extent?.features ?? 0));
  const isBeside = (a: DatasetWithExtent, b: DatasetWithExtent): boolean => {
    const role = roleOf(a.dataset);
    if (role === null || role !== roleOf(b.dataset)) return false;
    return a.extent === null || b.extent === null || overlap(a.extent.whole, b.extent.whole);
  };
  const read: DatasetWithExtent[] = [];
  const questions = new Map<DatasetWithExtent, string>();
  for (const each of largest) {
    if (each.dataset.question !== null) continue;
    const first = read.find((other) => isBeside(other, each));
    if (first === undefined) read.push(each);
    else
      questions.set(
        each,
        `This or ${first.dataset.path.join(', ')}? Both are ${roleOf(each.dataset)!.trim()} of the same area; only the other one is read.`,
      );
  }
  return settled.map((each) => ({
    ...each.dataset,
    question: each.dataset.question ?? questions.get(each) ?? termsQuestion(each.dataset),
  }));
}

/** Makes the names of datasets unique by adding a number. */
function distinct(datasets: readonly Recognised[]): Recognised[] {
  const seen = new Map<string, number>();
  return datasets.map((dataset) => {
    const n = (seen.get(dataset.id) ?? 0) + 1;
    seen.set(dataset.id, n);
    return n === 1 ? dataset : { ...dataset, id: `${dataset.id}_${n}` };
  });
}

/** Tables that layers and other tables of a release refer to. */
const LIST = /\.(dbf|csv|psv|txt)$/i;

const stem = (file: string): string =>
  file
    .replace(SIBLING, '')
    .replace(/\.shp$/i, '')
    .toLowerCase();

/** Adds an unrecognised file, such as a list of codes, to groups of its folder whose adapter also reads it. */
async function addTo(groups: Iterable<Group>, folder: string, file: string): Promise<boolean> {
  if (!LIST.test(file)) return false;
  let isRead = false;
  for (const group of groups) {
    if (dirname(group.files[0]!) !== dirname(file)) continue;
    const path = join(folder, file);
    const paths = await findFiles([...group.files.map((each) => join(folder, each)), path], folder);
    const found = await discovered(group.candidate, paths, null);
    if (found instanceof EtlError || !JSON.stringify(found.parts).includes(JSON.stringify(path))) continue;
    group.files.push(file);
    isRead = true;
  }
  return isRead;
}

/**
 * Recognises the files of a folder; each is read until its adapter yields a record. @param skip files that are not releases @param begin
 * receives the number of files and returns a callback for each
 */
export async function recognise(
  folder: string,
  skip: (file: string) => boolean = () => false,
  begin: (files: number) => () => void = () => () => undefined,
): Promise<Recognition> {
  const found = (await findFiles([folder], folder)).map((file) => relative(folder, file));
  const stems = (ending: RegExp): Set<string> => new Set(found.filter((file) => ending.test(file)).map(stem));
  const layers = stems(/\.shp$/i);
  const tables = stems(/\.dbf$/i);
  // A .dbf table without a layer is a list of its own.
  const isSibling = (file: string): boolean =>
    SIBLING.test(file) && (layers.has(stem(file)) || (!/\.dbf$/i.test(file) && tables.has(stem(file))));
  const files = found.filter((file) => !isSibling(file) && !/(^|\/)\./.test(file) && !skip(file));
  const units = unitsOf(files);
  const done = begin(units.length);
  const groups = new Map<string, Group>();
  const unrecognised: Unrecognised[] = [];
  const proposals = new Map<string, string | null>();
  for (const unit of units) {
    const { candidates, second, header, told, why, proposed, row_numbers } = await judge(folder, unit);
    done();
    const members = unit.is_folder ? [unit.name] : unit.files;
    for (const file of members) proposals.set(file, proposed);
    if (candidates.length === 0) unrecognised.push({ file: unit.name, why, proposed });
    for (const { shown, ...candidate } of candidates) {
      const where = unit.adapter === 'gnaf' ? unit.name : dirname(unit.name);
      const key = JSON.stringify([candidate, where, candidate.adapter === 'cadastre' ? header : '']);
      const group = groups.get(key) ?? {
        candidate,
        second,
        files: [],
        folders: [],
        told,
        shown,
        numbered: null,
      };
      group.numbered ??= numberedId(candidate, row_numbers);
      group.files.push(...members);
      if (unit.is_folder) group.folders.push(unit.name);
      groups.set(key, group);
    }
  }
  const alone: Unrecognised[] = [];
  for (const each of unrecognised) if (!(await addTo(groups.values(), folder, each.file))) alone.push(each);
  const datasets: DatasetWithExtent[] = [];
  const refused = new Map<string, string>();
  const taken = new Set<string>();
  for (const group of groups.values()) {
    const settled = await settle(folder, group, files);
    if (typeof settled !== 'string') datasets.push(settled);
    for (const file of group.files) {
      if (typeof settled === 'string') refused.set(file, settled);
      else taken.add(file);
    }
  }
  for (const [file, why] of refused)
    if (!taken.has(file)) alone.push({ file, why, proposed: proposals.get(file)! });
  return {
    datasets: distinct(withQuestions(datasets)),
    unrecognised: alone.sort((a, b) => (a.file < b.file ? -1 : 1)),
  };
}
