import type { Bbox } from './grid.ts';

/** Whether trying again can help: `transient` is retried, `permanent` fails at once. */
export type ErrorKind = 'transient' | 'permanent';

/**
 * An error that an operator can act on: the message says what failed, where, the value, and what to do.
 * Codes are public; docs/errors.md lists them.
 */
export class EtlError extends Error {
  readonly code: string;
  readonly kind: ErrorKind;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: string,
    message: string,
    options: { kind?: ErrorKind; details?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'EtlError';
    this.code = code;
    this.kind = options.kind ?? 'permanent';
    this.details = options.details ?? {};
  }
}

/**
 * One input row set aside. `code` is public and documented, `file` is the path inside the release,
 * `at` the place in it: `line 12` of a delimited file, `feature 12` of a shapefile, both counted from 1.
 */
export interface Reject {
  code: string;
  file: string;
  at: string;
  message: string;
  /** Box around the shape of the row, GDA2020 degrees; absent: not known. */
  extent?: Bbox | undefined;
}
