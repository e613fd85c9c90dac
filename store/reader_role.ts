import pg from 'pg';
import { ident } from '../schema/ddl.ts';
import { EtlError } from '../schema/errors.ts';
import { inTransaction } from './transaction.ts';

/** Role that may read the schema serving, and how long its sessions may keep a statement or an idle transaction open. */
export interface ReaderRole {
  role: string;
  statement_timeout_s: number;
  idle_timeout_s: number;
}

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? '';

/**
 * Runs a statement that may fail, inside a transaction: another session may do the same, or this user lacks the right. Returns the error
 * code; null: success.
 */
async function tried(client: pg.ClientBase, sql: string): Promise<string | null> {
  await client.query('SAVEPOINT tried');
  try {
    await client.query(sql);
    return null;
  } catch (error) {
    await client.query('ROLLBACK TO SAVEPOINT tried');
    return codeOf(error);
  }
}

const exists = async (client: pg.ClientBase, role: string): Promise<boolean> =>
  (await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role])).rowCount === 1;

/** Limits the sessions that log in as a role, in this database only. False: this user has no right to. */
async function limitSessions(client: pg.ClientBase, role: string, limits: ReaderRole): Promise<boolean> {
  const grants = [
    `idle_in_transaction_session_timeout=${limits.idle_timeout_s}s`,
    `statement_timeout=${limits.statement_timeout_s}s`,
  ];
  const { rows } = await client.query<{ db: string; set: string[] | null }>(
    `SELECT current_database() AS db, (SELECT setconfig FROM pg_db_role_setting s JOIN pg_roles r ON r.oid = s.setrole
       JOIN pg_database d ON d.oid = s.setdatabase
       WHERE r.rolname = $1 AND d.datname = current_database()) AS set`,
    [role],
  );
  const { db, set } = rows[0]!;
  if (grants.every((each) => set?.includes(each))) return true;
  const sql = grants.map((each) => {
    const [name, value] = each.split('=') as [string, string];
    return `ALTER ROLE ${ident(role)} IN DATABASE ${ident(db)} SET ${name} = ${pg.escapeLiteral(value)}`;
  });
  return (await tried(client, sql.join('; '))) === null;
}

/** Creates the API's role if it is missing. It may only use the schema serving and select from it. */
export async function grantReader(client: pg.ClientBase, reader: ReaderRole): Promise<void> {
  const { role } = reader;
  if (!(await exists(client, role))) {
    const failure = await tried(client, `CREATE ROLE ${ident(role)} NOLOGIN`);
    if (failure === '42501')
      throw new EtlError(
        'role_missing',
        `Role ${role} does not exist and this user may not create it. Ask an administrator for: ${await readerRecipe(client, role)}`,
      );
    // Two databases of one server are set up at once: the other set-up has created it.
    if (failure !== null && !['42710', '23505'].includes(failure))
      throw Object.assign(new Error(`Role ${role} cannot be made.`), { code: failure });
  }
  await limitSessions(client, role, reader);
  await client.query(`GRANT USAGE ON SCHEMA serving TO ${ident(role)}`);
  await client.query(`GRANT SELECT ON ALL TABLES IN SCHEMA serving TO ${ident(role)}`);
  for (const schema of ['control', 'record', 'asset', 'staged']) {
    await client.query(`REVOKE ALL ON SCHEMA ${schema} FROM PUBLIC`);
  }
  await grantBecoming(client, role);
  if (!(await mayBecome(client, role)))
    throw new EtlError(
      'role_missing',
      `This user may not become the role ${role}. Ask an administrator for: ${await readerRecipe(client, role)}`,
    );
  await keepReadersFromWriting(client, role);
}

/** Returns whether this user may `SET ROLE` to an existing role. Since PostgreSQL 16 members may lack that right. */
export async function mayBecome(client: pg.ClientBase, role: string): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean }>(
    `SELECT pg_has_role($1::name, CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END) AS may`,
    [role],
  );
  return rows[0]!.may;
}

/** Privileges on the database that this user needs and lacks. */
export async function lackingPrivileges(
  client: pg.ClientBase,
): Promise<{ db: string; me: string; lacking: ('CREATE' | 'TEMPORARY')[] }> {
  const { rows } = await client.query<{ db: string; me: string; create: boolean; temp: boolean }>(
    `SELECT current_database() AS db, session_user AS me,
       has_database_privilege(session_user, current_database(), 'CREATE') AS create,
       has_database_privilege(session_user, current_database(), 'TEMP') AS temp`,
  );
  const { db, me, create, temp } = rows[0]!;
  return {
    db,
    me,
    lacking: [...(create ? [] : ['CREATE' as const]), ...(temp ? [] : ['TEMPORARY' as const])],
  };
}

/** @throws EtlError database_denied with every statement for an administrator, if this user cannot create the tables */
export async function checkMayCreate(client: pg.ClientBase, reader: string): Promise<void> {
  const { db, me, lacking } = await lackingPrivileges(client);
  if (lacking.length === 0) return;
  const objects = lacking.map((privilege) => (privilege === 'CREATE' ? 'schemas' : 'temporary tables'));
  throw new EtlError(
    'database_denied',
    `User ${me} may not create ${objects.join(' and ')} in the database ${db}. Ask an administrator for: ${await readerRecipe(client, reader)}`,
  );
}

/** Returns every statement that an administrator has to run once, so that this user can make, read and serve the tables. */
export async function readerRecipe(client: pg.ClientBase, reader: string): Promise<string> {
  const { db, me, lacking } = await lackingPrivileges(client);
  const queries = queryRoleOf(reader);
  const missing: string[] =
    lacking.length === 0 ? [] : [`GRANT ${lacking.join(', ')} ON DATABASE ${ident(db)} TO ${ident(me)}`];
  for (const role of [reader, queries])
    if (!(await exists(client, role))) missing.push(`CREATE ROLE ${ident(role)} NOLOGIN`);
  return `${[
    ...missing,
    `GRANT ${ident(reader)} TO ${ident(queries)}`,
    `GRANT ${ident(reader)}, ${ident(queries)} TO ${ident(me)}`,
  ].join('; ')};`;
}

/** Returns the role of operators' queries (models, audits, the console). It reads as readers do and may create temporary tables. */
const queryRoleOf = (reader: string): string => `${reader}_queries`;

/**
 * Returns the role that operators' queries run as: the readers' role if the database user could not create or may not become
 * another. */
export async function queryRole(client: pg.ClientBase, reader: string): Promise<string> {
  const role = queryRoleOf(reader);
  return (await exists(client, role)) && (await mayBecome(client, role)) ? role : reader;
}

/** Functions that write large objects; every role may call them unless they are revoked. */
const LARGE_OBJECTS: readonly string[] = [
  'lo_creat(int4)',
  'lo_create(oid)',
  'lo_from_bytea(oid, bytea)',
  'lo_open(oid, int4)',
  'lo_put(oid, int8, bytea)',
  'lo_truncate(int4, int4)',
  'lo_truncate64(int4, int8)',
  'lo_unlink(oid)',
  'lowrite(int4, bytea)',
].map((name) => `pg_catalog.${name}`);

/**
 * Revokes from PUBLIC, and so from readers, what lets any session write: temporary tables and large objects. If this user owns neither the
 * database nor the server, an administrator must do it; `doctor` reports that.
 */
async function keepReadersFromWriting(client: pg.ClientBase, reader: string): Promise<void> {
  const role = queryRoleOf(reader);
  if (!(await exists(client, role))) await tried(client, `CREATE ROLE ${ident(role)} NOLOGIN`);
  // Without it, operators' queries run as the readers' role, and need temporary tables.
  if (!(await exists(client, role))) return;
  const { rows } = await client.query<{ db: string }>('SELECT current_database() AS db');
  await tried(client, `GRANT ${ident(reader)} TO ${ident(role)}`);
  await grantBecoming(client, role);
  if (!(await mayBecome(client, role))) return;
  await tried(client, `GRANT TEMPORARY ON DATABASE ${ident(rows[0]!.db)} TO ${ident(role)}`);
  for (const sql of revokes(rows[0]!.db)) await tried(client, sql);
}

const revokes = (db: string): string[] => [
  `REVOKE TEMPORARY ON DATABASE ${ident(db)} FROM PUBLIC`,
  `REVOKE EXECUTE ON FUNCTION ${LARGE_OBJECTS.join(', ')} FROM PUBLIC`,
];

/**
 * Returns statements for an administrator that keep readers of this database from writing, while this user and operators' queries still
 * work.
 */
export async function writeRemedy(client: pg.ClientBase, reader: string): Promise<string[]> {
  const { rows } = await client.query<{ db: string; me: string }>(
    'SELECT current_database() AS db, session_user AS me',
  );
  const { db, me } = rows[0]!;
  const role = queryRoleOf(reader);
  return [
    ...((await exists(client, role)) ? [] : [`CREATE ROLE ${ident(role)} NOLOGIN`]),
    `GRANT ${ident(reader)} TO ${ident(role)}`,
    `GRANT ${ident(role)} TO ${ident(me)}`,
    `GRANT TEMPORARY ON DATABASE ${ident(db)} TO ${ident(role)}, ${ident(me)}`,
    ...revokes(db),
  ];
}

/** Lists the ways in which a role can write besides tables: `temporary tables`, `large objects`. */
export async function waysToWrite(client: pg.ClientBase, role: string): Promise<string[]> {
  const { rows } = await client.query<{ temp: boolean; lo: boolean }>(
    `SELECT has_database_privilege($1::name, current_database(), 'TEMP') AS temp,
       bool_or(has_function_privilege($1::name, f::regprocedure, 'EXECUTE')) AS lo FROM unnest($2::text[]) f`,
    [role, LARGE_OBJECTS],
  );
  const { temp, lo } = rows[0]!;
  return [...(temp ? ['temporary tables'] : []), ...(lo ? ['large objects'] : [])];
}

/** Allows this user to become a role, as the service does to read. If this user cannot grant that, an administrator can. */
async function grantBecoming(client: pg.ClientBase, role: string): Promise<void> {
  await client.query('SAVEPOINT becoming');
  const may = (await tried(client, `SET LOCAL ROLE ${ident(role)}`)) === null;
  await client.query('ROLLBACK TO SAVEPOINT becoming');
  if (!may) await tried(client, `GRANT ${ident(role)} TO CURRENT_USER`);
}

/** Result of granting read access to a role. */
export interface GrantResult {
  role: string;
  /** True: created now, without a password. */
  made: boolean;
  /** True: its sessions are limited in this database. */
  limited: boolean;
}

/**
 * Gives a login role the API's read access. Creates it if missing, and limits its sessions, because a parent role's limits do not apply.
 * @throws EtlError database_denied with the statements for an administrator
 */
export async function grantLogin(
  client: pg.ClientBase,
  login: string,
  reader: ReaderRole,
): Promise<GrantResult> {
  if (login === reader.role)
    throw new EtlError(
      'config_invalid',
      `${login} is the role that others are members of: name one that logs in.`,
    );
  const recipe = [
    `CREATE ROLE ${ident(login)} LOGIN;`,
    `GRANT ${ident(reader.role)} TO ${ident(login)};`,
  ].join(' ');
  return inTransaction(client, async () => {
    const isNewRole = !(await exists(client, login));
    const isMember =
      !isNewRole &&
      (
        await client.query<{ is: boolean }>(`SELECT pg_has_role($1::name, $2::name, 'MEMBER') AS is`, [
          login,
          reader.role,
        ])
      ).rows[0]!.is;
    const failure = isMember
      ? null
      : await tried(
          client,
          `${isNewRole ? `CREATE ROLE ${ident(login)} LOGIN;` : ''} GRANT ${ident(reader.role)} TO ${ident(login)}`,
        );
    if (failure !== null)
      throw new EtlError(
        'database_denied',
        `This user may not make ${login} a reader (${failure}). Ask an administrator for: ${recipe}`,
      );
    const limited = await limitSessions(client, login, reader);
    return { role: login, made: isNewRole, limited };
  });
}
