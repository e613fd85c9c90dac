import type pg from 'pg';
import { setUp } from '../../pipelines/run/refresh.ts';
import { preview } from '../../pipelines/views/preview.ts';
import { digests, digestsAsOf } from '../../pipelines/views/status.ts';
import type { Config } from '../../schema/config.ts';
import { withClient as dbClient, openPool } from '../../store/database.ts';
import { servedTables } from '../../store/read/served_tables.ts';
import { dryRun } from '../../store/system/dry_run.ts';
import { withDatabase } from '../database.ts';
import { type ConfigFlags, type LoadedConfig, loadConfig, loadWithDatasets } from '../load_config.ts';
import { printLine } from '../print.ts';
import { columns, renderPreview } from '../render.ts';
import { wholeFlag } from '../whole_flag.ts';

/** Flags of a command that reads and prints. */
export type InspectFlags = ConfigFlags & { json?: boolean; verbose?: boolean };

/** Runs a read on one connection, after setting up the database. */
export async function withSetUp<T>(
  url: string,
  config: Config,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const pool = openPool(url, 1);
  const client = await pool.connect();
  try {
    await setUp(client, config);
    return await work(client);
  } finally {
    client.release();
    await pool.end();
  }
}

/** The same on the configured database. */
export const withConfiguredClient = <T>(
  config: Config,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> => withDatabase(config, (url) => withSetUp(url, config, work));

/** Prints a result as JSON or as text. */
function print<T>(flags: InspectFlags, result: T, render: (result: T) => string): void {
  printLine(flags.json ? JSON.stringify(result) : render(result));
}

/** Reads from the configured database and prints the result. */
export async function inspect<T>(
  flags: InspectFlags,
  work: (client: pg.ClientBase, loaded: LoadedConfig, url: string) => Promise<T>,
  render: (result: T) => string,
): Promise<T> {
  const loaded = await loadConfig(flags);
  const { config } = loaded;
  const result = await withDatabase(config, (url) =>
    withSetUp(url, config, (client) => work(client, loaded, url)),
  );
  print(flags, result, render);
  return result;
}

export async function planCommand(flags: InspectFlags): Promise<void> {
  const { config, base } = await loadWithDatasets(flags);
  const result = await withDatabase(config, async (url) => {
    const pool = openPool(url, 1);
    try {
      return await dbClient(pool, (connection) =>
        dryRun(connection, async (client) => {
          await setUp(client, config);
          return preview(client, config, base);
        }),
      );
    } finally {
      await pool.end();
    }
  });
  print(flags, result, (each) => renderPreview(each, flags.verbose ?? false));
}

export async function digestCommand(flags: InspectFlags & { asOf?: string }): Promise<void> {
  const asOf = flags.asOf === undefined ? null : wholeFlag('--as-of', flags.asOf, 1);
  await inspect(
    flags,
    async (client, { config }) => {
      const tables = await servedTables(client, config);
      return asOf === null ? digests(client, tables) : digestsAsOf(client, asOf, tables);
    },
    (lines) =>
      columns(
        lines.map((l) => [l.table, String(l.rows), l.digest]),
        '',
      ),
  );
}
