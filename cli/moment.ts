import { EtlError } from '../schema/errors.ts';
import { wholeFlag } from './whole_flag.ts';

/** What a command reads: a publication by number, the held candidate, or (null) what is served. */
export type ReadMoment = number | 'candidate' | null;

/** Flags that choose what a command reads. */
export interface MomentFlags {
  asOf?: string;
  candidate?: boolean;
}

/** Reads `--as-of` and `--candidate`. @throws EtlError config_invalid if both are given */
export function momentFlag({ asOf, candidate }: MomentFlags): ReadMoment {
  if (candidate && asOf !== undefined)
    throw new EtlError('config_invalid', '--candidate is not a publication yet: remove --as-of.');
  if (candidate) return 'candidate';
  return asOf === undefined ? null : wholeFlag('--as-of', asOf, 1);
}
