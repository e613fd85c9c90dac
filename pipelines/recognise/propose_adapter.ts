import { EtlError } from '../../schema/errors.ts';
import { isFeatureTable } from '../../schema/records/coverage.ts';
import type { DatasetConfig, SourceAdapter } from '../../sources/adapter.ts';
import { ADAPTERS } from '../../sources/index.ts';
import { PLACES_MAPS } from '../../sources/places/places_csv/options.ts';
import { SALES_MAPS } from '../../sources/sales_csv/options.ts';
import type { Proposal } from './map_evidence.ts';
import { statesAt } from './states_at.ts';

/** Proposal for an adapter with its own format. */
export interface AdapterProposal extends Proposal {
  /** Why the adapter knows the format but cannot read this file; null: it can. */
  readonly problem: string | null;
}

/** Named field maps of table adapters, which read nothing without one. */
const MAPS_OF_TABLES: Readonly<Record<string, readonly string[]>> = {
  places_csv: Object.keys(PLACES_MAPS),
  sales_csv: Object.keys(SALES_MAPS),
};
/** Adapters for layers, which would open any file of features. */
const OF_LAYERS: ReadonlySet<string> = new Set(['cadastre', 'zoning', 'overlays', 'hazards', 'stops']);
/** Adapters that open any file of a format, even if it has nothing for them. */
const OPEN_TO_ALL: ReadonlySet<string> = new Set(['osm', 'overture', 'places_csv', 'sales_csv']);
/** Errors that mean a file belongs to another adapter. Any other error comes from an adapter that knows the format. */
const NOT_ITS: ReadonlySet<string> = new Set([
  'bad_option',
  'missing_file',
  'missing_column',
  'no_features',
  'gtfs_no_feed',
  'gnaf_no_tables',
  'bad_geojson',
  'missing_crs',
  'wrong_shape_type',
  'unknown_region_level',
]);

/** Names of files of an adapter: its error counts, and other adapters do not read them. */
const NAMED: Readonly<Record<string, RegExp>> = {
  census: /(^|\/)\d{4}(Census_[A-Z]\d{2}[^/]*\.csv|_[A-Z]{2,3}_[^/]*header[^/]*\.zip)$/i,
};

const datasetOf = (paths: readonly string[], options: Record<string, unknown>): DatasetConfig => ({
  id: 'inspected',
  files: paths.map((path) => ({ path, bytes: 0, sha256: '' })),
  options,
  crs: null,
  release: null,
});

interface TrialRead {
  /** Number of rows that became records. */
  readonly records: number;
  /** State of most records that have coordinates or name one; null: unknown. */
  readonly state: string | null;
}

/** Reads up to the first batch with records: their number, and the state of more than half of them. */
async function readTrial(adapter: SourceAdapter, dataset: DatasetConfig): Promise<TrialRead> {
  const { release, parts } = await adapter.discover(dataset);
  const states = new Map<string, number>();
  let records = 0;
  for (const part of parts) {
    for await (const batch of adapter.readPart(release, part, {})) {
      for (const { rows } of (batch.records ?? []).filter(({ table }) => isFeatureTable(table)))
        for (const row of rows as Readonly<Record<string, unknown>>[]) {
          records++;
          if (typeof row.lon !== 'number' || typeof row.lat !== 'number') continue;
          for (const state of statesAt(row.lon, row.lat)) states.set(state, (states.get(state) ?? 0) + 1);
        }
      if (records > 0) break;
    }
    if (records > 0) break;
  }
  const [mostFrequent] = [...states].sort(([, a], [, b]) => b - a);
  return {
    records,
    state: mostFrequent !== undefined && mostFrequent[1] * 2 > records ? mostFrequent[0] : null,
  };
}

/**
 * Finds options with which an adapter reads a file; null: not one of its files. @throws EtlError if the adapter knows the format but cannot
 * read the file
 */
async function optionsFor(
  adapter: SourceAdapter,
  paths: readonly string[],
  location: Record<string, unknown>,
): Promise<Record<string, unknown> | null> {
  const maps = (MAPS_OF_TABLES[adapter.name] ?? []).map((field_map) => ({ ...location, field_map }));
  for (const options of [location, { ...location, state: 'NSW' }, ...maps] as Record<string, unknown>[]) {
    try {
      const { records, state } = await readTrial(adapter, datasetOf(paths, options));
      if (records === 0 && OPEN_TO_ALL.has(adapter.name)) return null;
      const of = { ...options, state };
      if (state !== null && (await takes(adapter, paths, of))) return of;
      return 'state' in options ? { ...options, state: '…' } : options;
    } catch (error) {
      if (!(error instanceof EtlError)) throw error;
      const isNamed = paths.every((path) => NAMED[adapter.name]?.test(path));
      if (isNamed || !NOT_ITS.has(error.code)) throw error;
    }
  }
  return null;
}

/** Tests whether an adapter reads a file, and with which options, including options that its error suggests. Null: not one of its files. */
async function proposalOf(adapter: SourceAdapter, paths: readonly string[]): Promise<AdapterProposal | null> {
  try {
    const options = await optionsFor(adapter, paths, {});
    return options === null ? null : { adapter: adapter.name, options, problem: null };
  } catch (error) {
    if (!(error instanceof EtlError)) throw error;
    const advised = error.details?.options as Record<string, unknown> | undefined;
    if (advised === undefined) return { adapter: adapter.name, options: {}, problem: error.message };
    const options = await optionsFor(adapter, paths, advised).catch(() => null);
    if (options === null) return null;
    // A person must supply what the adapter cannot know.
    const open = error.details?.open as Record<string, unknown> | undefined;
    return { adapter: adapter.name, options: { ...options, ...open }, problem: error.message };
  }
}

const takes = (
  adapter: SourceAdapter,
  paths: readonly string[],
  options: Record<string, unknown>,
): Promise<boolean> =>
  adapter.discover(datasetOf(paths, options)).then(
    () => true,
    () => false,
  );

/**
 * Finds the adapter for a file, or for all files of a release, other than a layer of zones, parcels or hazards. `only`: the one to try.
 * Null: none.
 */
export async function proposeAdapter(
  paths: readonly string[],
  only: string | null = null,
): Promise<AdapterProposal | null> {
  let refused: AdapterProposal | null = null;
  for (const adapter of ADAPTERS) {
    if (OF_LAYERS.has(adapter.name) || (only !== null && adapter.name !== only)) continue;
    const proposal = await proposalOf(adapter, paths);
    if (proposal?.problem === null) return proposal;
    refused ??= proposal;
  }
  return refused;
}
