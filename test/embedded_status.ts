import { dataVersion } from '../store/embedded/cluster.ts';
import { runningServer, stopServer } from '../store/embedded/postmaster.ts';
import { placesAt } from '../store/embedded/server.ts';

/** State of a data folder's server, without starting it. */
export interface EmbeddedStatus {
  running: boolean;
  /** Null when not running, like `port`. */
  pid: number | null;
  port: number | null;
  /** Major version of PostgreSQL that made the data, such as '18'; null when there is no data. */
  version: string | null;
}

/** Whether the server of a data folder runs, from its files and processes only. */
export function embeddedStatus(dataDir: string): EmbeddedStatus {
  const places = placesAt(dataDir);
  const server = runningServer(places);
  const { pid, port } = server ?? { pid: null, port: null };
  return { running: server !== null, pid, port, version: dataVersion(places) };
}

/**
 * Stops the server of a data folder whoever uses it, and waits until it has stopped.
 * @returns whether one was running
 */
export async function stopEmbedded(dataDir: string): Promise<boolean> {
  const places = placesAt(dataDir);
  const server = runningServer(places);
  if (server !== null) await stopServer(server.pid, places);
  return server !== null;
}
