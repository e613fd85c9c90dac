import type { Socket } from 'node:net';
import pg from 'pg';
import { EtlError } from '../schema/errors.ts';
import { CONTROL_DDL, CONTROL_VERSION } from './control_ddl.ts';
import { createTables, type DeclaredTables, isMade, OTHER_DATABASE, remember } from './declared_tables.ts';
import { lockTable, makeLockTable } from './locks.ts';
import { checkMayCreate, grantReader, type ReaderRole } from './reader_role.ts';
import { maskUrl } from './system/mask_url.ts';
import { isTransactionPooler, settingsSql } from './system/session_settings.ts';
import { inTransaction } from './transaction.ts';

/** Minimum PostgreSQL version: the digests need its hash_record_extended. */
const MIN_SERVER_VERSION = 140_000;

const DATE_OID = 1082;

/** Parses values as the columns declare them: a date is `YYYY-MM-DD` text, not an instant of some time zone. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === DATE_OID && format !== 'binary'
      ? (text: string) => text
      : pg.types.getTypeParser(oid, format as 'text'),
};

/**
 * When the commits of a session reach the disk. `later`: within a second, and always before a later commit of any `at once` session. A
 * machine crash may lose the most recent commits, but never one without all later ones.
 */
type Durability = 'at once' | 'later';

/** Keepalive settings: the server releases the sessions of a machine that disappeared after 60 s and three times 10 s. */
const KEEPALIVE: readonly string[] = [
  'tcp_keepalives_idle=60',
  'tcp_keepalives_interval=10',
  'tcp_keepalives_count=3',
];

/** Name of the program in pg_stat_activity. */
export const PROGRAM = 'property-data-pipeline';

/** Ends the connection of a client after `seconds` without traffic: the server is frozen or unreachable. */
function endSilent(client: pg.PoolClient, seconds: number): void {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  stream.setTimeout(seconds * 1000, () =>
    stream.destroy(
      Object.assign(new Error(`the server said nothing for ${seconds} s`), { code: 'ETIMEDOUT' }),
    ),
  );
}

/** Options of a pool's sessions. */
export interface PoolOptions {
  durability?: Durability;
  /** Name in pg_stat_activity. */
  name?: string;
  /** Further settings of the session, as `name=value`. */
  settings?: readonly string[];
  /**
   * Seconds without a reply after which a server counts as frozen: callers waiting for a connection or a statement get an error, and the
   * connection is closed. Must exceed the statement timeout. Absent: no limit, because a load may take hours.
   */
  answer_s?: number;
  /** `transaction`: sets nothing, because sessions change between transactions (a pooler); the reader sets it in each (`readOf`). */
  scope?: 'session' | 'transaction';
}

/** Opens a pool of sessions with equal settings (session_settings.ts), named in pg_stat_activity. */
export function openPool(url: string, max: number, options: PoolOptions = {}): pg.Pool {
  const {
    durability = 'at once',
    name = PROGRAM,
    settings: furtherSettings = [],
    answer_s = 0,
    scope = 'session',
  } = options;
  const settings = [...KEEPALIVE, ...furtherSettings];
  if (durability === 'later') settings.push('synchronous_commit=off');
  const pool = new pg.Pool({
    connectionString: url,
    max,
    application_name: name,
    types,
    onConnect: (client) => (scope === 'session' ? client.query(settingsSql(settings)) : undefined),
    connectionTimeoutMillis: answer_s * 1000,
  });
  // The pool replaces an idle connection that breaks; the query that needed it reports the failure.
  pool.on('error', () => undefined);
  // The same for a connection that breaks while its owner waits for something else; an unhandled event would end the process.
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    if (answer_s > 0) endSilent(client, answer_s);
  });
  return pool;
}

/** Returns the number of connections that the server can still give this user. Sessions it may not inspect count as connections. */
export async function freeConnections(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ free: number }>(
    `SELECT LEAST(
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
         - (SELECT count(*) FROM pg_stat_activity WHERE backend_type IS NULL OR backend_type = 'client backend'),
       (SELECT NULLIF(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user),
       (SELECT NULLIF(datconnlimit, -1) FROM pg_database WHERE datname = current_database()))::int AS free`,
  );
  return rows[0]!.free;
}

/** Returns the version of the server: `number` is `server_version_num`, such as 180004. */
export async function serverVersion(client: pg.ClientBase): Promise<{ number: number; version: string }> {
  const { rows } = await client.query<{ number: number; version: string }>(
    `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version`,
  );
  return rows[0]!;
}

/** Refuses a pooler in transaction or statement mode, where a run would lose its locks and temporary tables. @throws EtlError pooler_without_sessions */
export async function checkSessions(url: string): Promise<void> {
  if (!(await isTransactionPooler(url))) return;
  throw new EtlError(
    'pooler_without_sessions',
    `${maskUrl(url)} is a connection pooler in transaction or statement mode: each transaction has another session, so locks and settings do not last. ` +
      'Point DATABASE_URL to PostgreSQL itself, or to a pool in session mode. Only service.read_url may be a pooler in transaction mode.',
  );
}

/** Returns the version of the server. @throws EtlError postgres_too_old, database_encoding */
export async function checkServer(client: pg.ClientBase): Promise<string> {
  const { number, version } = await serverVersion(client);
  if (number < MIN_SERVER_VERSION)
    throw new EtlError(
      'postgres_too_old',
      `PostgreSQL ${version} is too old: version 14 or later is needed.`,
    );
  const { rows } = await client.query<{ db: string; encoding: string }>(
    `SELECT current_database() AS db, current_setting('server_encoding') AS encoding`,
  );
  const { db, encoding } = rows[0]!;
  if (encoding !== 'UTF8')
    throw new EtlError(
      'database_encoding',
      `The encoding of the database ${db} is ${encoding}; it must be UTF8. Make another database and name it in DATABASE_URL: ` +
        `CREATE DATABASE property ENCODING 'UTF8' TEMPLATE template0;`,
    );
  return version;
}

/** Returns whether a database has control tables. @throws EtlError schema_version if another program version made them */
async function hasControl(client: pg.ClientBase): Promise<boolean> {
  const metaTable = await client.query(`SELECT to_regclass('control.meta') AS meta`);
  if (metaTable.rows[0].meta === null) return false;
  const { rows } = await client.query(`SELECT value FROM control.meta WHERE key = 'version'`);
  if (rows.length > 0 && rows[0].value !== String(CONTROL_VERSION))
    throw new EtlError('schema_version', otherVersion(rows[0].value));
  return rows.length > 0;
}

/** Says that the control schema has another version, and what to do. */
export const otherVersion = (version: string): string =>
  `The database has control schema version ${version}; this program needs ${CONTROL_VERSION}. ${OTHER_DATABASE}`;

/**
 * Creates missing objects: control schema, record, asset, staged and serving tables, the API's role. `isRun`: see `createTables`. Safe to
 * repeat and to run concurrently.
 * @throws EtlError schema_version if another program version made the database
 */
export async function setUpDatabase(
  client: pg.ClientBase,
  declared: DeclaredTables,
  reader: ReaderRole,
  isRun: boolean,
): Promise<void> {
  await checkServer(client);
  const hasTables = await hasControl(client);
  if (!isRun && hasTables && (await isMade(client, declared))) return;
  // CREATE SCHEMA IF NOT EXISTS needs the privilege even if the schema exists.
  if (!hasTables) {
    await checkMayCreate(client, reader.role);
    await makeLockTable(client, 'control.meta');
  }
  await inTransaction(client, async () => {
    await lockTable(client, 'control.meta');
    await client.query('SET LOCAL client_min_messages = warning');
    if (!(await hasControl(client))) {
      for (const sql of CONTROL_DDL) await client.query(sql);
      await remember(client, 'version', String(CONTROL_VERSION));
    }
    await createTables(client, declared, isRun);
    await grantReader(client, reader);
  });
}

/** Identifies a database across machines and URLs: the cluster's identifier and the database's number in it. */
export async function databaseIdentity(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    `SELECT s.system_identifier || '/' || d.oid AS id
     FROM pg_control_system() s, pg_database d WHERE d.datname = current_database()`,
  );
  return rows[0]!.id;
}

/** Runs `work` on a connection of the pool, which starts its own transactions if it needs any. */
export async function withClient<T>(pool: pg.Pool, work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    return await work(client);
  } finally {
    client.release();
  }
}
