import { join } from 'node:path';
import { EtlError } from '../../schema/errors.ts';
import { locateFeatures } from '../../sources/formats/vector/feature_places.ts';
import { findFiles } from '../../store/loads/files.ts';
import { layersOf } from '../ingest/readable.ts';
import { claimedState } from './coverage_claim.ts';
import { type DatasetCandidate, OPEN } from './dataset_candidate.ts';
import { datasetPaths } from './dataset_paths.ts';
import { extentOfLayers } from './extent.ts';
import { onlyOverlay } from './layer_claims.ts';
import { inspectLayer } from './layer_view.ts';
import type { DatasetWithExtent } from './recognised.ts';
import { roleOf } from './roles.ts';
import { discovered, givesRecords } from './trial_read.ts';

/** Files of one dataset: candidates with the same name, adapter and options in one folder. */
export interface Group {
  candidate: DatasetCandidate;
  second: DatasetCandidate | null;
  files: string[];
  /** Folders that the configuration names instead of their files. */
  folders: string[];
  /** State that inspection found for its first file; the adapter may not need it. */
  proposedState: string | null;
  /** Deciding column of its first file, with values; null: none. */
  shownText: string | null;
  /** Column that identifies parcels and numbers the rows of the file; null: another or none. */
  numbered: string | null;
}

const UNSTATED = new Set(['missing_crs', 'unknown_crs']);

/** Returns a group as a dataset if its adapter reads it, else the reason. If reading fails, it is tried with the state as an option. */
export async function settle(
  folder: string,
  group: Group,
  all: readonly string[],
): Promise<DatasetWithExtent | string> {
  const { proposedState } = group;
  const candidate = await withUniqueIds(folder, group);
  const result = await settleAs(folder, candidate, group, all);
  if (typeof result !== 'string') return withNumberedRows(result, group);
  if (proposedState === null) return result;
  const withState = { ...candidate, options: { state: proposedState, ...candidate.options } };
  const again = await settleAs(folder, withState, group, all);
  return typeof again === 'string' ? result : withNumberedRows(again, group);
}

/** Returns the values of columns in the first features of each file. */
async function valuesOf(paths: readonly string[], names: readonly string[]): Promise<string[][][]> {
  const { places } = await locateFeatures(paths);
  const files: string[][][] = [];
  for (const location of places) {
    const { columns } = await inspectLayer(location);
    files.push(names.map((name) => [...(columns.find((each) => each.name === name)?.values.keys() ?? [])]));
  }
  return files;
}

/** Returns whether a file has most values of a column in common with earlier files. */
function isShared(files: readonly (readonly string[])[]): boolean {
  const earlierValues = new Set<string>();
  return files.some((values) => {
    const repeats = values.filter((value) => earlierValues.has(value)).length;
    for (const value of values) earlierValues.add(value);
    return repeats * 2 > values.length;
  });
}

/**
 * Identifies the parcels of several files by their lot on plan if different lots share an identifier; without lots, it adds a question.
 * Other candidates are unchanged.
 */
async function withUniqueIds(folder: string, { candidate, files }: Group): Promise<DatasetCandidate> {
  const map = candidate.options.field_map as {
    parcel_id?: unknown;
    lot_plan?: { parts: readonly string[] } | null;
  };
  const id = candidate.adapter === 'cadastre' ? map.parcel_id : null;
  const lot = map?.lot_plan?.parts.length === 1 ? map.lot_plan.parts[0]! : null;
  if (files.length < 2 || typeof id !== 'string' || id === lot) return candidate;
  const values = await valuesOf(
    files.map((file) => join(folder, file)),
    lot === null ? [id] : [id, lot],
  );
  if (!isShared(values.map(([ids]) => ids!))) return candidate;
  if (lot === null)
    return {
      ...candidate,
      doubt: `Which column identifies a parcel? Several files have the same values of ${id}. Set parcel_id, or configure one file.`,
    };
  // The same lots again are the same parcels.
  if (isShared(values.map(([, lots]) => lots!))) return candidate;
  return { ...candidate, options: { ...candidate.options, field_map: { ...map, parcel_id: lot } } };
}

/** Adds a question to a cadastre of several files whose parcels only have the row numbers of their file. */
function withNumberedRows(settledDataset: DatasetWithExtent, { files, numbered }: Group): DatasetWithExtent {
  const { dataset } = settledDataset;
  if (files.length < 2 || numbered === null) return settledDataset;
  const question = `Which column identifies a parcel? ${numbered} numbers the rows of each file, so parcels of several files would share it. Set parcel_id, or configure one file.`;
  return { ...settledDataset, dataset: { ...dataset, question } };
}

async function settleAs(
  folder: string,
  candidate: DatasetCandidate,
  group: Group,
  all: readonly string[],
): Promise<DatasetWithExtent | string> {
  const { files, second, shownText } = group;
  const path = datasetPaths(files, group.folders, all);
  const paths = await findFiles(
    files.map((file) => join(folder, file)),
    folder,
  );
  let discovery = await discovered(candidate, paths, null);
  let crs: string | null = null;
  let question = candidate.doubt ?? null;
  const notes: string[] = shownText === null ? [] : [shownText];
  if (
    discovery instanceof EtlError &&
    UNSTATED.has(discovery.code) &&
    files.every((file) => /\.csv$/i.test(file))
  ) {
    crs = 'EPSG:7844';
    notes.push('The table states no datum; its degrees are read as GDA2020.');
    discovery = await discovered(candidate, paths, crs);
  }
  if (discovery instanceof EtlError && discovery.code === 'gnaf_datum_unknown') {
    crs = OPEN;
    question =
      'GDA2020 or GDA94? No folder says so. Set crs to EPSG:7844 for GDA2020, to EPSG:4283 for GDA94.';
    discovery = await discovered(candidate, paths, 'EPSG:7844');
  }
  if (discovery instanceof EtlError) return discovery.message;
  const hasRecords = await givesRecords(candidate, discovery);
  if (hasRecords !== true)
    return `as ${candidate.adapter} ${JSON.stringify(candidate.options)}: ${hasRecords}`;
  const state = claimedState(discovery.parts);
  const extent =
    state !== null || roleOf(candidate) !== null ? await extentOfLayers(layersOf(discovery.parts)) : null;
  const only_overlay =
    state !== null && candidate.adapter === 'overlays' ? await onlyOverlay(candidate, discovery) : null;
  const { release } = discovery;
  const dataset = { ...candidate, path, crs, release, notes, second, question, coverage_question: null };
  return { dataset, extent, claimed: state, only_overlay };
}
