import type { EtlError } from '../../schema/errors.ts';
import { systemError } from './system_error.ts';

/** Converts a write that failed for lack of space, in the database or here, to an error `disk_full`. Null: another error. */
export function diskFull(error: unknown): EtlError | null {
  const known = systemError(error);
  return known?.code === 'disk_full' ? known : null;
}
