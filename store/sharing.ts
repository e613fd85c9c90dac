import type { Socket } from 'node:net';
import type pg from 'pg';

/** Statements that are under way on one connection before another one is taken. */
const MOST = 8;

/** What of a pool is needed to read. */
export interface Lender {
  connect(): Promise<pg.PoolClient>;
  end(): Promise<void>;
}

interface Shared {
  client: Promise<pg.PoolClient>;
  /** Readers that have it. */
  readers: number;
}

/**
 * The connections of a pool with `pipeline`, each lent to several readers at once: their statements go to the server without waiting for
 * one another's results, which come back in order. For single reads that take little: who sends BEGIN, or waits for long, needs a
 * connection of its own.
 */
export function sharing(pool: pg.Pool): Lender {
  const lent = new Set<Shared>();
  const take = (): Shared => {
    for (const each of lent) if (each.readers < MOST) return each;
    const shared = { client: pool.connect(), readers: 0 };
    lent.add(shared);
    return shared;
  };
  const facades = new WeakMap<pg.PoolClient, { shared: Shared; facade: pg.PoolClient }>();
  const facadeOf = (client: pg.PoolClient, shared: Shared): pg.PoolClient => {
    const known = facades.get(client);
    if (known) {
      known.shared = shared;
      return known.facade;
    }
    const entry = { shared, facade: Object.create(client) as pg.PoolClient };
    entry.facade.release = () => {
      if (--entry.shared.readers > 0) return;
      lent.delete(entry.shared);
      client.release();
    };
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
    let isHeld = false;
    // What is asked for in one turn goes to the server in one write.
    entry.facade.query = ((...args: Parameters<pg.PoolClient['query']>) => {
      if (!isHeld) {
        isHeld = true;
        stream.cork();
        setImmediate(() => {
          isHeld = false;
          stream.uncork();
        });
      }
      return client.query(...args);
    }) as pg.PoolClient['query'];
    // Who has it hears so by the statement that fails; nobody else gets it.
    client.on('error', () => lent.delete(entry.shared));
    facades.set(client, entry);
    return entry.facade;
  };
  return {
    async connect() {
      const shared = take();
      shared.readers++;
      try {
        return facadeOf(await shared.client, shared);
      } catch (error) {
        lent.delete(shared);
        throw error;
      }
    },
    end: () => pool.end(),
  };
}
