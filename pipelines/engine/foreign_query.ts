import type pg from 'pg';
import { columnSql, ident } from '../../schema/ddl.ts';
import { EtlError } from '../../schema/errors.ts';
import type { Table } from '../../schema/table.ts';
import { queryRole } from '../../store/reader_role.ts';

/** An operator's SQL file, run under a restricted role and a timeout. */
export interface ForeignQuery {
  /** Path in error messages. */
  file: string;
  /** Readers' role; the query runs under the role for queries that belongs to it. */
  role: string;
  timeout_s: number;
}

const invalid = (file: string, message: string, cause?: unknown): EtlError =>
  new EtlError('model_invalid', `${file}: ${message}`, { cause });

/** SQLSTATE classes of errors in the query text. Other errors concern the server or the connection and may be transient. */
const OF_THE_QUERY = /^(0A|2[0-9A-F]|3[0-9A-F]|4[24]|54|P0)[0-9A-Z]{3}$/;

/**
 * Runs one statement under the role for foreign queries, in the caller's transaction. @throws EtlError model_invalid with the server's
 * message
 */
export async function runForeignQuery<T extends pg.QueryResultRow>(
  client: pg.ClientBase,
  { file, role: reader, timeout_s }: ForeignQuery,
  text: string,
): Promise<T[]> {
  const role = await queryRole(client, reader);
  await client.query(`SET LOCAL statement_timeout = '${timeout_s}s'; SET LOCAL ROLE ${ident(role)}`);
  let rows: T[];
  try {
    // The extended protocol accepts only a single statement.
    ({ rows } = await client.query<T>({ text, queryMode: 'extended' } as pg.QueryConfig));
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string };
    if (code === '57014')
      throw invalid(file, `the query took longer than its timeout_s of ${timeout_s}.`, error);
    if (!OF_THE_QUERY.test(code)) throw error;
    throw invalid(file, message, error);
  }
  const { rows: after } = await client.query<{ role: string }>('SELECT current_user AS role');
  if (after[0]!.role !== role) throw invalid(file, 'the query changed its role.');
  await client.query('RESET ROLE; SET LOCAL statement_timeout = 0');
  return rows;
}

/** Returns the view name of a foreign query. */
const view = (table: Table): string => ident(`model_${table.name}`);

/** The server's description of a foreign query's view. */
export interface ViewDescription {
  /** In column order, with types as in the catalogue. */
  columns: { name: string; type: string }[];
  /** Tables that it reads and that are not temporary views; null: none. */
  others: string[] | null;
  /** Volatile functions that it calls: they could change the role, run other SQL, sleep or lock; null: none. */
  volatile: string[] | null;
  /** Functions that it calls and that are not built into PostgreSQL; null: none. */
  foreign: string[] | null;
}

/** A view's parse tree contains every function that its SQL calls, under whatever name. */
const SEEN = `SELECT
  COALESCE((SELECT jsonb_agg(jsonb_build_object('name', attname, 'type', format_type(atttypid, NULL)) ORDER BY attnum)
   FROM pg_attribute WHERE attrelid = v.oid AND attnum > 0), '[]') AS columns,
  calls.volatile, calls.foreign,
  (SELECT array_agg(DISTINCT c.oid::regclass::text) FROM pg_rewrite w JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
     JOIN pg_class c ON d.refclassid = 'pg_class'::regclass AND c.oid = d.refobjid
   WHERE w.ev_class = v.oid AND c.oid <> v.oid AND c.relnamespace NOT IN (pg_my_temp_schema(), 'pg_catalog'::regnamespace)) AS others
  FROM pg_class v CROSS JOIN LATERAL (
    SELECT array_agg(DISTINCT p.oid::regprocedure::text) FILTER (WHERE p.provolatile = 'v') AS volatile,
      array_agg(DISTINCT p.oid::regprocedure::text) FILTER (WHERE p.pronamespace <> 'pg_catalog'::regnamespace) AS foreign
    FROM pg_rewrite w
      CROSS JOIN LATERAL regexp_matches(w.ev_action::text, ':(?:funcid|opfuncid|aggfnoid|winfnoid) ([0-9]+)', 'g') found
      JOIN pg_proc p ON p.oid = found[1]::oid
    WHERE w.ev_class = v.oid) calls
  WHERE v.oid = $1::regclass`;

/** Describes a temporary view. */
const describeView = async (client: pg.ClientBase, name: string): Promise<ViewDescription> =>
  (await client.query<ViewDescription>(SEEN, [`pg_temp.${name}`])).rows[0]!;

/** Creates a temporary view of a foreign query, rejects volatile functions, and describes the view. @throws EtlError model_invalid */
export async function createQueryView(
  client: pg.ClientBase,
  foreignQuery: ForeignQuery,
  name: string,
  sql: string,
): Promise<ViewDescription> {
  await runForeignQuery(client, foreignQuery, `CREATE TEMP VIEW ${name} AS ${sql}\n`);
  const described = await describeView(client, name);
  if (described.volatile === null) return described;
  throw invalid(
    foreignQuery.file,
    `${described.volatile.join(', ')} cannot be called: a query may use only immutable and stable functions.`,
  );
}

/** Lets this user read what the role for queries has made: a user with NOINHERIT has none of the role's rights. */
const letOwnerRead = (client: pg.ClientBase, foreignQuery: ForeignQuery, name: string): Promise<unknown> =>
  runForeignQuery(client, foreignQuery, `GRANT SELECT ON pg_temp.${name} TO SESSION_USER`);

/**
 * Creates a temporary view of a foreign query over views named like its inputs, and checks its columns. Returns the name of the view.
 * @throws EtlError model_invalid
 */
export async function checkedQueryView(
  client: pg.ClientBase,
  foreignQuery: ForeignQuery,
  output: Table,
  inputs: Readonly<Record<string, string>>,
  sql: string,
): Promise<string> {
  const { file } = foreignQuery;
  const role = await queryRole(client, foreignQuery.role);
  for (const [name, query] of Object.entries(inputs))
    await client.query(
      `CREATE TEMP VIEW ${ident(name)} AS ${query}; GRANT SELECT ON pg_temp.${ident(name)} TO ${ident(role)}`,
    );
  const { columns: seen, others } = await createQueryView(client, foreignQuery, view(output), sql);
  await letOwnerRead(client, foreignQuery, view(output));
  const columns = Object.fromEntries(seen.map(({ name, type }) => [name, type]));
  if (others !== null)
    throw invalid(
      file,
      `it reads ${others.join(', ')}: list the table under inputs, and name it without a schema.`,
    );
  for (const [name, column] of Object.entries(output.columns)) {
    const { sql: type, type: shown } = columnSql(column);
    const columnType = columns[name];
    if (columnType === undefined)
      throw invalid(file, `the query lacks column ${name}, which its header lists.`);
    if (columnType !== shown)
      throw invalid(
        file,
        `column ${name} is ${columnType}, but its header says ${type}: cast it, as in ${name}::${type}.`,
      );
  }
  const extra = Object.keys(columns).find((name) => !(name in output.columns));
  if (extra !== undefined)
    throw invalid(file, `the query returns column ${extra}, which its header does not list.`);
  return view(output);
}

/** Writes the rows of a foreign query to a temporary table and returns a query that reads it. */
export async function queryRows(
  client: pg.ClientBase,
  foreignQuery: ForeignQuery,
  output: Table,
  inputs: Readonly<Record<string, string>>,
  sql: string,
): Promise<string> {
  const name = await checkedQueryView(client, foreignQuery, output, inputs, sql);
  const rows = ident(`rows_${output.name}`);
  await runForeignQuery(client, foreignQuery, `CREATE TEMP TABLE ${rows} AS SELECT * FROM ${name}`);
  await letOwnerRead(client, foreignQuery, rows);
  return `SELECT * FROM pg_temp.${rows}`;
}

/** Drops the table and views of `queryRows`, which would otherwise last as long as the session. */
export async function dropQueryRelations(
  client: pg.ClientBase,
  foreignQuery: ForeignQuery,
  output: Table,
  inputs: readonly string[],
): Promise<void> {
  await runForeignQuery(client, foreignQuery, `DROP TABLE pg_temp.${ident(`rows_${output.name}`)}`);
  await runForeignQuery(client, foreignQuery, `DROP VIEW pg_temp.${view(output)}`);
  await client.query(`DROP VIEW ${inputs.map((name) => `pg_temp.${ident(name)}`).join(', ')}`);
}
