import { basename, dirname, extname, join, relative } from 'node:path';
import { EtlError } from '../../schema/errors.ts';
import { STATE_NAMES } from '../../schema/states.ts';
import type { DatasetConfig, Release } from '../../sources/adapter.ts';
import { adapterNamed } from '../../sources/index.ts';
import { findFiles } from '../../store/files.ts';
import { viewFiles } from './file_view.ts';
import { type Candidate, layerCandidates, saysLand } from './layer_candidates.ts';

/** A dataset that the files of a folder make. */
export interface Recognised extends Candidate {
  /** Files and globs, relative to the folder. */
  readonly path: readonly string[];
  /** CRS that the configuration must state because the files do not; null: they do. */
  readonly crs: string | null;
  /** As the files say. */
  readonly release: Pick<Release, 'id' | 'crs'>;
  /** Columns that the adapter could not be asked about, an assumed datum and the like. */
  readonly notes: readonly string[];
}

/** A file that is no dataset as it is. */
export interface Unrecognised {
  /** Relative to the folder. */
  readonly file: string;
  readonly why: string;
  /** A dataset that reads it once what stands as … is filled in, as YAML; null: nothing in it says what it is. */
  readonly proposed: string | null;
}

export interface Recognition {
  readonly datasets: readonly Recognised[];
  readonly unrecognised: readonly Unrecognised[];
}

/** A digest is no part of what is looked for; a release without a date is named by one. */
const NO_DIGEST = '0'.repeat(64);

/** Adapters that tell their files by what is in them, by the ending of the file, the strictest first. */
const BY_CONTENT: readonly [RegExp, readonly Pick<Candidate, 'adapter' | 'options'>[]][] = [
  [/\.zip$/i, ['gnaf', 'census', 'gtfs', 'nsw_psi'].map((adapter) => ({ adapter, options: {} }))],
  [/\.psv$/i, [{ adapter: 'gnaf', options: {} }]],
  [/\.xlsx$/i, ['seifa', 'schools'].map((adapter) => ({ adapter, options: {} }))],
  [/\.xml(\.gz)?$/i, [{ adapter: 'reaxml', options: {} }]],
  [/\.(ndjson|jsonl)(\.gz)?$|\.csv\.gz$/i, [{ adapter: 'listings', options: {} }]],
  [
    /\.csv$/i,
    [
      { adapter: 'census', options: {} },
      { adapter: 'school_measures', options: {} },
      { adapter: 'listings', options: {} },
      { adapter: 'sales_csv', options: { field_map: 'melbourne_housing' } },
      { adapter: 'schools', options: {} },
      { adapter: 'places_csv', options: { field_map: 'osm_amenities' } },
      { adapter: 'places_csv', options: { field_map: 'vicnames' } },
    ],
  ],
  [/\.osm\.pbf$/i, [{ adapter: 'osm', options: {} }]],
  [/\.(geo)?parquet$/i, [{ adapter: 'overture', options: {} }]],
];
const FEATURES = /\.(shp|zip|geojson|json|ndjson|gpkg|fgb|parquet|geoparquet|csv)$/i;
/** Parts of a shapefile, which go with it. */
const SIBLING = /\.(shx|dbf|prj|cpg|sbn|sbx|qix|qpj|shp\.xml)$/i;

/** Adapters whose datasets are of the nation, or name their state themselves. */
const STATELESS = ['gnaf', 'asgs', 'census', 'seifa', 'nsw_psi', 'listings'];

/** What the publishers of a state call their files and folders. */
const PUBLISHED: readonly [RegExp, string][] = [
  [/^(PLAN_(ZONE|OVERLAY|CODELIST)|VMPLAN|VMPROP|PARCEL_VIEW|PTV_)/i, 'VIC'],
  [/^(EPI_|BFPL|NSWLandParcel)/i, 'NSW'],
  [/^PDCode/i, 'SA'],
  [/(LGATE|DPLH|OBRM|DWER)[_-]\d/i, 'WA'],
  [/^(TPS_|list_cadastral)/i, 'TAS'],
  [/^ACTGOV_/i, 'ACT'],
  [/^(NTLIS|NTPS)_/i, 'NT'],
];

/** The state that a path names, or whose publisher's name it has: the file before its folders, the nearest first; null: none. */
export function stateOf(path: string): string | null {
  for (const part of path.split('/').reverse()) {
    const words = part.replace(/[^a-z0-9]+/gi, ' ').toLowerCase();
    const found = Object.entries(STATE_NAMES).find(
      ([state, name]) =>
        ` ${words} `.includes(` ${state.toLowerCase()} `) || words.includes(name.toLowerCase()),
    );
    if (found !== undefined) return found[0];
    const published = PUBLISHED.find(([name]) => name.test(part));
    if (published !== undefined) return published[1];
  }
  return null;
}

const datasetOf = (candidate: Candidate, paths: readonly string[], crs: string | null): DatasetConfig => ({
  id: candidate.id,
  files: [...paths].sort().map((path) => ({ path, bytes: 0, sha256: NO_DIGEST })),
  release: null,
  crs,
  options: candidate.options,
});

type Discovered = Awaited<ReturnType<ReturnType<typeof adapterNamed>['discover']>>;

/** What the adapter finds in the files, or why it does not take them. Only errors that say so are answers. */
async function discovered(
  candidate: Candidate,
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

/** Whether reading gives a record: the first one ends it. A reason where it gives none. */
async function givesRecords({ adapter }: Candidate, { release, parts }: Discovered): Promise<true | string> {
  const end = new AbortController();
  let rejected = 0;
  try {
    for (const part of parts) {
      for await (const { records = [], rejects = [] } of adapterNamed(adapter).read(release, part, {
        signal: end.signal,
      })) {
        if (records.some(({ rows, table }) => rows.length > 0 && !table.name.startsWith('coverage')))
          return true;
        rejected += rejects.length;
      }
    }
  } catch (error) {
    if (error instanceof EtlError) return error.message;
    throw error;
  } finally {
    end.abort();
  }
  return rejected > 0 ? `none of its ${rejected} rows can be read` : 'it holds nothing of the kind';
}

/** What a file may be. */
interface Judged {
  candidates: Candidate[];
  /** Why there is no candidate, where there is none. */
  why: string;
  proposed: string | null;
}

const NOTHING: Judged = { candidates: [], why: 'nothing that is known reads it', proposed: null };

/** Candidates of one file, whether or not they read it. */
async function candidatesOf(folder: string, file: string): Promise<Judged> {
  const path = join(folder, file);
  const state = stateOf(file);
  const named = ({ adapter, options }: Pick<Candidate, 'adapter' | 'options'>): Candidate => ({
    id: state === null || STATELESS.includes(adapter) ? adapter : `${adapter}_${state.toLowerCase()}`,
    adapter,
    options,
  });
  const byContent = BY_CONTENT.filter(([ending]) => ending.test(file))
    .flatMap(([, each]) => each)
    .map(named);
  let { why } = NOTHING;
  for (const candidate of byContent) {
    const found = await discovered(candidate, [path], null);
    if (found instanceof EtlError) continue;
    const read = await givesRecords(candidate, found);
    if (read === true) return { ...NOTHING, candidates: [candidate] };
    // Its members say what it is; the columns of a table may be those of anything.
    if (/\.zip$/i.test(file)) why = `it looks like ${candidate.adapter}, but ${read}`;
  }
  if (!FEATURES.test(file)) return { ...NOTHING, why };
  const paths = await findFiles([path], folder);
  const view = await viewFiles(paths).catch((error) => {
    if (error instanceof EtlError) return [];
    throw error;
  });
  if (view[0] === undefined) return { ...NOTHING, why };
  const name = basename(file, extname(file));
  for (const each of [name, basename(dirname(file))]) {
    const candidates = layerCandidates(each, state, view[0]);
    if (candidates.length > 0) return { candidates, why, proposed: view[0].proposed };
  }
  const asgs = named({ adapter: 'asgs', options: {} });
  const isRegions = !saysLand(name) && !((await discovered(asgs, paths, null)) instanceof EtlError);
  // What a table looks like says little.
  return {
    candidates: isRegions ? [asgs] : [],
    why,
    proposed: /\.csv$/i.test(file) ? null : view[0].proposed,
  };
}

/** Files of one dataset: candidates with the same name, adapter and options in one folder. */
interface Group {
  candidate: Candidate;
  files: string[];
}

/** Paths of a group: a glob for each ending whose files in the folder are all of the group, else the files. */
function pathsOf(files: readonly string[], all: readonly string[]): string[] {
  const kind = (file: string): string => /(\.[a-z]+(\.gz|\.pbf)?)$/i.exec(basename(file))?.[1] ?? '';
  const inFolder = (folder: string, ending: string): string[] =>
    all.filter((file) => dirname(file) === folder && kind(file) === ending);
  const paths = files.map((file) => {
    const beside = inFolder(dirname(file), kind(file));
    return beside.length > 1 && beside.every((each) => files.includes(each))
      ? join(dirname(file), `*${kind(file)}`)
      : file;
  });
  return [...new Set(paths)].sort();
}

const UNSTATED = new Set(['missing_crs', 'unknown_crs']);

/** A group as a dataset, once its adapter reads it; else why not. */
async function settle(
  folder: string,
  { candidate, files }: Group,
  all: readonly string[],
): Promise<Recognised | string> {
  const path = pathsOf(files, all);
  const paths = await findFiles(
    files.map((file) => join(folder, file)),
    folder,
  );
  let found = await discovered(candidate, paths, null);
  let crs: string | null = null;
  const notes: string[] = [];
  if (found instanceof EtlError && UNSTATED.has(found.code) && files.every((file) => /\.csv$/i.test(file))) {
    crs = 'EPSG:7844';
    notes.push('The table states no datum: its degrees are taken as GDA2020.');
    found = await discovered(candidate, paths, crs);
  }
  if (found instanceof EtlError) return found.message;
  const read = await givesRecords(candidate, found);
  if (read !== true) return `as ${candidate.adapter} ${JSON.stringify(candidate.options)}: ${read}`;
  return { ...candidate, path, crs, release: found.release, notes };
}

/** Gives every dataset a name of its own. */
function distinct(datasets: readonly Recognised[]): Recognised[] {
  const seen = new Map<string, number>();
  return datasets.map((dataset) => {
    const n = (seen.get(dataset.id) ?? 0) + 1;
    seen.set(dataset.id, n);
    return n === 1 ? dataset : { ...dataset, id: `${dataset.id}_${n}` };
  });
}

/** Tables that layers and other tables of a release refer to. */
const LIST = /\.(dbf|csv|psv)$/i;

const stem = (file: string): string =>
  file
    .replace(SIBLING, '')
    .replace(/\.shp$/i, '')
    .toLowerCase();

/** Gives a file that is nothing by itself to the groups of its folder that read it too, such as a list of codes. */
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
 * Finds out what the files of a folder are, by reading each until its adapter gives a record.
 * @param skip files that are no releases
 * @param begin is told how many files there are, and gives what is called after each
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
  // A table without a layer is a list of its own.
  const isSibling = (file: string): boolean =>
    SIBLING.test(file) && (layers.has(stem(file)) || (!/\.dbf$/i.test(file) && tables.has(stem(file))));
  const files = found.filter((file) => !isSibling(file) && !/(^|\/)\./.test(file) && !skip(file));
  const done = begin(files.length);
  const groups = new Map<string, Group>();
  const unrecognised: Unrecognised[] = [];
  const proposals = new Map<string, string | null>();
  for (const file of files) {
    const { candidates, why, proposed } = await candidatesOf(folder, file);
    done();
    proposals.set(file, proposed);
    if (candidates.length === 0) unrecognised.push({ file, why, proposed });
    for (const candidate of candidates) {
      const where = candidate.adapter === 'gnaf' ? file.split('/')[0] : dirname(file);
      const key = JSON.stringify([candidate, where]);
      const group = groups.get(key) ?? { candidate, files: [] };
      group.files.push(file);
      groups.set(key, group);
    }
  }
  const alone: Unrecognised[] = [];
  for (const each of unrecognised) if (!(await addTo(groups.values(), folder, each.file))) alone.push(each);
  const datasets: Recognised[] = [];
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
    datasets: distinct(datasets),
    unrecognised: alone.sort((a, b) => (a.file < b.file ? -1 : 1)),
  };
}
