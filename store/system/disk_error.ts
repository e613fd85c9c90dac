import type { EtlError } from '../../schema/errors.ts';
import { systemError } from './system_error.ts';

/** A write for which there was no room, on the disk of the database or here, as an error `disk_full`. Null: it is some other error. */
export function diskFull(error: unknown): EtlError | null {
  const known = systemError(error);
  return known?.code === 'disk_full' ? known : null;
}
