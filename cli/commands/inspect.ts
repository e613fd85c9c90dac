import type pg from 'pg';
import { explain } from '../../pipelines/explain.ts';
import { preview } from '../../pipelines/preview.ts';
import { setUp } from '../../pipelines/refresh.ts';
import { digests, status } from '../../pipelines/status.ts';
import type { Config } from '../../schema/config.ts';
import { openPool } from '../../store/database.ts';
import { withDatabase } from '../database.ts';
import { EXIT } from '../exit.ts';
import { type ConfigFlags, type LoadedConfig, loadConfig } from '../load_config.ts';
import { columns, renderExplanation, renderPreview, renderStatus } from '../render.ts';

type Flags = ConfigFlags & { json?: boolean };

/** Runs a read on one connection to the set-up database. */
async function withClient<T>(config: Config, work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
  return withDatabase(config, async (url) => {
    const pool = openPool(url, 1);
    const client = await pool.connect();
    try {
      await setUp(client, config);
      return await work(client);
    } finally {
      client.release();
      await pool.end();
    }
  });
}

/** Prints a result as JSON or as text. */
function print<T>(flags: Flags, result: T, render: (result: T) => string): void {
  process.stdout.write(`${flags.json ? JSON.stringify(result) : render(result)}\n`);
}

async function inspect<T>(
  flags: Flags,
  read: (client: pg.ClientBase, loaded: LoadedConfig) => Promise<T>,
  render: (result: T) => string,
): Promise<T> {
  const loaded = await loadConfig(flags);
  const result = await withClient(loaded.config, (client) => read(client, loaded));
  print(flags, result, render);
  return result;
}

export async function planCommand(flags: Flags): Promise<void> {
  await inspect(flags, (client, { config, base }) => preview(client, config, base), renderPreview);
}

export async function statusCommand(flags: Flags): Promise<void> {
  await inspect(flags, (client) => status(client), renderStatus);
}

export async function digestCommand(flags: Flags): Promise<void> {
  await inspect(flags, digests, (lines) =>
    columns(
      lines.map((l) => [l.table, String(l.rows), l.digest]),
      '',
    ),
  );
}

export async function explainCommand(pid: string, flags: Flags): Promise<void> {
  const result = await inspect(
    flags,
    (client, { config }) => explain(client, config, pid),
    renderExplanation,
  );
  if (result.outcome === 'unknown') process.exitCode = EXIT.failed;
}
