import { DROPS } from './error_codes/drops.ts';
import { ERRORS } from './error_codes/errors.ts';
import { REJECTS } from './error_codes/rejects.ts';

/**
 * `error`: a command or a run fails with it. `reject`: one input row is set aside and counted. `drop`: rows are left out on
 * purpose and counted by that name.
 */
export type CodeKind = 'error' | 'reject' | 'drop';

/** One public code. The same code may be both an error (of a file) and a reject (of a row). */
export interface PublicCode {
  readonly code: string;
  readonly kind: CodeKind;
  /** One sentence: what happened. */
  readonly meaning: string;
  /** What an operator does about it. */
  readonly remedy: string;
}

const listed = (
  kind: CodeKind,
  texts: Readonly<Record<string, readonly [meaning: string, remedy: string]>>,
): PublicCode[] =>
  Object.entries(texts).map(([code, [meaning, remedy]]) => ({ code, kind, meaning, remedy }));

/** Every public code, by kind and then as declared; docs/errors.md is made from it. */
export const PUBLIC_CODES: readonly PublicCode[] = [
  ...listed('error', ERRORS),
  ...listed('reject', REJECTS),
  ...listed('drop', DROPS),
];

/** Codes of a wrong command line or configuration besides those that begin with config_: nothing was done, and no run was. */
const OF_USAGE: ReadonlySet<string> = new Set([
  'unknown_adapter',
  'licence_not_accepted',
  'bad_option',
  'output_not_ours',
]);

export const isUsage = (code: string): boolean => code.startsWith('config_') || OF_USAGE.has(code);
