import pg from 'pg';
import { typed } from '../../schema/command_line.ts';
import type { Config } from '../../schema/config.ts';
import { ident } from '../../schema/ddl.ts';
import type { InputAccount } from '../../sources/adapter.ts';
import { CONTROL_VERSION } from '../../store/control_ddl.ts';
import { checkServer, checkSessions, otherVersion, serverVersion } from '../../store/database.ts';
import { runHolder } from '../../store/locks.ts';
import {
  lackingPrivileges,
  mayBecome,
  readerRecipe,
  waysToWrite,
  writeRemedy,
} from '../../store/reader_role.ts';
import { connectionError } from '../../store/system/connection_error.ts';
import { maskUrl } from '../../store/system/mask_url.ts';
import { missingReleases } from '../../store/system/security_releases.ts';
import { settingsSql } from '../../store/system/session_settings.ts';
import { deliveryNotes } from '../checks/delivery_notes.ts';
import { evidenceDrift, hasDrifted } from '../checks/model_notes.ts';
import { summed, valueList } from '../publish/dataset_gates.ts';
import { attempt, type Check, type CheckResult, fail, pass, some, warn } from './check.ts';

const CONNECT_MS = 10_000;
const QUERY_MS = 20_000;
/** Schemas of the pipeline that the API's role must not access. */
const PRIVATE_SCHEMAS = ['control', 'record', 'asset', 'staged'];
const SCHEMAS = [...PRIVATE_SCHEMAS, 'serving'];

/** Reads the version of the control schema; null: none exists. */
async function controlVersion(client: pg.ClientBase): Promise<string | null> {
  // Everyone can read the catalogue; resolving the name would need access to the schema.
  const result = await client.query(
    `SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'control' AND c.relname = 'meta'`,
  );
  if (result.rowCount === 0) return null;
  const { rows } = await client.query(`SELECT value FROM control.meta WHERE key = 'version'`);
  return rows[0]?.value ?? null;
}

async function schemaPrivileges(client: pg.ClientBase): Promise<CheckResult> {
  const { rows: all } = await client.query<{ name: string; may: boolean }>(
    `SELECT nspname AS name, has_schema_privilege(oid, 'CREATE') AND has_schema_privilege(oid, 'USAGE') AS may
     FROM pg_namespace WHERE nspname = ANY ($1) ORDER BY nspname`,
    [SCHEMAS],
  );
  const { me, db, lacking } = await lackingPrivileges(client);
  const grant = (what: string): string =>
    `Ask an administrator for: GRANT ${what} ON DATABASE ${ident(db)} TO ${ident(me)};`;
  if (all.length < SCHEMAS.length && lacking.includes('CREATE')) {
    return fail(`User ${me} may not create schemas in the database ${db}. ${grant('CREATE')}`);
  }
  if (lacking.includes('TEMPORARY'))
    return fail(`User ${me} may not create temporary tables. ${grant('TEMPORARY')}`);
  const closed = all.filter((schema) => !schema.may).map((schema) => schema.name);
  if (closed.length > 0) {
    return fail(`User ${me} may not create tables in ${some(closed)}. Connect as the owner of the schemas.`);
  }
  const { rows: foreign } = await client.query<{ name: string; owner: string }>(
    `SELECT n.nspname || '.' || c.relname AS name, pg_get_userbyid(c.relowner) AS owner
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = ANY ($1) AND c.relkind IN ('r', 'p') AND NOT pg_has_role(c.relowner, 'USAGE') ORDER BY 1`,
    [SCHEMAS],
  );
  if (foreign.length === 0) {
    return pass(
      all.length === 0
        ? `User ${me} may create schemas in ${db}`
        : `User ${me} may create and change tables in ${db}`,
    );
  }
  const owners = [...new Set(foreign.map((table) => table.owner))];
  return fail(
    `${some(
      foreign.map((table) => table.name),
      3,
    )} belong to ${some(owners)}. Connect as that user.`,
  );
}

/** Finds tables and schemas that a role can access beyond reading `serving`, and what it cannot read in `serving`. */
async function neededWithin(
  client: pg.ClientBase,
  role: string,
): Promise<{ extra: string[]; lacking: string[] }> {
  const schemas = await client.query<{ name: string; usage: boolean; create: boolean }>(
    `SELECT nspname AS name, has_schema_privilege($1::name, oid, 'USAGE') AS usage,
       has_schema_privilege($1::name, oid, 'CREATE') AS create
     FROM pg_namespace WHERE nspname = ANY ($2) ORDER BY nspname`,
    [role, SCHEMAS],
  );
  const tables = await client.query<{ schema: string; name: string; read: boolean; write: boolean }>(
    `SELECT n.nspname AS schema, n.nspname || '.' || c.relname AS name,
       has_table_privilege($1::name, c.oid, 'SELECT') AS read,
       has_any_column_privilege($1::name, c.oid, 'INSERT, UPDATE, REFERENCES')
         OR has_table_privilege($1::name, c.oid, 'DELETE, TRUNCATE, TRIGGER')
         OR (n.nspname <> 'serving' AND has_any_column_privilege($1::name, c.oid, 'SELECT')) AS write
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = ANY ($2) AND c.relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY 2`,
    [role, SCHEMAS],
  );
  const extra: string[] = [];
  const lacking: string[] = [];
  for (const { name, usage, create } of schemas.rows) {
    if (create || (usage && name !== 'serving')) extra.push(`schema ${name}`);
    if (!usage && name === 'serving') lacking.push('schema serving');
  }
  for (const { schema, name, read, write } of tables.rows) {
    if (write) extra.push(`table ${name}`);
    if (schema === 'serving' && !read) lacking.push(`table ${name}`);
  }
  return { extra, lacking };
}

async function roleFinding(client: pg.ClientBase, role: string): Promise<CheckResult> {
  const { rows } = await client.query<{ rolsuper: boolean; me: string }>(
    'SELECT rolsuper, current_user AS me FROM pg_roles WHERE rolname = $1',
    [role],
  );
  if (rows[0] === undefined) {
    const may = await client.query<{ may: boolean }>(
      'SELECT rolsuper OR rolcreaterole AS may FROM pg_roles WHERE rolname = current_user',
    );
    if (may.rows[0]?.may) return pass(`The first refresh creates role ${role}`);
    return fail(
      `Role ${role} does not exist and this user may not create it. Ask an administrator for: ${await readerRecipe(client, role)}`,
    );
  }
  const becoming = await client.query<{ grants: boolean }>(
    `SELECT rolsuper OR pg_has_role($1::name, 'MEMBER WITH ADMIN OPTION') AS grants FROM pg_roles WHERE rolname = current_user`,
    [role],
  );
  if (!(await mayBecome(client, role)) && !becoming.rows[0]!.grants)
    return fail(
      `This user may not become the role ${role}. Ask an administrator for: ${await readerRecipe(client, role)}`,
    );
  if (rows[0].rolsuper) {
    return fail(
      `Role ${role} is a superuser and reads and writes everything. Set database.api_role to another.`,
    );
  }
  const { extra, lacking } = await neededWithin(client, role);
  if (extra.length > 0) {
    return fail(
      `Role ${role} has privileges beyond reading serving: ${some(extra)}. REVOKE them from it, from PUBLIC, or from the roles it is a member of.`,
    );
  }
  if (lacking.length > 0) {
    return warn(`Role ${role} cannot read ${some(lacking)}. The next refresh grants it.`);
  }
  const grants = await waysToWrite(client, role);
  if (grants.length > 0)
    return warn(
      `Role ${role} can make ${grants.join(' and ')}, as every role can. The next refresh revokes it if this user may; else ask an administrator for: ${(await writeRemedy(client, role)).join('; ')};`,
    );
  return pass(`Role ${role} can read serving and nothing else of the pipeline`);
}

function versionFinding(version: string | null): CheckResult {
  if (version === null) return pass('None yet; the first refresh creates it');
  if (version === String(CONTROL_VERSION)) return pass(`Version ${version}`);
  return fail(otherVersion(version));
}

/** Returns a check for each loaded dataset with values missing from its field map. */
async function unknownChecks(client: pg.ClientBase): Promise<Check[]> {
  const { rows } = await client.query<{ dataset: string; accounts: InputAccount[][] }>(
    `SELECT dataset, jsonb_agg(accounts ORDER BY part) AS accounts FROM control.load WHERE state = 'active'
     GROUP BY dataset HAVING bool_or(accounts @? '$[*] ? (exists (@.unknown) || exists (@.uncategorised))') ORDER BY dataset`,
  );
  return rows.map(({ dataset, accounts }) => {
    const unknown = summed(accounts.flat(), (account) => account.unknown);
    const uncategorised = summed(accounts.flat(), (account) => account.uncategorised);
    const reasons = [
      ...(Object.keys(unknown).length > 0
        ? [`Its field map lacks ${valueList(unknown, 100)}: these places count as unknown.`]
        : []),
      ...(Object.keys(uncategorised).length > 0
        ? [`Zones without a category: ${valueList(uncategorised, 100)}.`]
        : []),
    ];
    const remedy = 'Add them to a field_map, or report them to the project.';
    return { check: `dataset ${dataset}: unknown classes`, ...warn(`${reasons.join(' ')} ${remedy}`) };
  });
}

/** Compares the version of the database's collation with the version of the system. The order of text in indexes depends on it. */
async function collationFinding(client: pg.ClientBase): Promise<CheckResult> {
  const { number } = await serverVersion(client);
  if (number < 150_000) return pass('PostgreSQL 14 records no collation version of a database');
  const { rows } = await client.query<{ db: string; made: string | null; now: string | null }>(
    `SELECT datname AS db, datcollversion AS made, pg_database_collation_actual_version(oid) AS now
     FROM pg_database WHERE datname = current_database()`,
  );
  const { db, made, now } = rows[0]!;
  if (made === now || made === null || now === null) return pass(`Collation version ${now ?? 'none'}`);
  return warn(
    `The indexes of ${db} were made with collation version ${made}; the system now has ${now}, which may order text otherwise. ` +
      `Rebuild them while no run is under way: REINDEX DATABASE ${ident(db)}; then ALTER DATABASE ${ident(db)} REFRESH COLLATION VERSION;`,
  );
}

/** Finds out whether a run holds the lock, without taking it. */
async function lockFinding(client: pg.ClientBase, version: string | null): Promise<CheckResult> {
  const holder = version === String(CONTROL_VERSION) ? await runHolder(client) : null;
  if (holder !== null)
    return warn(
      `A run is under way (${holder.text}): wait for it before you refresh; ${typed('status')} shows it.`,
    );
  if (version === null) return pass('No run is under way');
  const { rows } = await client.query<{ run_id: number }>(
    `SELECT run_id FROM control.run WHERE state = 'running' ORDER BY run_id DESC LIMIT 1`,
  );
  return pass(
    rows[0]
      ? `No run is under way. Run ${rows[0].run_id} was interrupted; the next refresh resumes it`
      : 'No run is under way',
  );
}

/** Reports problems of the loaded deliveries that show in the computed tables. */
async function deliveryFinding(client: pg.ClientBase): Promise<CheckResult> {
  const { rows } = await client.query<{ table: string | null }>(
    `SELECT to_regclass('asset.address_home')::text AS table`,
  );
  if (rows[0]!.table === null) return pass('Nothing is loaded yet');
  const notes = await deliveryNotes(client);
  return notes.length === 0 ? pass('No problems in the loaded deliveries') : warn(notes.join(' '));
}

/** Reports whether the models of the month lag behind the loaded sales. */
async function modelFinding(client: pg.ClientBase): Promise<CheckResult> {
  const drift = await evidenceDrift(client);
  if (drift.length === 0) return pass('No model is trained yet');
  const lagging = drift.filter(hasDrifted);
  const sentences = (lagging.length === 0 ? drift : lagging).map(
    ({ kind, state, in_model, now }) => `${in_model} of ${now} ${kind}s in ${state}`,
  );
  const text = `Models of this month were trained on ${sentences.join(', ')} now loaded`;
  return lagging.length === 0
    ? pass(text)
    : warn(`${text}. ${typed('refresh --retrain')} trains them again.`);
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    application_name: 'property-data-pipeline doctor',
  });
  // A broken connection already fails the current query; without a handler the event would end the process.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Finds out whether the server takes writes from this user, and makes the session read-only. */
async function writesFinding(client: pg.ClientBase): Promise<CheckResult> {
  const { rows } = await client.query<{ me: string; db: string; standby: boolean; refuses: boolean }>(
    `SELECT session_user AS me, current_database() AS db, pg_is_in_recovery() AS standby,
       current_setting('default_transaction_read_only')::bool AS refuses`,
  );
  // A pooler refuses or drops options of the connection.
  await client.query(settingsSql(['default_transaction_read_only=on']));
  const { me, db, standby, refuses } = rows[0]!;
  if (standby) return warn('A standby: it answers reads; a refresh needs the primary');
  if (!refuses) return pass('The server takes writes');
  return fail(
    `default_transaction_read_only is on for user ${me} in the database ${db}, so no run can write. An administrator or the host of the database ` +
      `turned it on (a full disk, maintenance). Once that is over: ALTER DATABASE ${ident(db)} SET default_transaction_read_only = off; and the same for the role if it has the setting.`,
  );
}

/** Returns the failed check for an unreachable database. */
export function connectionCheck(error: unknown): Check {
  const { message } = connectionError(error) ?? (error as Error);
  return { check: 'connection', ...fail(message || String(error)) };
}

/** Checks a database: version, privileges, control schema, lock. Read only; creates nothing. */
export async function databaseChecks(url: string, config: Config): Promise<Check[]> {
  let client: pg.Client;
  try {
    client = await connect(url);
  } catch (error) {
    return [connectionCheck(error)];
  }
  try {
    const embedded = config.database.url === null;
    const writes = await attempt('writes', () => writesFinding(client));
    const connection = await attempt('connection', async () => {
      const server = await checkServer(client);
      return pass(
        embedded ? `The embedded PostgreSQL ${server} starts` : `PostgreSQL ${server} at ${maskUrl(url)}`,
      );
    });
    const release = await attempt('server release', async () => {
      const { number, version: server } = await serverVersion(client);
      const missing = missingReleases(number);
      return missing === null
        ? pass(`PostgreSQL ${server} has every security release known here`)
        : warn(missing);
    });
    const sessions = await attempt('sessions', async () => {
      await checkSessions(url);
      return pass('Each connection has a session of its own');
    });
    let version: string | null = null;
    const versionCheck = await attempt('control schema', async () => {
      version = await controlVersion(client);
      return versionFinding(version);
    });
    return [
      connection,
      writes,
      sessions,
      release,
      await attempt('collation', () => collationFinding(client)),
      await attempt('privileges', () => schemaPrivileges(client)),
      await attempt('api role', () => roleFinding(client, config.database.api_role)),
      versionCheck,
      await attempt('lock', () => lockFinding(client, version)),
      ...(version === String(CONTROL_VERSION) ? await unknownChecks(client) : []),
      await attempt('deliveries', () => deliveryFinding(client)),
      ...(version === String(CONTROL_VERSION) ? [await attempt('models', () => modelFinding(client))] : []),
    ];
  } finally {
    await client.end().catch(() => undefined);
  }
}
