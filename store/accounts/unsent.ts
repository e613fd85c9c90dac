import { randomInt } from 'node:crypto';
import type pg from 'pg';
import { openPool } from '../database.ts';
import { within } from '../system/within.ts';
import { giveBack } from './calls.ts';

/** Class of the advisory locks by which a process of the service shows that it lives. */
const LOCK_CLASS = 0x756e73;
/** Wait before a lost connection is opened again. */
const RETRY_MS = 300;
/** How often charges of processes that ended are looked for. A process counts as ended when two looks in a row find no lock of it. */
const LOOK_MS = 2000;
/** Longest wait for the server at the end. */
const CLOSE_MS = 2000;

/**
 * The charges whose answer has not left yet. The charge itself lists them (`account.charge`); `sent` takes one off before its answer is written, by a
 * statement that is on its way to the server in the same turn, so that a kill loses neither the charge nor the answer. What a process leaves listed
 * when it ends is given back by any other process of the service.
 */
export class Unsent {
  /** Number of this process among those that charge. */
  readonly holder = randomInt(1, 2 ** 31 - 1);
  readonly #accounts: pg.Pool;
  /** One connection: it holds the lock, and its statements do not wait for one another. */
  readonly #own: pg.Pool;
  #client: pg.PoolClient | null = null;
  #left: string[] = [];
  #suspects: ReadonlySet<number> = new Set();
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  /** `answer_s`: seconds without an answer after which the server counts as frozen. */
  constructor(url: string, accounts: pg.Pool, answer_s: number) {
    this.#accounts = accounts;
    this.#own = openPool(url, 1, { durability: 'later', isPipelined: true, answer_s });
  }

  /** Shows that this process lives, and begins to look for those that do not. */
  async open(): Promise<void> {
    await this.#connect();
    await this.#look();
  }

  async #connect(): Promise<void> {
    const client = await this.#own.connect();
    try {
      await client.query('SELECT pg_advisory_lock($1, $2)', [LOCK_CLASS, this.holder]);
    } catch (error) {
      client.release(true);
      throw error;
    }
    this.#client = client;
    client.once('error', () => this.#lost(client));
    const left = this.#left;
    this.#left = [];
    if (left.length > 0) this.sent(left);
  }

  #lost(client: pg.PoolClient): void {
    if (this.#client !== client) return;
    this.#client = null;
    client.release(true);
    this.#again();
  }

  #again(): void {
    if (this.#isClosed) return;
    setTimeout(() => {
      if (!this.#isClosed) this.#connect().catch(() => this.#again());
    }, RETRY_MS).unref();
  }

  /** Says that the answers of some calls leave now. */
  sent(requestIds: readonly string[]): void {
    if (this.#client === null) {
      this.#left.push(...requestIds);
      return;
    }
    this.#client
      .query({
        name: 'sent',
        text: 'DELETE FROM account.unsent WHERE request_id = ANY ($1::uuid[])',
        values: [requestIds],
      })
      .catch(() => {
        this.#left.push(...requestIds);
      });
  }

  async #look(): Promise<void> {
    try {
      this.#suspects = await this.#giveBackOfEnded();
    } catch {
      this.#suspects = new Set();
    }
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#look(), LOOK_MS).unref();
  }

  /** Gives back what processes left that were suspected already; those that have no lock now. */
  async #giveBackOfEnded(): Promise<Set<number>> {
    const { rows } = await this.#accounts.query<{ holder: number }>({
      name: 'holders',
      text: `SELECT holder FROM (SELECT DISTINCT holder FROM account.unsent WHERE holder <> $1) u
             WHERE NOT EXISTS (SELECT 1 FROM pg_locks l WHERE l.locktype = 'advisory' AND l.granted AND l.classid = $2 AND l.objid = u.holder
               AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()))`,
      values: [this.holder, LOCK_CLASS],
    });
    for (const { holder } of rows) if (this.#suspects.has(holder)) await this.#giveBackOf(holder);
    return new Set(rows.map(({ holder }) => holder));
  }

  async #giveBackOf(holder: number): Promise<void> {
    const client = await this.#accounts.connect();
    try {
      await client.query('BEGIN');
      const { rows } = await client.query<{ request_id: string }>(
        'DELETE FROM account.unsent WHERE holder = $1 RETURNING request_id',
        [holder],
      );
      await giveBack(
        client,
        rows.map(({ request_id }) => request_id),
      );
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    } finally {
      client.release();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    // What was said last is done before the connection ends; a frozen server is not waited for.
    const last = this.#client?.query('SELECT pg_advisory_unlock_all()').catch(() => undefined);
    if (last !== undefined) await within(CLOSE_MS, last);
    if (this.#client !== null) this.#client.release(true);
    this.#client = null;
    await within(CLOSE_MS, this.#own.end());
  }
}
