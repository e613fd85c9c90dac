import type { Bbox } from './grid.ts';

/** Whether a retry can help: `transient` is retried, `permanent` fails at once. */
export type ErrorKind = 'transient' | 'permanent';

/**
 * An error that an operator can act on: the message says what failed, where, the value, and what to do. Codes are public;
 * docs/errors.md lists them.
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
 * One input row set aside. `code` is public and documented, `file` is the path inside the release. `at` is the location in the
 * file: `line 12` of a delimited file, `feature 12` of a shapefile, both counted from 1.
 */
export interface Reject {
  code: string;
  file: string;
  at: string;
  message: string;
  /** Bounding box of the row's shape, GDA2020 degrees. Absent: unknown. */
  extent?: Bbox | undefined;
  /** Area that the row names, used where it has no shape. Absent: it names none. */
  area?: NamedArea | undefined;
  /** Address that the row describes. Absent: none, or the row does not name it. */
  gnaf_pid?: string | undefined;
}

/** Area named by a row of an input; at least one is stated. Null: not stated. */
export interface NamedArea {
  /** State abbreviation. */
  readonly state: string | null;
  /** Four digits. */
  readonly postcode: string | null;
  /** Suburb or locality, in upper case. */
  readonly suburb: string | null;
}
