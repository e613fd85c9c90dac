import { resolve } from 'node:path';
import type { Config } from '../schema/config.ts';
import { EtlError } from '../schema/errors.ts';
import { type EmbeddedServer, startEmbedded } from '../store/embedded/server.ts';
import { watchServer } from '../store/system/server_watch.ts';
import { EXIT } from './exit.ts';
import { printStatus } from './print.ts';

/** Folder of the embedded server's cluster. */
const clusterDir = (config: Config): string => resolve(config.data_dir, 'postgres');

/** Seconds that a reading command waits for an unresponsive server; a working one waits as long as a lease. */
const LOOK_PATIENCE_S = 9;

/** Ends the process after the error is printed, because pending work with the server would keep it alive. */
function exitSoon(): void {
  process.exitCode = EXIT.failed;
  setTimeout(() => process.exit(), 1500).unref();
}

/** Runs `work` and watches whether the server answers. A frozen server is reported within seconds. */
async function whileWatched<T>(
  url: string,
  patience_s: number,
  work: (url: string) => Promise<T>,
): Promise<T> {
  let reject: (error: EtlError) => void = () => undefined;
  const stopped = new Promise<never>((_, rejectGiven) => {
    reject = rejectGiven;
  });
  stopped.catch(() => undefined);
  const end = (error: EtlError): void => {
    reject(error);
    exitSoon();
  };
  const unwatch = watchServer(url, {
    tell: (message) => printStatus(`warning: ${message}`),
    patience_s,
    end,
  });
  try {
    return await Promise.race([work(url), stopped]);
  } finally {
    await unwatch();
  }
}

/** Rejects when the embedded server has ended, and ends the process soon after. */
async function endWith({ ended }: EmbeddedServer): Promise<never> {
  await ended;
  exitSoon();
  throw new EtlError(
    'database_lost',
    'The embedded PostgreSQL has ended, so this command ends too. Start it again; the log of the server says why it ended.',
    { kind: 'transient' },
  );
}

/**
 * Runs `work` with the URL of the database: the configured one, or the embedded server while it is needed. `patienceS`: seconds to wait for
 * an unresponsive server.
 */
export async function withDatabase<T>(
  config: Config,
  work: (url: string) => Promise<T>,
  patienceS: number = LOOK_PATIENCE_S,
): Promise<T> {
  if (config.database.url !== null) return whileWatched(config.database.url, patienceS, work);
  const server = await startEmbedded({ dataDir: clusterDir(config) });
  try {
    const done = whileWatched(server.connectionString, patienceS, work);
    // A serving command ends with its server, so that a supervisor restarts both.
    return await (patienceS === Infinity ? Promise.race([done, endWith(server)]) : done);
  } finally {
    await server.release();
  }
}
