import type { EtlError } from '../../schema/errors.ts';
import { systemError } from './system_error.ts';

/** Converts a write that failed for lack of space, in the database or here, to an error `disk_full`. Null: another error. */
export function diskFull(error: unknown): EtlError | null {
  const described = systemError(error);
  return described?.code === 'disk_full' ? described : null;
}
