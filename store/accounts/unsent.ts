import { randomInt } from 'node:crypto';
import type pg from 'pg';
import { openPool } from '../database.ts';
import { within } from '../system/within.ts';
import type { Queryable } from './accounts.ts';
import { refundCharges } from './calls.ts';

/** Wait before a lost connection is reopened. */
const RETRY_MS = 300;
/** Maximum time that answers wait for a lost connection. */
const WAIT_MS = 2000;
/** Interval of the check for charges of processes that ended. A process counts as ended when two checks in a row find no session of it. */
const CHECK_MS = 2000;
/** Maximum wait for the server when the service ends. */
const CLOSE_MS = 2000;
/** Time to keep confirmed removals: longer than a crashing server may lose (three times wal_writer_delay, 0.6 s). */
const REMEMBERED_MS = 10_000;

/** SQL condition: the process `holder` of a row has a session. A user always sees the sessions of its own processes. */
const HAS_SESSION = (holder: string): string =>
  `EXISTS (SELECT 1 FROM account.sender s JOIN pg_stat_activity p ON p.pid = s.pid AND p.backend_start = s.started WHERE s.holder = ${holder})`;

/**
 * Charges whose answer has not been sent. `account.charge` lists them with the charge. `leave` removes one before its answer is written, by
 * a statement already on its way to the server, so a kill loses neither the charge nor the answer. Only one statement is in flight: a
 * server that cannot send a result to a killed process does not read the next statement. Any other process refunds the listed charges of a
 * process that ended. Removals are committed without waiting for the disk, so a server crash may lose the latest ones; they are repeated
 * after reconnecting. Only if server and process end together, as in a power failure, are charges of the last second refunded although
 * their answers were sent.
 */
export class Unsent {
  /** Random number that identifies this process. */
  readonly holder = randomInt(1, 2 ** 31 - 1);
  readonly #accounts: Queryable;
  /** Single connection that shows that this process is alive. */
  readonly #session: pg.Pool;
  #client: pg.PoolClient | null = null;
  /** Answers that wait to be sent. */
  #queued: { requestIds: readonly string[]; go: () => void }[] = [];
  #isRemoving = false;
  /** Runs while answers wait for a lost connection; then they are sent without one. */
  #releaseTimer: NodeJS.Timeout | null = null;
  /** Requests whose removal the server has not confirmed. */
  readonly #unconfirmed = new Set<string>();
  /** Requests whose removal it has recently confirmed, oldest first. */
  #confirmed: { at: number; requestIds: readonly string[] }[] = [];
  #suspects: ReadonlySet<number> = new Set();
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  /** `answer_s`: seconds without a reply after which the server counts as frozen. */
  constructor(url: string, accounts: Queryable, answer_s: number) {
    this.#accounts = accounts;
    this.#session = openPool(url, 1, { durability: 'later', answer_s });
  }

  /** Registers this process as alive, and starts to check for processes that ended. */
  async open(): Promise<void> {
    await this.#connect();
    await this.#check();
  }

  async #connect(): Promise<void> {
    const client = await this.#session.connect();
    try {
      await client.query(
        `INSERT INTO account.sender (holder, pid, started)
         SELECT $1, pid, backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()
         ON CONFLICT (holder) DO UPDATE SET pid = excluded.pid, started = excluded.started`,
        [this.holder],
      );
    } catch (error) {
      client.release(true);
      throw error;
    }
    this.#client = client;
    client.once('error', () => this.#lost(client));
    this.#forget();
    const again = [...this.#unconfirmed, ...this.#confirmed.flatMap(({ requestIds }) => requestIds)];
    if (again.length > 0) void this.leave(again);
    else if (!this.#isRemoving) this.#removeNext();
  }

  #lost(client: pg.PoolClient): void {
    if (this.#client !== client) return;
    this.#client = null;
    client.release(true);
    this.#reconnect();
  }

  #reconnect(): void {
    if (this.#isClosed) return;
    setTimeout(() => {
      if (!this.#isClosed) this.#connect().catch(() => this.#reconnect());
    }, RETRY_MS).unref();
  }

  /** Forgets removals that a crash can no longer lose. */
  #forget(): void {
    const since = performance.now() - REMEMBERED_MS;
    const first = this.#confirmed.findIndex(({ at }) => at >= since);
    this.#confirmed = first === -1 ? [] : this.#confirmed.slice(first);
  }

  /** Removes charges from the list because their answers are being sent. Settles when the answers may be written. */
  leave(requestIds: readonly string[]): Promise<void> {
    return new Promise((go) => {
      this.#queued.push({ requestIds, go });
      if (!this.#isRemoving) this.#removeNext();
    });
  }

  /** Sends one statement for all waiting answers. Without a connection they wait for it, up to WAIT_MS. */
  #removeNext(): void {
    if (this.#queued.length === 0) return;
    if (this.#client === null) this.#releaseTimer ??= setTimeout(() => this.#release(), WAIT_MS);
    else {
      this.#remove(
        this.#client,
        this.#queued.flatMap(({ requestIds }) => requestIds),
      );
      this.#release();
    }
  }

  /** Lets the waiting answers be written. Without a connection, their charges are removed after reconnecting. */
  #release(): void {
    if (this.#releaseTimer !== null) clearTimeout(this.#releaseTimer);
    this.#releaseTimer = null;
    const leaving = this.#queued;
    this.#queued = [];
    for (const { requestIds, go } of leaving) {
      for (const requestId of requestIds) this.#unconfirmed.add(requestId);
      go();
    }
  }

  #remove(client: pg.PoolClient, requestIds: readonly string[]): void {
    this.#isRemoving = true;
    const text = 'DELETE FROM account.unsent WHERE request_id = ANY ($1::uuid[])';
    client
      .query({ name: 'sent', text, values: [requestIds] })
      .then(() => {
        for (const requestId of requestIds) this.#unconfirmed.delete(requestId);
        this.#confirmed.push({ at: performance.now(), requestIds });
      })
      .catch(() => undefined)
      .finally(() => {
        this.#isRemoving = false;
        this.#removeNext();
      });
  }

  async #check(): Promise<void> {
    this.#forget();
    try {
      this.#suspects = await this.#refundOfEnded();
    } catch {
      this.#suspects = new Set();
    }
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#check(), CHECK_MS).unref();
  }

  /** Refunds the charges of processes without a session at both the last check and this one. Returns the processes without one now. */
  async #refundOfEnded(): Promise<Set<number>> {
    const { rows } = await this.#accounts.query<{ holder: number }>({
      name: 'holders',
      text: `SELECT holder FROM (SELECT holder FROM account.unsent UNION SELECT holder FROM account.sender) u
             WHERE holder <> $1 AND NOT ${HAS_SESSION('u.holder')}`,
      values: [this.holder],
    });
    for (const { holder } of rows) if (this.#suspects.has(holder)) await this.#refundOf(holder);
    return new Set(rows.map(({ holder }) => holder));
  }

  async #refundOf(holder: number): Promise<void> {
    const { rows } = await this.#accounts.query<{ request_id: string }>(
      `SELECT request_id FROM account.unsent WHERE holder = $1 AND NOT ${HAS_SESSION('$1')}`,
      [holder],
    );
    const requestIds = rows.map(({ request_id }) => request_id);
    await refundCharges(this.#accounts, requestIds, holder);
    await this.#accounts.query(
      `DELETE FROM account.sender WHERE holder = $1 AND NOT ${HAS_SESSION('$1')}
         AND NOT EXISTS (SELECT 1 FROM account.unsent WHERE holder = $1)`,
      [holder],
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    // Earlier removals are done before this statement; a frozen server is not waited for.
    const last = this.#client
      ?.query(
        'DELETE FROM account.sender WHERE holder = $1 AND NOT EXISTS (SELECT 1 FROM account.unsent u WHERE u.holder = $1)',
        [this.holder],
      )
      .catch(() => undefined);
    if (last !== undefined) await within(CLOSE_MS, last);
    if (this.#client !== null) this.#client.release(true);
    this.#client = null;
    await within(CLOSE_MS, this.#session.end());
  }
}
