import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type pg from 'pg';
import type { Config } from '../../schema/config.ts';
import { EtlError } from '../../schema/errors.ts';
import { shapeOfColumns } from '../../schema/table.ts';
import type { DatasetConfig, Release, SourceAdapter } from '../../sources/adapter.ts';
import { adapterNamed } from '../../sources/index.ts';
import { type FileStamp, findFiles, hashFiles } from '../../store/loads/files.ts';
import { checkLicence } from './configured.ts';
import { failureText, isDeliveryFailure, withDatasetName } from './delivery_failure.ts';
import { pathsOf } from './fetched_paths.ts';
import type { PartToLoad } from './load_part.ts';
import type { PartToRead } from './load_records.ts';

/** Reason of a dataset that is loaded for the first time. */
export const NOT_LOADED = 'not loaded yet';

/** The action for one dataset, and its reason. */
export interface DatasetPlan {
  dataset: string;
  /** kept: its files are unreadable, so its last load stays. */
  action: 'load' | 'unchanged' | 'remove' | 'kept';
  isLoaded: boolean;
  /** Whether a delivery in which every row is rejected is accepted. */
  acceptsNothing: boolean;
  reason: string;
  adapter: string;
  files: string[];
  fingerprint: string;
  config: DatasetConfig | null;
  /** Size and times of each file when it was hashed, by path. */
  stamps: ReadonlyMap<string, FileStamp>;
}

const hash = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 24);

/** Returns the fingerprint of everything that determines the records of a dataset, or of parts that read only the given files. */
export function fingerprintOf(
  adapter: SourceAdapter,
  dataset: DatasetConfig,
  paths: readonly string[] | null = null,
): string {
  return hash([
    adapter.name,
    adapter.version,
    adapter.tables.map((table) => [table.name, shapeOfColumns(table.columns)]),
    dataset.files
      .filter((file) => paths === null || paths.includes(file.path))
      .map((file) => [basename(file.path), file.sha256]),
    dataset.release,
    dataset.crs,
    dataset.options,
    ...(dataset.datum_grid === undefined
      ? []
      : [basename(dataset.datum_grid.path), dataset.datum_grid.sha256]),
  ]);
}

/** A configured dataset with its files on this machine, and their size and times when they were hashed. */
export interface FoundDataset {
  dataset: DatasetConfig;
  stamps: ReadonlyMap<string, FileStamp>;
}

/** Finds and hashes the files of a configured dataset. Reads only files whose size, time or inode changed. */
export async function findDataset(
  client: pg.ClientBase,
  config: Config,
  id: string,
  base: string,
  rehash: boolean,
): Promise<FoundDataset> {
  const settings = config.datasets[id]!;
  const hashedFiles = await hashFiles(
    client,
    await findFiles(await pathsOf(config, id, settings), base),
    rehash,
  );
  const files = hashedFiles.map(({ path, bytes, sha256 }) => ({ path, bytes, sha256 }));
  const { release, crs, options } = settings;
  const grids = config.datum_grid === null ? [] : await findFiles(config.datum_grid, base);
  const [grid] = (await hashFiles(client, grids, rehash)).map(({ path, bytes, sha256 }) => ({
    path,
    bytes,
    sha256,
  }));
  return {
    dataset: { id, files, release, crs, options, ...(grid && { datum_grid: grid }) },
    stamps: new Map(hashedFiles.map(({ path, stamp }) => [path, stamp])),
  };
}

/** Returns the task to read a part of a release into a load. */
export function partToLoad(
  runId: number,
  loadId: number,
  { adapter, release, stamps }: { adapter: string; release: Release; stamps: ReadonlyMap<string, FileStamp> },
  { part, fingerprint }: PartToRead,
): PartToLoad {
  const partStamps = new Map([...stamps].filter(([path]) => part.files?.includes(path) ?? true));
  return { runId, loadId, adapter, release, part, fingerprint, stamps: partStamps };
}

/** Returns the plan of a dataset from its loads alone. */
const activeLoads = (
  plan: Pick<DatasetPlan, 'dataset' | 'fingerprint' | 'adapter'>,
): Omit<DatasetPlan, 'action' | 'reason'> => ({
  ...plan,
  isLoaded: true,
  acceptsNothing: false,
  files: [],
  config: null,
  stamps: new Map(),
});

/** Compares the configured datasets with what is loaded. Reads only files whose size, time or inode changed. */
export async function planDatasets(
  client: pg.ClientBase,
  config: Config,
  base: string,
  rehash: boolean,
): Promise<DatasetPlan[]> {
  const loaded = await client.query<{ dataset: string; fingerprint: string; adapter: string }>(
    `SELECT DISTINCT dataset, fingerprint, adapter FROM control.load WHERE state = 'active'`,
  );
  const active = new Map(loaded.rows.map((row) => [row.dataset, row]));
  const plans: DatasetPlan[] = [];
  for (const [id, settings] of Object.entries(config.datasets)) {
    const adapter = adapterNamed(settings.adapter);
    checkLicence(id, adapter, settings);
    const activeParts = active.get(id);
    const discovered = await findDataset(client, config, id, base, rehash).catch((error: unknown) => {
      if (activeParts !== undefined && isDeliveryFailure(error)) return error;
      throw withDatasetName(error, id);
    });
    if (discovered instanceof EtlError) {
      plans.push({
        ...activeLoads(activeParts!),
        action: 'kept',
        reason: failureText(discovered),
        adapter: adapter.name,
      });
      continue;
    }
    const { dataset, stamps } = discovered;
    const fingerprint = fingerprintOf(adapter, dataset);
    const action = activeParts?.fingerprint === fingerprint ? 'unchanged' : 'load';
    const reason =
      action === 'unchanged'
        ? 'same files and settings'
        : activeParts
          ? 'files or settings changed'
          : NOT_LOADED;
    plans.push({
      dataset: id,
      isLoaded: activeParts !== undefined,
      acceptsNothing: settings.accept_all_rejected,
      action,
      reason,
      adapter: adapter.name,
      files: dataset.files.map((file) => file.path),
      fingerprint,
      config: dataset,
      stamps,
    });
  }
  for (const parts of active.values()) {
    if (parts.dataset in config.datasets) continue;
    plans.push({ ...activeLoads(parts), action: 'remove', reason: 'no longer in the configuration' });
  }
  return plans;
}
