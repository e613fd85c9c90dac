import { randomUUID } from 'node:crypto';
import pg from 'pg';

/**
 * Settings that every session needs for equal answers on any server: a database or a user may have others. They are set by statement,
 * because poolers refuse or drop the options of a connection.
 */
const SETTINGS: readonly string[] = [
  'client_encoding=UTF8',
  'standard_conforming_strings=on',
  'default_transaction_isolation=read committed',
  'timezone=UTC',
  'datestyle=ISO, MDY',
  'intervalstyle=postgres',
  'bytea_output=hex',
  'extra_float_digits=1',
  'array_nulls=on',
  'transform_null_equals=off',
  'quote_all_identifiers=off',
  'jit=off',
];

/**
 * Timeouts that a session must not take from its database or user: a run computes between its statements. What a reader waits for has a
 * timeout of its own among the further settings.
 */
const NO_TIMEOUTS: readonly string[] = [
  'statement_timeout=0',
  'lock_timeout=0',
  'idle_in_transaction_session_timeout=0',
  'idle_session_timeout=0',
];
/** Sets one more timeout, which PostgreSQL has since version 17. */
const NO_TRANSACTION_TIMEOUT = `SELECT set_config('transaction_timeout', '0', false)
  WHERE current_setting('transaction_timeout', true) IS NOT NULL`;

/** Returns the statements that set these and further settings (`name=value`), for the session or for the transaction alone. */
export function settingsSql(
  furtherSettings: readonly string[] = [],
  scope: 'SESSION' | 'LOCAL' = 'SESSION',
): string {
  const isSession = scope === 'SESSION';
  const statements = [...SETTINGS, ...(isSession ? NO_TIMEOUTS : []), ...furtherSettings].map((setting) => {
    const at = setting.indexOf('=');
    return `SET ${scope} ${setting.slice(0, at)} = ${pg.escapeLiteral(setting.slice(at + 1))}`;
  });
  return [...statements, ...(isSession ? [NO_TRANSACTION_TIMEOUT] : [])].join('; ');
}

/** Name of a setting that no server has, to mark a session with. */
const MARK = 'pipeline.session_mark';

/** Reads the mark of a session; null: it has none. */
async function readMark(client: pg.ClientBase): Promise<string | null> {
  const { rows } = await client.query<{ mark: string | null }>(
    `SELECT NULLIF(current_setting('${MARK}', true), '') AS mark`,
  );
  return rows[0]!.mark;
}

/** Begins a transaction; false: a pooler in statement mode refuses it. */
const canBegin = (client: pg.ClientBase): Promise<boolean> =>
  client.query('BEGIN').then(
    () => true,
    (error: Error) => {
      if (/statement pooling mode/.test(error.message)) return false;
      throw error;
    },
  );

/** Rounds of the check: another client of a pooler may take the marked session between two statements. */
const ROUNDS = 8;
/** Maximum wait for a connection or an answer: a pooler may have no session to give. */
const WAIT_MS = 30_000;

/**
 * Finds out whether a URL leads to a pooler that gives each transaction another session (transaction or statement mode). Marks the session
 * of one connection: a pooler shows the mark to a second connection, or loses it for the first one while the second has a transaction.
 */
export async function isTransactionPooler(url: string): Promise<boolean> {
  const open = async (): Promise<pg.Client> => {
    const client = new pg.Client({
      connectionString: url,
      application_name: 'property-data-pipeline check',
      connectionTimeoutMillis: WAIT_MS,
      query_timeout: WAIT_MS,
    });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };
  const first = await open();
  const second = await open().catch(async (error) => {
    await first.end();
    throw error;
  });
  try {
    for (let round = 1; round <= ROUNDS; round++) {
      const mark = randomUUID();
      await first.query(`SELECT set_config('${MARK}', $1, false)`, [mark]);
      // A pooler that gives sessions in turn would give the same ones in every round.
      for (let turn = 0; turn < round % 3; turn++) await first.query('SELECT 1');
      if (!(await canBegin(second))) return true;
      if ((await readMark(second)) === mark) return true;
      if ((await readMark(first)) !== mark) return true;
      await second.query('ROLLBACK');
    }
    return false;
  } finally {
    await Promise.all([first.end(), second.end()]);
  }
}
