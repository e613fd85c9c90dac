import { EtlError } from '../schema/errors.ts';

/** What to do about a connection that failed, by the code of the system or of PostgreSQL. */
const ADVICE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Check host and port of DATABASE_URL, and that the server runs.',
  ECONNRESET: 'Check that the server runs; its log says why it hung up.',
  EHOSTUNREACH: 'Check host and network.',
  ENETUNREACH: 'Check host and network.',
  ETIMEDOUT: 'Check host, port and firewall.',
  ENOTFOUND: 'Check the host of DATABASE_URL.',
  EAI_AGAIN: 'Check the host of DATABASE_URL and the name service.',
  ERR_INVALID_URL:
    'Write it as postgresql://user:password@host:port/database, with special characters of the password percent-encoded.',
  '28P01': 'Check user and password of DATABASE_URL.',
  '28000': 'Check the user of DATABASE_URL, and what pg_hba.conf on the server lets in.',
  '3D000': 'Create the database, or correct the name in DATABASE_URL.',
  '53300': 'The server has no connections left: close some, or raise max_connections.',
  '57P03': 'The server is starting or stopping: try again.',
};

const PERMANENT: ReadonlySet<string> = new Set(['ERR_INVALID_URL', '28P01', '28000', '3D000']);

/** The message of an error; of one for each address that was tried where there are several. */
function messageOf(error: Error): string {
  if (!(error instanceof AggregateError)) return error.message;
  return [...new Set(error.errors.map((each: Error) => each.message))].join(', ');
}

/**
 * A failed connection to PostgreSQL as an error `database_unreachable` that says what to do, without any part of the URL
 * but what the server or the system repeats. Null: it is some other error.
 */
export function connectionError(error: unknown): EtlError | null {
  if (!(error instanceof Error) || error instanceof EtlError) return null;
  const { code = '' } = error as NodeJS.ErrnoException;
  const timedOut = /timeout (expired|exceeded)/.test(error.message);
  const advice = timedOut ? ADVICE.ETIMEDOUT : ADVICE[code];
  if (advice === undefined) return null;
  return new EtlError(
    'database_unreachable',
    `The connection to PostgreSQL failed: ${messageOf(error)}. ${advice}`,
    { cause: error, kind: PERMANENT.has(code) ? 'permanent' : 'transient' },
  );
}

/** What the PostgreSQL client says, without a code, of a connection that broke. */
const BROKEN = /^(Connection terminated|Client has encountered a connection error|Connection ended)/;
/** Connection exceptions, server going down, sockets that closed; as they come or as a worker passes them on. */
const BROKEN_CODE = /^(postgres_or_system_)?(08\w{3}|57P0[1-3]|EPIPE|ECONN\w+)$/;

/**
 * A connection to PostgreSQL that broke during a run as an error `database_lost`. Null: it is some other error.
 */
export function lostConnection(error: unknown): EtlError | null {
  if (!(error instanceof Error)) return null;
  const { code } = error as NodeJS.ErrnoException;
  if (!(typeof code === 'string' && BROKEN_CODE.test(code)) && !BROKEN.test(error.message)) return null;
  return new EtlError(
    'database_lost',
    `The connection to PostgreSQL broke during the run: ${error.message}. Check that the server runs; its log says why. ` +
      'What is published stays, and the next refresh goes on where this one ended.',
    { cause: error, kind: 'transient' },
  );
}
