import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { EtlError } from '../../schema/errors.ts';
import { maskUrl } from './mask_url.ts';

/** Interval of the check, and time without a reply after which operators are notified. */
const EVERY_MS = 2000;
const TELL_MS = 6000;
/** Extra time after the limit: a process that was busy itself first reads what has arrived. */
const OWN_DELAY_MS = 500;

export interface ServerWatchHandlers {
  /** Called once per silence. */
  tell(message: string): void;
  /** Seconds of silence after which the watch gives up; Infinity: never, because another part decides. */
  patience_s: number;
  /** Called when the watch gives up. */
  end(error: EtlError): void;
}

/** Builds the error for a server that stopped answering: frozen, or behind a firewall. */
const silent = (url: string, seconds: number): EtlError =>
  new EtlError(
    'database_unreachable',
    `PostgreSQL at ${maskUrl(url)} has not answered for ${seconds} s: it is frozen, or out of reach. Check the server; what is published stays, and the same command goes on where this one ended.`,
    { kind: 'transient' },
  );

/** Returns whether the work settled in time, with a result or an error. */
async function isSettledIn(work: Promise<unknown>, limitMs: number): Promise<boolean> {
  const done = work.then(
    () => true,
    () => true,
  );
  if (await Promise.race([done, sleep(limitMs, false, { ref: false })])) return true;
  return Promise.race([done, sleep(OWN_DELAY_MS, false, { ref: false })]);
}

/**
 * Polls a server every two seconds, on a separate session, until stopped. Refused statements are not silence: their callers get the
 * error.
 */
export function watchServer(
  url: string,
  { tell, patience_s, end }: ServerWatchHandlers,
): () => Promise<void> {
  let client: pg.Client | null = null;
  let socket: Socket | null = null;
  let over = false;
  const stop = new AbortController();
  const probe = async (): Promise<void> => {
    if (client === null) {
      const probeSocket = new Socket();
      const fresh = new pg.Client({
        stream: () => probeSocket,
        connectionString: url,
        application_name: 'property-data-pipeline watch',
      });
      const lost = (): void => {
        if (client === fresh) client = null;
      };
      fresh.on('error', lost);
      fresh.on('end', lost);
      client = fresh;
      socket = probeSocket;
      await fresh.connect();
    }
    await client.query('SELECT 1');
  };
  const watching = (async () => {
    while (!over) {
      const probing = probe();
      probing.catch(() => {
        client = null;
      });
      if (!(await isSettledIn(probing, TELL_MS)) && !over) {
        tell(silent(url, TELL_MS / 1000).message);
        if (!(await isSettledIn(probing, Math.min(patience_s * 1000 - TELL_MS, 2 ** 31 - 1))) && !over) {
          end(silent(url, patience_s));
          return;
        }
      }
      await sleep(EVERY_MS, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
    }
  })();
  return async () => {
    over = true;
    stop.abort();
    await Promise.race([watching, sleep(OWN_DELAY_MS, undefined, { ref: false })]);
    // A regular end would wait forever for a silent server, and keep the process alive.
    socket?.destroy();
  };
}
