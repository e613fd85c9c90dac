import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type pg from 'pg';
import type { Config } from '../../schema/config.ts';
import { EtlError } from '../../schema/errors.ts';
import { shapeOfColumns } from '../../schema/table.ts';
import type { DatasetConfig, SourceAdapter } from '../../sources/adapter.ts';
import { adapterNamed } from '../../sources/index.ts';
import { findFiles, hashFiles, type Stamp } from '../../store/loads/files.ts';
import { checkLicence } from './configured.ts';
import { pathsOf } from './fetched_paths.ts';
import { isOfDelivery, ofDataset, whyKept } from './kept.ts';

/** The action for one dataset, and the reason. */
export interface DatasetPlan {
  dataset: string;
  /** kept: it cannot be read, and what is loaded stays. */
  action: 'load' | 'unchanged' | 'remove' | 'kept';
  /** Something of it is loaded. */
  isLoaded: boolean;
  /** A delivery without one good row is taken. */
  acceptsNothing: boolean;
  reason: string;
  adapter: string;
  files: string[];
  fingerprint: string;
  config: DatasetConfig | null;
  /** What each file was like when it was hashed, by path. */
  stamps: ReadonlyMap<string, Stamp>;
}

const hash = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 24);

/** Fingerprint of everything that determines the records of a dataset, or of those parts that read only the given files. */
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
  ]);
}

/** The plan of a dataset by what is loaded of it alone. */
const standing = (
  known: Pick<DatasetPlan, 'dataset' | 'fingerprint' | 'adapter'>,
): Omit<DatasetPlan, 'action' | 'reason'> => ({
  ...known,
  isLoaded: true,
  acceptsNothing: false,
  files: [],
  config: null,
  stamps: new Map(),
});

/** Compares the configured datasets with what is loaded. Reads files only where their size, time or inode changed. */
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
    const known = active.get(id);
    const found = await pathsOf(config, id, settings)
      .then(async (paths) => hashFiles(client, await findFiles(paths, base), rehash))
      .catch((error: unknown) => {
        if (known !== undefined && isOfDelivery(error)) return error;
        throw ofDataset(error, id);
      });
    if (found instanceof EtlError) {
      plans.push({ ...standing(known!), action: 'kept', reason: whyKept(found), adapter: adapter.name });
      continue;
    }
    const files = found;
    const { release, crs, options } = settings;
    const stamps = new Map(files.map((file) => [file.path, file.stamp]));
    const read = files.map(({ path, bytes, sha256 }) => ({ path, bytes, sha256 }));
    const dataset: DatasetConfig = { id, files: read, release, crs, options };
    const fingerprint = fingerprintOf(adapter, dataset);
    const action = known?.fingerprint === fingerprint ? 'unchanged' : 'load';
    const reason =
      action === 'unchanged'
        ? 'same files and settings'
        : known
          ? 'files or settings changed'
          : 'not loaded yet';
    plans.push({
      dataset: id,
      isLoaded: known !== undefined,
      acceptsNothing: settings.accept_all_rejected,
      action,
      reason,
      adapter: adapter.name,
      files: files.map((f) => f.path),
      fingerprint,
      config: dataset,
      stamps,
    });
  }
  for (const known of active.values()) {
    if (known.dataset in config.datasets) continue;
    plans.push({ ...standing(known), action: 'remove', reason: 'no longer in the configuration' });
  }
  return plans;
}
