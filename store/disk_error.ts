import { EtlError } from '../schema/errors.ts';

/** Codes of PostgreSQL and of the system for a full disk, as they come or as a worker passes them on. */
const FULL = /^(postgres_or_system_)?(53100|ENOSPC|EDQUOT)$/;

/** A write for which there was no room, on the disk of the database or here, as an error `disk_full`. Null: it is some other error. */
export function diskFull(error: unknown): EtlError | null {
  if (!(error instanceof Error)) return null;
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string' || !FULL.test(code)) return null;
  return new EtlError(
    'disk_full',
    `There is no room left: ${error.message}. Make room on the disk of the database, or of the temporary folder, and run the same command again: what is recorded is done.`,
    { cause: error },
  );
}
