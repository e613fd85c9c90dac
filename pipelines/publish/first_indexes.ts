import pLimit from 'p-limit';
import type pg from 'pg';
import type { Table } from '../../schema/table.ts';
import { openPool } from '../../store/database.ts';
import type { Filled } from '../../store/first_fill.ts';
import { buildAhead, buildInOneProcess, dropAhead } from '../../store/first_rows.ts';
import { latestPublication } from '../../store/journal.ts';
import { checkRun } from '../engine/run_batch.ts';

/**
 * Keys and indexes of serving tables, built over their staged rows while other stages are computed, so that the first publication has
 * only to put the tables into place. What cannot be built here, the publication builds, and says why it cannot.
 */
export class FirstIndexes {
  /** What the staged tables held when their first fill ended, by name. */
  readonly filled = new Map<string, Filled>();
  readonly #pool: pg.Pool;
  readonly #runId: number;
  readonly #isBusy: () => boolean;
  /** One table at a time: the server builds a large index in several processes where there are cores to spare. */
  readonly #limit = pLimit(1);
  readonly #under_way: Promise<void>[] = [];
  #closed = false;

  private constructor(pool: pg.Pool, runId: number, isBusy: () => boolean) {
    this.#pool = pool;
    this.#runId = runId;
    this.#isBusy = isBusy;
  }

  /**
   * Clears up after a run that published nothing; null where something is published, and its tables stay where they are. `isBusy` says
   * whether others need all cores.
   */
  static async start(
    client: pg.ClientBase,
    url: string,
    session: string,
    runId: number,
    isBusy: () => boolean,
  ): Promise<FirstIndexes | null> {
    await dropAhead(client);
    if ((await latestPublication(client)) !== null) return null;
    return new FirstIndexes(openPool(url, 1, { durability: 'later', name: session }), runId, isBusy);
  }

  /** Builds those of a table whose rows are all staged. */
  add(table: Table): void {
    this.#under_way.push(this.#limit(() => this.#build(table)).catch(() => undefined));
  }

  async #build(table: Table): Promise<void> {
    if (this.#closed) return;
    const client = await this.#pool.connect();
    try {
      await client.query('BEGIN');
      await checkRun(client, this.#runId);
      if (this.#isBusy()) await buildInOneProcess(client);
      await buildAhead(client, table);
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    } finally {
      client.release();
    }
  }

  /** Waits for what was asked for. */
  async done(): Promise<void> {
    await Promise.all(this.#under_way);
  }

  /** Gives up what has not begun, and lets go of the connection. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.done();
    await this.#pool.end();
  }
}
