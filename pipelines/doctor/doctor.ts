import { resolve } from 'node:path';
import type { Config } from '../../schema/config.ts';
import type { Check } from './check.ts';
import { connectionCheck, databaseChecks } from './database.ts';
import { datasetChecks } from './datasets.ts';
import { machineChecks } from './machine.ts';

export type { Check } from './check.ts';

export interface DoctorOptions {
  config: Config;
  /** Base folder of relative dataset paths. */
  base: string;
  /** Calls `work` with the URL of the database and keeps it running meanwhile. */
  withDatabase(work: (url: string) => Promise<Check[]>): Promise<Check[]>;
}

/**
 * Checks everything that a refresh needs: machine, database, datasets. Changes nothing in the database. An unreadable dataset or
 * unreachable database is a failed check, not an exception.
 */
export async function diagnose(options: DoctorOptions): Promise<Check[]> {
  const { config, base } = options;
  const datasets = await datasetChecks(config, base);
  const machine = await machineChecks({
    dataDir: resolve(config.data_dir),
    releaseBytes: datasets.bytes,
    embedded: config.database.url === null,
  });
  const database = await options
    .withDatabase((url) => databaseChecks(url, config))
    .catch((error: unknown) => [connectionCheck(error)]);
  return [...machine, ...database, ...datasets.checks];
}
