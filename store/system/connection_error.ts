import { EtlError } from '../../schema/errors.ts';
import { systemError } from './system_error.ts';

/**
 * Converts a failed connection to PostgreSQL to an error `database_unreachable` with its remedy. It shows nothing of the URL except what
 * the server or the system repeats. Null: another error.
 */
export function connectionError(error: unknown): EtlError | null {
  if (error instanceof EtlError) return null;
  const described = systemError(error);
  return described?.code === 'database_unreachable' ? described : null;
}

/** Messages of the PostgreSQL client, without a code, for a connection that broke. */
const BROKEN = /^(Connection terminated|Client has encountered a connection error|Connection ended)/;
/** Codes of connection exceptions, a stopping server and closed sockets, direct or passed on by a worker. */
const BROKEN_CODE = /^(postgres_or_system_)?(08\w{3}|57P0[1-3]|EPIPE|ECONN\w+)$/;

/** Converts a connection that broke during a run to an error `database_lost`. Null: another error. */
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

/** Returns whether the database was unreachable or stopped answering, so that the outcome of a statement is unknown. */
export const isAway = (error: unknown): boolean =>
  connectionError(error) !== null || lostConnection(error) !== null;

/** Converts any failure of a run or command to an error with a remedy. Null: a bug in the program. */
export function operatorError(error: unknown): EtlError | null {
  const described = lostConnection(error) ?? systemError(error);
  return described ?? (error instanceof EtlError ? error : null);
}
