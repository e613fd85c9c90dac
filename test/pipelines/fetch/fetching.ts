import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FetchFailure, fetchDatasets } from '../../../pipelines/fetch/fetch.ts';
import type { FetchResult } from '../../../pipelines/fetch/fetch_dataset.ts';
import type { FetchRetry } from '../../../pipelines/fetch/persistence.ts';
import { silent } from '../../../pipelines/report/progress.ts';
import { type Config, configSchema } from '../../../schema/config.ts';

/** A data folder with one dataset that is fetched. */
export interface Bench {
  dataDir: string;
  retries: FetchRetry[];
  config(fetch: object, downloads?: object): Config;
  run(fetch: object, options?: RunOptions): Promise<FetchResult | FetchFailure>;
  /** Content of the only file of the current release. */
  content(result: FetchResult | FetchFailure): Buffer;
  remove(): void;
}

interface RunOptions {
  downloads?: object;
  env?: NodeJS.ProcessEnv;
  checkOnly?: boolean;
  dueOnly?: boolean;
  force?: boolean;
  signal?: AbortSignal;
}

export function openBench(): Bench {
  const dataDir = mkdtempSync(join(tmpdir(), 'fetch-'));
  const retries: FetchRetry[] = [];
  const config = (fetch: object, downloads: object = {}): Config =>
    configSchema.parse({
      data_dir: dataDir,
      downloads: { attempts: 3, backoff_s: 0.01, stall_s: 20, min_free_mb: 1, ...downloads },
      datasets: { d: { adapter: 'places_csv', path: 'fetched', licence: 'CC-BY-4.0', fetch } },
    });
  return {
    dataDir,
    retries,
    config,
    run: async (fetch, options = {}) => {
      const [result] = await fetchDatasets(['d'], {
        config: config(fetch, options.downloads),
        env: options.env ?? {},
        progress: silent,
        onRetry: (failed) => retries.push(failed),
        checkOnly: options.checkOnly ?? false,
        dueOnly: options.dueOnly ?? false,
        force: options.force ?? false,
        signal: options.signal,
      });
      return result!;
    },
    content: (result) => {
      if (result.action === 'failed') throw new Error(`${result.code}: ${result.message}`);
      return readFileSync(result.files[0]!);
    },
    remove: () => rmSync(dataDir, { recursive: true, force: true }),
  };
}
