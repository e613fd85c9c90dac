import { type ErrorKind, EtlError } from '../../schema/errors.ts';

/** A failure of the system or of PostgreSQL by its public code: what happened, what to do, and whether a retry can help. */
interface SystemErrorInfo {
  code: string;
  meaning: string;
  next: string;
  kind: ErrorKind;
}

const namedError = (code: string, kind: ErrorKind, meaning: string, next: string): SystemErrorInfo => ({
  code,
  kind,
  meaning,
  next,
});

const unreachable = (next: string, kind: ErrorKind = 'transient'): SystemErrorInfo =>
  namedError('database_unreachable', kind, 'The connection to PostgreSQL failed', next);

const NO_ROOM = namedError(
  'disk_full',
  'permanent',
  'There is no room left',
  'Make room on the disk of the database, or of the temporary folder, and run the same command again: what is recorded is done.',
);
const DENIED = namedError(
  'path_denied',
  'permanent',
  'A file or folder may not be read or written by this user',
  'Correct its owner or mode, or choose another path.',
);
const READ_ONLY = namedError(
  'path_denied',
  'permanent',
  'The file system is read-only',
  'Choose a path on another one, or mount it for writing.',
);
const NO_PATH = namedError(
  'path_missing',
  'permanent',
  'A path does not lead to a file or folder of the wanted kind',
  'Correct the path, or make the folder that it lies in.',
);
const DISK_FAILED = namedError(
  'disk_failed',
  'permanent',
  'The disk or the network share failed',
  'Look at the log of the system, and choose another disk.',
);
const TOO_MANY_FILES = namedError(
  'out_of_resources',
  'transient',
  'The system has no more open files to give',
  'Raise the limit (ulimit -n), or use fewer --workers.',
);
const NO_MEMORY = namedError(
  'out_of_resources',
  'permanent',
  'There is not enough memory',
  'Use fewer --workers or a smaller batch_rows, or give the machine more memory.',
);
const SERVER_SHORT = namedError(
  'out_of_resources',
  'transient',
  'PostgreSQL ran out of memory, or of a limit of its settings',
  'Read its log; use fewer --workers, or raise the setting that the message names.',
);
const BUSY = namedError(
  'database_busy',
  'transient',
  'Another session of the database stood in the way',
  'Run the same command again; what is recorded is done.',
);
const CANCELLED = namedError(
  'statement_cancelled',
  'transient',
  'A statement was cancelled, by an administrator or by a statement_timeout of the server',
  'Run the same command again; give the role of the pipeline no statement_timeout.',
);
const QUEUE_REFUSED = namedError(
  'queue_unavailable',
  'transient',
  'The Redis of the queue refused a command',
  'Check queue.redis_url: it must lead to a Redis that takes writes, is no cluster, and lets this user use every command on every key; pipeline doctor shows what it finds.',
);
const NO_RIGHT = namedError(
  'database_denied',
  'permanent',
  'The user of DATABASE_URL may not do this',
  'Only the owner of the tables runs the pipeline: use the user that made the first refresh, or as that user GRANT its-role TO this-user; for readers see pipeline admin grant.',
);
const STANDBY = namedError(
  'database_read_only',
  'permanent',
  'The server takes no writes',
  'Point DATABASE_URL to the primary: this is a standby, or default_transaction_read_only is on for this user or database; then ask the administrator why (a full disk, maintenance), and to turn it off.',
);
const DAMAGED = namedError(
  'database_damaged',
  'permanent',
  'PostgreSQL found its files damaged, or its disk failed',
  'Stop the server, look at its log and its disk; then restore it, or refresh into an empty database.',
);
const UPGRADED = namedError(
  'database_needs_restart',
  'permanent',
  'PostgreSQL could not load one of its own libraries, as after an upgrade of its package while it runs',
  'Restart the server first; then run the same command again. If that does not help, install its package again.',
);
const TLS = unreachable(
  'Correct sslmode of DATABASE_URL (disable, require, verify-full) and its certificates, or turn TLS on at the server.',
  'permanent',
);
const AWAY = unreachable('Check that the server runs; its log says why it hung up.');
const NETWORK = unreachable('Check host and network.');
const LOGIN = unreachable(
  'Check the user of DATABASE_URL, and what pg_hba.conf on the server lets in.',
  'permanent',
);

/** Errors by system code or SQLSTATE; a key of two characters covers its whole class. */
const TABLE: Readonly<Record<string, SystemErrorInfo>> = {
  ENOSPC: NO_ROOM,
  EDQUOT: NO_ROOM,
  EFBIG: NO_ROOM,
  '53100': NO_ROOM,
  EACCES: DENIED,
  EPERM: DENIED,
  EROFS: READ_ONLY,
  ENOENT: NO_PATH,
  ENOTDIR: NO_PATH,
  EISDIR: NO_PATH,
  ELOOP: NO_PATH,
  ENAMETOOLONG: NO_PATH,
  EEXIST: NO_PATH,
  ENOTEMPTY: NO_PATH,
  ENXIO: NO_PATH,
  ENODEV: NO_PATH,
  EBUSY: NO_PATH,
  EXDEV: NO_PATH,
  ETXTBSY: NO_PATH,
  EIO: DISK_FAILED,
  ESTALE: DISK_FAILED,
  EUCLEAN: DISK_FAILED,
  EMFILE: TOO_MANY_FILES,
  ENFILE: TOO_MANY_FILES,
  EAGAIN: TOO_MANY_FILES,
  ENOMEM: NO_MEMORY,
  ERR_OUT_OF_MEMORY: NO_MEMORY,
  ERR_MEMORY_ALLOCATION_FAILED: NO_MEMORY,
  ERR_WORKER_OUT_OF_MEMORY: NO_MEMORY,
  ERR_STRING_TOO_LONG: NO_MEMORY,
  ECONNREFUSED: unreachable('Check host and port of DATABASE_URL, and that the server runs.'),
  ECONNRESET: AWAY,
  ECONNABORTED: AWAY,
  EPIPE: AWAY,
  EHOSTUNREACH: NETWORK,
  EHOSTDOWN: NETWORK,
  ENETUNREACH: NETWORK,
  ENETDOWN: NETWORK,
  EADDRNOTAVAIL: NETWORK,
  ETIMEDOUT: unreachable('Check host, port and firewall, and whether the server answers at all.'),
  ENOTFOUND: unreachable('Check the host of DATABASE_URL.'),
  EAI_AGAIN: unreachable('Check the host of DATABASE_URL and the name service.'),
  ERR_INVALID_URL: unreachable(
    'Write it as postgresql://user:password@host:port/database, with special characters of the password percent-encoded.',
    'permanent',
  ),
  LIBRARY: UPGRADED,
  '58P01': namedError(
    'database_damaged',
    'permanent',
    'PostgreSQL did not find one of its files',
    'Restart the server first; if that does not help, look at its log and its disk; then restore it, or refresh into an empty database.',
  ),
  POOLER: unreachable(
    'The server is a connection pooler that refuses options: remove options from DATABASE_URL, or point it to PostgreSQL itself.',
    'permanent',
  ),
  EPROTO: TLS,
  CERT_HAS_EXPIRED: TLS,
  DEPTH_ZERO_SELF_SIGNED_CERT: TLS,
  SELF_SIGNED_CERT_IN_CHAIN: TLS,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: TLS,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: TLS,
  ERR_TLS_CERT_ALTNAME_INVALID: TLS,
  '08': AWAY,
  '28': LOGIN,
  '28P01': unreachable('Check user and password of DATABASE_URL.', 'permanent'),
  '3D': unreachable('Create the database, or correct the name in DATABASE_URL.', 'permanent'),
  '53300': unreachable('The server has no connections left: close some, or raise max_connections.'),
  '57P': unreachable('The server is starting or stopping: try again.'),
  '53': SERVER_SHORT,
  '54': SERVER_SHORT,
  '40': BUSY,
  '55': BUSY,
  '57014': CANCELLED,
  '42501': NO_RIGHT,
  '25006': STANDBY,
  '58': DAMAGED,
  XX001: DAMAGED,
  XX002: DAMAGED,
};

/** Codes of errors without one, by the message of the client or the engine. */
const CODES_BY_MESSAGE: readonly (readonly [RegExp, string])[] = [
  [/unsupported startup parameter/i, 'POOLER'],
  [
    /could not (load|access) (library|file) .*(\.so|\.dylib|\$libdir)|incompatible library|undefined symbol/i,
    'LIBRARY',
  ],
  [/timeout (expired|exceeded)|Query read timeout/i, 'ETIMEDOUT'],
  [/does not support SSL|SSL (connection|off|required)|no encryption|connection is insecure/i, 'EPROTO'],
  [/Invalid (string|typed array|array buffer) length|Array buffer allocation failed/i, 'ERR_OUT_OF_MEMORY'],
];

const lookUp = (code: string): SystemErrorInfo | undefined =>
  TABLE[code] ??
  (/^[0-9A-Z]{5}$/.test(code) ? (TABLE[code.slice(0, 3)] ?? TABLE[code.slice(0, 2)]) : undefined);

/** Returns the message of an error; for several tried addresses, the messages of all. */
function messageOf(error: Error): string {
  if (!(error instanceof AggregateError)) return error.message;
  return [...new Set(error.errors.map((each: Error) => each.message))].join(', ');
}

/**
 * Converts a failure of the system or of PostgreSQL, direct or passed on by a worker, to an error with a remedy; the only table of such
 * failures. `path`: where it happened. Null: a bug in the program.
 */
export function systemError(error: unknown, path?: string): EtlError | null {
  if (!(error instanceof Error)) return null;
  const raw = String((error as NodeJS.ErrnoException).code ?? '');
  const code = raw.replace(/^postgres_or_system_/, '');
  if (error instanceof EtlError && code === raw) return null;
  const saying = CODES_BY_MESSAGE.find(([pattern]) => pattern.test(error.message));
  // Clients of Redis name the errors that the server replies.
  const info = error.name === 'ReplyError' ? QUEUE_REFUSED : ((saying && TABLE[saying[1]]) ?? lookUp(code));
  if (info === undefined) return null;
  const pathText = path === undefined || error.message.includes(path) ? '' : ` ${path}:`;
  return new EtlError(
    info.code,
    `${info.meaning}:${pathText} ${messageOf(error).replace(/\.$/, '')}. ${info.next}`,
    {
      cause: error,
      kind: info.kind,
      details: path === undefined ? {} : { path },
    },
  );
}
