import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { checkSessions, openPool, PROGRAM } from '../database.ts';
import { releaseRun } from '../locks.ts';
import { settingsSql } from '../system/session_settings.ts';

/** Interval of the heartbeat. */
const BEAT_MS = 2000;

/** Writes a process's current work with each heartbeat, on the heartbeat's session. */
export type WorkWriter = (client: pg.ClientBase) => Promise<unknown>;

/** Maximum wait for a lock to write the current work: a waiting process sends no heartbeat. */
const WORK_LOCK = '500ms';

/**
 * Reports to the server every two seconds, on a separate session, that a process is alive. Its other sessions have its name, so that they
 * can be ended if it falls silent because it is frozen or unreachable. Times are the server's.
 */
export class Presence {
  /** Name of the sessions of this process (`application_name`). */
  readonly session: string;
  readonly #url: string;
  readonly #id: string;
  #client: pg.Client | null = null;
  #beating: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #says: WorkWriter | null = null;

  private constructor(url: string, id: string) {
    this.#url = url;
    this.#id = id;
    this.session = `${PROGRAM} ${id}`;
  }

  /** Starts the heartbeat. @throws if the server cannot be reached */
  static async show(url: string): Promise<Presence> {
    const presence = new Presence(url, randomBytes(8).toString('hex'));
    await presence.#connect();
    presence.#timer = setInterval(() => presence.#beat(), BEAT_MS).unref();
    return presence;
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: `${PROGRAM} beat ${this.#id}`,
    });
    const lost = (): void => {
      if (this.#client === client) this.#client = null;
    };
    // Computations notice through their own sessions that the server is gone; the next heartbeat reconnects.
    client.on('error', lost);
    client.on('end', lost);
    await client.connect();
    this.#client = client;
    await client.query(settingsSql([`lock_timeout=${WORK_LOCK}`]));
  }

  #beat(): void {
    this.#beating = this.#beating
      .then(async () => {
        if (this.#client === null) await this.#connect();
        else await this.#client.query('SELECT 1');
        if (this.#client !== null) await this.#says?.(this.#client);
      })
      .catch(() => undefined);
  }

  /**
   * Sets what the heartbeats write in addition; null: nothing more, after a write in progress has ended. A heartbeat counts even if this
   * write fails.
   */
  async say(says: WorkWriter | null): Promise<void> {
    this.#says = says;
    await this.#beating;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#beating;
    await this.#client?.end().catch(() => undefined);
  }
}

/**
 * Runs `work` on a session of a process that sends heartbeats. `session`: the name for its other sessions. @throws EtlError
 * pooler_without_sessions
 */
export async function whilePresent<T>(
  url: string,
  work: (client: pg.PoolClient, session: string, presence: Presence) => Promise<T>,
): Promise<T> {
  await checkSessions(url);
  const presence = await Presence.show(url);
  const pool = openPool(url, 1, { name: presence.session });
  try {
    const client = await pool.connect();
    try {
      return await work(client, presence.session, presence);
    } finally {
      await releaseRun(client).catch(() => undefined);
      client.release(true);
    }
  } finally {
    await pool.end();
    await presence.close();
  }
}

/**
 * Ends the sessions of processes that have been silent for this many seconds, by the server's clock. Their open work is rolled back and
 * free for others; later statements of such a process fail, because its connection is gone. Sessions of other database users are not
 * affected. After a clock change a process looks silent at most until its next heartbeat.
 * @returns the number of sessions ended
 */
export async function endSilent(client: pg.ClientBase, seconds: number): Promise<number> {
  const { rows } = await client.query<{ ended: boolean }>(
    `SELECT pg_terminate_backend(s.pid) AS ended FROM pg_stat_activity s
     WHERE s.datname = current_database() AND s.pid <> pg_backend_pid()
       AND s.application_name ~ '^${PROGRAM} [0-9a-f]{16}$' AND s.application_name <> current_setting('application_name')
       AND s.backend_start < clock_timestamp() - make_interval(secs => $1)
       AND NOT EXISTS (
         SELECT 1 FROM pg_stat_activity b
         WHERE b.datname = s.datname AND b.application_name = '${PROGRAM} beat ' || right(s.application_name, 16)
           -- A server that does not track activities knows of no silence.
           AND COALESCE(abs(extract(epoch FROM clock_timestamp() - b.state_change)) < $1, true))`,
    [seconds],
  );
  return rows.filter((row) => row.ended).length;
}
