import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { openPool, withClient } from '../store/database.ts';

/** A database of a test's own. */
export interface TestDatabase {
  url: string;
  query<T extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<T[]>;
  /** Another database with the same content. Ends the connections to this one, which open again when they are needed. */
  copy(): Promise<TestDatabase>;
  /** Gives it another name, by which others are copied from it; this handle is closed. */
  keepAs(name: string): Promise<void>;
  drop(): Promise<void>;
}

/** Makes an empty database on `server` (default: the server of the test run). */
export const createDatabase = (server: string = inject('serverUrl')): Promise<TestDatabase> =>
  copyOf(server, 'template0');

/** Runs `work` on a connection of its own to a test's database. */
export async function onClient<T>(
  { url }: Pick<TestDatabase, 'url'>,
  work: (client: pg.ClientBase) => Promise<T>,
): Promise<T> {
  const pool = openPool(url, 1);
  try {
    return await withClient(pool, work);
  } finally {
    await pool.end();
  }
}

/** A database with the content of another one on the same server, whose connections end. */
export async function copyOf(server: string, template: string): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const admin = new pg.Client({ connectionString: server });
  // A test may end its own server.
  admin.on('error', () => undefined);
  await admin.connect();
  // A database with connections cannot be copied.
  await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [template]);
  await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const pool = new pg.Pool({ connectionString: url.toString(), max: 2 });
  pool.on('error', () => undefined);
  // A connection that is ending hears that its database is dropped, when the pool does not listen any more.
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
  });
  return {
    url: url.toString(),
    query: async (sql, values) => (await pool.query(sql, values)).rows,
    copy: () => copyOf(server, name),
    keepAs: async (kept) => {
      await pool.end();
      await admin.query(`ALTER DATABASE ${name} RENAME TO ${kept}`);
      await admin.end();
    },
    drop: async () => {
      await pool.end();
      await admin.end().catch(() => undefined);
      // Another connection: a test may have crashed the server.
      const last = new pg.Client({ connectionString: server });
      await last.connect();
      await last.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await last.end();
    },
  };
}
