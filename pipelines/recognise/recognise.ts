import { dirname, join, relative } from 'node:path';
import { EtlError } from '../../schema/errors.ts';
import { findFiles } from '../../store/loads/files.ts';
import { candidateOf, type DatasetCandidate, isFilledIn, OPEN, openText } from './dataset_candidate.ts';
import { viewFiles, viewRelease } from './file_view.ts';
import { withClaims } from './layer_claims.ts';
import { withQuestions } from './questions.ts';
import type { DatasetWithExtent, Recognised, Recognition, Unrecognised } from './recognised.ts';
import { type Group, settle } from './settle_dataset.ts';
import { shownValues } from './shown_values.ts';
import { discovered } from './trial_read.ts';
import { fileUnits, type Unit } from './units.ts';

/** Files that belong to a shapefile. */
const SIBLING = /\.(shx|dbf|prj|cpg|sbn|sbx|qix|qpj|shp\.xml)$/i;

/** What a file may be. */
interface FileAssessment {
  /** Each with values for checking it. */
  candidates: (DatasetCandidate & { shownText: string | null })[];
  /** What else it may be. */
  second: DatasetCandidate | null;
  /** Its columns, to tell deliveries of one role apart. */
  header: string;
  /** Columns that number its rows. */
  row_numbers: readonly string[];
  /** State of the first proposal; null: unknown. */
  proposedState: string | null;
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
    proposals.map((each) => ({ ...candidateOf(each, file), shownText: shownValues(each, columns) })),
  );
  const second = views.map((view) => view.second).find((each) => each !== null);
  const proposedState = views[0]?.proposals[0]?.options.state;
  const problem = views.map((view) => view.problem).find((each) => each !== null);
  return {
    candidates: candidates.filter(({ options }) => isFilledIn(options)),
    second: second === undefined ? null : candidateOf(second, file),
    header: views.flatMap(({ columns }) => columns.map(({ name }) => name)).join(),
    row_numbers: views.flatMap(({ columns }) =>
      columns.filter((each) => each.is_row_number).map(({ name }) => name),
    ),
    proposedState: typeof proposedState === 'string' && proposedState !== OPEN ? proposedState : null,
    why: problem ?? openText(candidates[0]),
    // An adapter that cannot read the file leaves nothing to fill in.
    proposed:
      problem !== undefined && candidates.every(({ options }) => isFilledIn(options))
        ? null
        : (views[0]?.proposed ?? null),
  };
}

/** Returns the column that identifies the parcels of a candidate, if it numbers the rows of its file; null: another or none. */
function numberedId({ adapter, options }: DatasetCandidate, rowNumbers: readonly string[]): string | null {
  const id = adapter === 'cadastre' && (options.field_map as { parcel_id?: unknown }).parcel_id;
  return typeof id === 'string' && rowNumbers.includes(id) ? id : null;
}

/** Folders of a level and a state in an unzipped DataPack of the Census. */
const PACK_FOLDERS = /(^|\/)[A-Z]+\d?\/(AUS|NSW|VIC|QLD|SA|WA|TAS|NT|ACT|OT)$/;

/** Returns the folder whose files of one candidate are one dataset. */
function placeOf(unit: Unit, { adapter }: DatasetCandidate): string {
  if (unit.adapter === 'gnaf') return unit.name;
  const folder = dirname(unit.name);
  return adapter === 'census' ? folder.replace(PACK_FOLDERS, '') : folder;
}

/** Makes the names of datasets unique by adding a number. */
function distinct(datasets: readonly Recognised[]): Recognised[] {
  const ids = new Map<string, number>();
  return datasets.map((dataset) => {
    const n = (ids.get(dataset.id) ?? 0) + 1;
    ids.set(dataset.id, n);
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
    const discovery = await discovered(group.candidate, paths, null);
    if (discovery instanceof EtlError || !JSON.stringify(discovery.parts).includes(JSON.stringify(path)))
      continue;
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
  const allFiles = (await findFiles([folder], folder)).map((file) => relative(folder, file));
  const stems = (ending: RegExp): Set<string> =>
    new Set(allFiles.filter((file) => ending.test(file)).map(stem));
  const layers = stems(/\.shp$/i);
  const tables = stems(/\.dbf$/i);
  // A .dbf table without a layer is a list of its own.
  const isSibling = (file: string): boolean =>
    SIBLING.test(file) && (layers.has(stem(file)) || (!/\.dbf$/i.test(file) && tables.has(stem(file))));
  const files = allFiles.filter((file) => !isSibling(file) && !/(^|\/)\./.test(file) && !skip(file));
  const units = fileUnits(files);
  const done = begin(units.length);
  const groups = new Map<string, Group>();
  const unrecognised: Unrecognised[] = [];
  const proposals = new Map<string, string | null>();
  for (const unit of units) {
    const { candidates, second, header, proposedState, why, proposed, row_numbers } = await judge(
      folder,
      unit,
    );
    done();
    const members = unit.is_folder ? [unit.name] : unit.files;
    for (const file of members) proposals.set(file, proposed);
    if (candidates.length === 0) unrecognised.push({ file: unit.name, why, proposed });
    for (const { shownText, ...candidate } of candidates) {
      const where = placeOf(unit, candidate);
      const key = JSON.stringify([candidate, where, candidate.adapter === 'cadastre' ? header : '']);
      const group = groups.get(key) ?? {
        candidate,
        second,
        files: [],
        folders: [],
        proposedState,
        shownText,
        numbered: null,
      };
      group.numbered ??= numberedId(candidate, row_numbers);
      group.files.push(...members);
      if (unit.is_folder) group.folders.push(unit.name);
      groups.set(key, group);
    }
  }
  const leftFiles: Unrecognised[] = [];
  for (const each of unrecognised)
    if (!(await addTo(groups.values(), folder, each.file))) leftFiles.push(each);
  const datasets: DatasetWithExtent[] = [];
  const refused = new Map<string, string>();
  const takenFiles = new Set<string>();
  for (const group of groups.values()) {
    const settledGroup = await settle(folder, group, files);
    if (typeof settledGroup !== 'string') datasets.push(settledGroup);
    for (const file of group.files) {
      if (typeof settledGroup === 'string') refused.set(file, settledGroup);
      else takenFiles.add(file);
    }
  }
  for (const [file, why] of refused)
    if (!takenFiles.has(file)) leftFiles.push({ file, why, proposed: proposals.get(file)! });
  return {
    datasets: distinct(withQuestions(await withClaims(folder, datasets))),
    unrecognised: leftFiles.sort((a, b) => (a.file < b.file ? -1 : 1)),
  };
}
