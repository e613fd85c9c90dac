/** Errors of files, machine and server that the table in store/system_error.ts names; and of paths that are not ours. */
export const SYSTEM_ERRORS = {
  output_not_ours: [
    'What a command would write to, or the folder of its data, holds something that this program did not make.',
    'Choose another path, or move away what is there; nothing of it was touched.',
  ],
  path_denied: [
    'A file or folder may not be read or written by this user, or its file system is read-only.',
    'Correct its owner or mode, or choose another path.',
  ],
  path_missing: [
    'A path does not lead to a file or folder of the wanted kind.',
    'Correct the path, or make the folder that it lies in.',
  ],
  disk_failed: [
    'The disk or the network share of a file failed.',
    'Look at the log of the system, and choose another disk.',
  ],
  out_of_resources: [
    'The machine or PostgreSQL has no memory, open files or room for a statement left.',
    'Use fewer --workers or a smaller batch_rows, or raise the limit that the message names.',
  ],
  database_busy: [
    'Another session of the database stood in the way: a deadlock, or a lock that did not come in time.',
    'Run the same command again; what is recorded is done.',
  ],
  statement_cancelled: [
    'A statement was cancelled, by an administrator or by a timeout of the server.',
    'Run the same command again; give the role of the pipeline no statement_timeout.',
  ],
  database_denied: [
    'The user of DATABASE_URL may not do what the command needs.',
    'Use the user that made the first refresh, or grant its role to this one; docs/runbook.md has the statements.',
  ],
  database_read_only: [
    'The server takes no writes: it is a standby, or set to read only.',
    'Point DATABASE_URL to the primary.',
  ],
  database_damaged: [
    'PostgreSQL found its files damaged, or its disk failed.',
    'Look at its log and disk; restore it, or refresh into an empty database.',
  ],
} as const;
