import { randomInt } from 'node:crypto';
import type pg from 'pg';
import { openPool } from '../database.ts';
import { within } from '../system/within.ts';
import type { Queryable } from './accounts.ts';
import { refundCharges } from './calls.ts';

/** Wait before a lost connection is opened again. */
const RETRY_MS = 300;
/** Interval of the check for charges of processes that ended. A process counts as ended when two checks in a row find no session of it. */
const CHECK_MS = 2000;
/** Maximum wait for the server when the service ends. */
const CLOSE_MS = 2000;
/** Time for which confirmed removals are remembered: longer than a server that crashes may lose (three times wal_writer_delay, 0.6 s). */
const REMEMBERED_MS = 10_000;

/** Whether the process `holder` of a row has a session. A process's own session is always visible to its user. */
const HAS_SESSION = (holder: string): string =>
  `EXISTS (SELECT 1 FROM account.sender s JOIN pg_stat_activity p ON p.pid = s.pid AND p.backend_start = s.started WHERE s.holder = ${holder})`;

/**
 * Charges whose answer has not left yet. The charge itself lists them (`account.charge`). `leave` removes one before its answer is written,
 * by a statement that is on its way to the server, so a kill loses neither the charge nor the answer. One statement is under way at a time:
 * a server that cannot send the result of one to a process that was killed does not read the next. Charges that an ended process left
 * listed are refunded by any other process.
 *
 * Removals are committed without waiting for the disk, so a server that crashes may lose those of the last moment. They are made again
 * when the connection is back. Only if server and process end together, as in a power failure, are charges of the last second refunded
 * although their answers left.
 */
export class Unsent {
  /** Number of this process among those that charge. */
  readonly holder = randomInt(1, 2 ** 31 - 1);
  readonly #accounts: Queryable;
  /** One connection, which shows that this process lives. */
  readonly #own: pg.Pool;
  #client: pg.PoolClient | null = null;
  /** Answers that wait for their turn to leave. */
  #waiting: { requestIds: readonly string[]; go: () => void }[] = [];
  #isRemoving = false;
  /** Requests whose removal the server has not confirmed. */
  readonly #unconfirmed = new Set<string>();
  /** Requests whose removal it has confirmed lately, the oldest first. */
  #confirmed: { at: number; requestIds: readonly string[] }[] = [];
  #suspects: ReadonlySet<number> = new Set();
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  /** `answer_s`: seconds without an answer after which the server counts as frozen. */
  constructor(url: string, accounts: Queryable, answer_s: number) {
    this.#accounts = accounts;
    this.#own = openPool(url, 1, { durability: 'later', answer_s });
  }

  /** Shows that this process lives, and starts to look for those that do not. */
  async open(): Promise<void> {
    await this.#connect();
    await this.#check();
  }

  async #connect(): Promise<void> {
    const client = await this.#own.connect();
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

  /** Forgets removals that no crash can lose any more. */
  #forget(): void {
    const since = performance.now() - REMEMBERED_MS;
    const first = this.#confirmed.findIndex(({ at }) => at >= since);
    this.#confirmed = first === -1 ? [] : this.#confirmed.slice(first);
  }

  /** Removes charges from the list because their answers leave now. Settles when the answers may be written. */
  leave(requestIds: readonly string[]): Promise<void> {
    return new Promise((go) => {
      this.#waiting.push({ requestIds, go });
      if (!this.#isRemoving) this.#removeNext();
    });
  }

  /** Sends one statement for all answers that wait. Without a connection they leave, and are removed when it is back. */
  #removeNext(): void {
    const leaving = this.#waiting;
    this.#waiting = [];
    if (leaving.length === 0) return;
    const requestIds = leaving.flatMap((each) => each.requestIds);
    for (const requestId of requestIds) this.#unconfirmed.add(requestId);
    if (this.#client !== null) this.#remove(this.#client, requestIds);
    for (const { go } of leaving) go();
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

  /** Refunds the charges of processes that had no session at the last check either. Returns those without one now. */
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
    // The removals before are done before this statement; a frozen server is not waited for.
    const last = this.#client
      ?.query(
        'DELETE FROM account.sender WHERE holder = $1 AND NOT EXISTS (SELECT 1 FROM account.unsent u WHERE u.holder = $1)',
        [this.holder],
      )
      .catch(() => undefined);
    if (last !== undefined) await within(CLOSE_MS, last);
    if (this.#client !== null) this.#client.release(true);
    this.#client = null;
    await within(CLOSE_MS, this.#own.end());
  }
}
