/** Errors of files, machine and server listed in store/system/system_error.ts; and errors of paths that this program did not create. */
export const SYSTEM_ERRORS = {
  output_not_ours: [
    'The output path or data folder holds something that this program did not create.',
    'Choose another path, or move the existing files. Nothing was touched.',
  ],
  s3_failed: [
    'A request to the S3 server failed, or the upload was stopped.',
    'Check AWS_REGION, the credentials, the bucket and its permissions (docs/query.md). Run the same command again: uploaded files are skipped.',
  ],
  path_denied: [
    'A file or folder may not be read or written by this user, or its file system is read-only.',
    'Correct its owner or mode, or choose another path.',
  ],
  path_missing: [
    'A path does not lead to a file or folder of the expected kind.',
    'Correct the path, or create its parent folder.',
  ],
  disk_failed: [
    'The disk or the network share of a file failed.',
    'Check the system log, or choose another disk.',
  ],
  out_of_resources: [
    'The machine or PostgreSQL has run out of memory, open files or space for a statement.',
    'Use fewer --workers or a smaller batch_rows, or raise the limit that the message names.',
  ],
  database_busy: [
    'Another database session blocked this one: a deadlock or a lock timeout.',
    'Run the same command again; recorded work is kept.',
  ],
  statement_cancelled: [
    'A statement was cancelled, by an administrator or by a timeout of the server.',
    'Run the same command again; remove statement_timeout from the role of the pipeline.',
  ],
  database_encoding: [
    'The encoding of the database is not UTF8.',
    "Make a database with ENCODING 'UTF8' TEMPLATE template0, and name it in DATABASE_URL.",
  ],
  database_denied: [
    'The user of DATABASE_URL may not do what the command needs.',
    'Use the user that ran the first refresh, or grant its role to this one; docs/runbook.md has the statements.',
  ],
  database_read_only: [
    'The server accepts no writes: it is a standby, or read-only.',
    'Point DATABASE_URL at the primary.',
  ],
  database_needs_restart: [
    'PostgreSQL could not load one of its own libraries, as after an upgrade of its package while it runs.',
    'Restart the server, then run the same command again.',
  ],
  database_damaged: [
    'The files of PostgreSQL are damaged, or its disk failed.',
    'Check its log and disk; restore it, or refresh into an empty database.',
  ],
  pooler_without_sessions: [
    'DATABASE_URL leads to a connection pooler in transaction or statement mode, which keeps no sessions.',
    'Use the address of PostgreSQL itself, or a pool in session mode (docs/deployment.md).',
  ],
} as const;
