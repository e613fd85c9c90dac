import { DROPS } from './error_codes/drops.ts';
import { ERRORS } from './error_codes/errors.ts';
import { REJECTS } from './error_codes/rejects.ts';

/**
 * `error`: fails a command or a run. `reject`: one input row is set aside and counted. `drop`: rows are left out on purpose and
 * counted by that name.
 */
export type CodeKind = 'error' | 'reject' | 'drop';

/** One public code. The same code may be both an error (of a file) and a reject (of a row). */
export interface PublicCode {
  readonly code: string;
  readonly kind: CodeKind;
  /** What happened, in one sentence. */
  readonly meaning: string;
  /** What an operator should do. */
  readonly remedy: string;
}

const errorCode = (
  kind: CodeKind,
  texts: Readonly<Record<string, readonly [meaning: string, remedy: string]>>,
): PublicCode[] =>
  Object.entries(texts).map(([code, [meaning, remedy]]) => ({ code, kind, meaning, remedy }));

/** Every public code, by kind, then in order of declaration; docs/errors.md is generated from it. */
export const PUBLIC_CODES: readonly PublicCode[] = [
  ...errorCode('error', ERRORS),
  ...errorCode('reject', REJECTS),
  ...errorCode('drop', DROPS),
];

/** Codes of a wrong command line or configuration, besides those with the prefix config_: no run was started and nothing changed. */
const OF_USAGE: ReadonlySet<string> = new Set([
  'unknown_adapter',
  'licence_not_accepted',
  'bad_option',
  'output_not_ours',
]);

export const isUsage = (code: string): boolean => code.startsWith('config_') || OF_USAGE.has(code);
