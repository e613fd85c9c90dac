import pg from 'pg';
import { ident } from '../schema/ddl.ts';
import { EtlError } from '../schema/errors.ts';
import { CONTROL_STEPS, CONTROL_VERSION } from './control_ddl.ts';
import { bringToDeclaration, type Declared } from './upgrade.ts';

/** Oldest PostgreSQL whose hash_record_extended the digests rely on. */
const MIN_SERVER_VERSION = 140_000;

const DATE_OID = 1082;

/** Values as the declared columns have them: a date is `YYYY-MM-DD` text, not an instant of some time zone. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === DATE_OID && format !== 'binary'
      ? (text: string) => text
      : pg.types.getTypeParser(oid, format as 'text'),
};

/**
 * When the commits of a session are on disk. `later`: within a second of the commit, and always before a later commit of any
 * session that is `at once`. A crash of the machine may take the last of them away, never one without all that follow it.
 */
export type Durability = 'at once' | 'later';

/** A machine that is gone without a word lets go of what its sessions hold after so many seconds: 60, and three times 10. */
const KEEPALIVE: readonly string[] = [
  'tcp_keepalives_idle=60',
  'tcp_keepalives_interval=10',
  'tcp_keepalives_count=3',
];

/** Name of the program in pg_stat_activity. */
export const PROGRAM = 'property-data-pipeline';

/** A pool whose sessions are set up alike: UTC, no idle limit of our own, named in pg_stat_activity; `more` settings are theirs too. */
export function openPool(
  url: string,
  max: number,
  durability: Durability = 'at once',
  name: string = PROGRAM,
  more: readonly string[] = [],
): pg.Pool {
  const settings = ['timezone=UTC', 'extra_float_digits=1', 'jit=off', ...KEEPALIVE, ...more];
  if (durability === 'later') settings.push('synchronous_commit=off');
  const pool = new pg.Pool({
    connectionString: url,
    max,
    application_name: name,
    types,
    options: settings.map((setting) => `-c ${setting}`).join(' '),
  });
  // An idle connection that breaks is replaced by the pool; the query that needed it reports the failure.
  pool.on('error', () => undefined);
  // So does one that breaks while its owner waits for something else; unheard, its event would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** How many more connections the server can give to this user. Sessions that it may not look into count as connections. */
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

/** Connection URL without its password, for logs and reports. */
export function maskUrl(url: string): string {
  try {
    const parsed = new URL(url);
    if (parsed.password) parsed.password = '***';
    for (const key of [...parsed.searchParams.keys()]) {
      if (/password|secret|key/i.test(key)) parsed.searchParams.set(key, '***');
    }
    return parsed.toString();
  } catch {
    return '(unreadable URL)';
  }
}

/** Fails with what to do where the server is too old. */
export async function checkServer(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ n: number; version: string }>(
    `SELECT current_setting('server_version_num')::int AS n, current_setting('server_version') AS version`,
  );
  if (rows[0]!.n < MIN_SERVER_VERSION) {
    throw new EtlError(
      'postgres_too_old',
      `PostgreSQL ${rows[0]!.version} is too old: version 14 or later is needed.`,
    );
  }
  return rows[0]!.version;
}

/** The role the API reads with: it may use the schema serving, and select from it; nothing else. */
async function grantReader(client: pg.ClientBase, role: string): Promise<void> {
  const found = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role]);
  if (found.rowCount === 0) {
    await client.query('SAVEPOINT role');
    try {
      await client.query(`CREATE ROLE ${ident(role)} NOLOGIN`);
    } catch (error) {
      await client.query('ROLLBACK TO SAVEPOINT role');
      // Set-ups of two databases of one server at once: the other one has made it.
      if ((error as { code?: string }).code === '42501') {
        throw new EtlError(
          'role_missing',
          `Role ${role} does not exist and this user may not create it. Ask an administrator for: CREATE ROLE ${role} NOLOGIN;`,
          { cause: error },
        );
      }
      if (!['42710', '23505'].includes((error as { code?: string }).code ?? '')) throw error;
    }
  }
  await client.query(`GRANT USAGE ON SCHEMA serving TO ${ident(role)}`);
  await client.query(`GRANT SELECT ON ALL TABLES IN SCHEMA serving TO ${ident(role)}`);
  for (const schema of ['control', 'record', 'asset', 'staged']) {
    await client.query(`REVOKE ALL ON SCHEMA ${schema} FROM PUBLIC`);
  }
}

/** Whether a statement can be done; the transaction goes on either way, and with `keep` what it did stays. */
async function attempt(client: pg.ClientBase, sql: string, keep = false): Promise<boolean> {
  await client.query('SAVEPOINT attempt');
  const done = await client.query(sql).then(
    () => true,
    () => false,
  );
  await client.query(`${done && keep ? 'RELEASE' : 'ROLLBACK TO'} SAVEPOINT attempt`);
  return done;
}

/** Lets this user become the reader, as the service does to read. Where it may not grant that, an administrator can. */
async function grantBecoming(client: pg.ClientBase, role: string): Promise<void> {
  if (await attempt(client, `SET LOCAL ROLE ${ident(role)}`)) return;
  await attempt(client, `GRANT ${ident(role)} TO CURRENT_USER`, true);
}

/** Key of the advisory lock under which set-up and runs are serialised: 'etl' in ASCII. */
export const LOCK_KEY = 0x65_74_6c;

/** Version of the books of a database; 0 where there are none. */
async function bookVersion(client: pg.ClientBase): Promise<number> {
  const known = await client.query(`SELECT to_regclass('control.meta') AS meta`);
  if (known.rows[0].meta === null) return 0;
  const { rows } = await client.query(`SELECT value FROM control.meta WHERE key = 'version'`);
  const version = rows.length === 0 ? 0 : Number(rows[0].value);
  if (rows.length === 0 || (version >= 1 && version <= CONTROL_VERSION)) return version;
  throw new EtlError(
    'schema_version',
    `The database has control schema version ${rows[0].value}, this program needs ${CONTROL_VERSION}. ` +
      'Use the program version that made it, or point to an empty database and refresh.',
  );
}

/** Creates the books, or takes the steps that they lack. */
async function setUpBooks(client: pg.ClientBase): Promise<void> {
  const version = await bookVersion(client);
  if (version === CONTROL_VERSION) return;
  // The statements of the first step make what is missing, so they are safe to repeat.
  const steps = [CONTROL_STEPS[0]!, ...CONTROL_STEPS.slice(Math.max(1, version))];
  for (const sql of steps.flat()) await client.query(sql);
  await client.query(
    `INSERT INTO control.meta (key, value) VALUES ('version', $1) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
    [String(CONTROL_VERSION)],
  );
}

/**
 * Creates what is missing: control schema, record, asset, staged and serving tables, the API's role. With `upgrade` also
 * replaces tables whose declaration has changed. Safe to repeat and to run at the same time from two places.
 */
export async function setUpDatabase(
  client: pg.ClientBase,
  declared: Declared,
  apiRole: string,
  upgrade: boolean,
): Promise<void> {
  await checkServer(client);
  await client.query('BEGIN');
  try {
    await client.query('SELECT pg_advisory_xact_lock($1, 1)', [LOCK_KEY]);
    await client.query('SET LOCAL client_min_messages = warning');
    await setUpBooks(client);
    await bringToDeclaration(client, declared, upgrade);
    await grantReader(client, apiRole);
    await grantBecoming(client, apiRole);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/**
 * Identifies a database over all machines that reach it, by whatever URL: the cluster's own identifier and the number of the
 * database in it.
 */
export async function databaseIdentity(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    `SELECT s.system_identifier || '/' || d.oid AS id
     FROM pg_control_system() s, pg_database d WHERE d.datname = current_database()`,
  );
  return rows[0]!.id;
}
