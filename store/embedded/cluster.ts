import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EtlError } from '../../schema/errors.ts';
import { systemError } from '../system/system_error.ts';
import { chooseAccount, type ServerUser } from './account.ts';
import { type Binaries, prepareBinaries, serverEnvironment } from './binaries.ts';
import { serverSettings } from './settings.ts';

/** The superuser of an embedded server. */
export const EMBEDDED_USER = 'postgres';
/** Bytes needed by a new data folder and its first log files, with room to spare. */
const NEEDED_BYTES = 150_000_000;

const FULL = /ENOSPC|EDQUOT|no space left on device|disk quota exceeded/i;
const HALF_MADE = /^init-[0-9a-f-]+$/;

const run = promisify(execFile);

export interface DataFolderPaths {
  dataDir: string;
  /** Folder with data and password; appears complete or not at all. */
  cluster: string;
  pgdata: string;
  password: string;
  /** Folder with the lock of the process that starts the server. */
  run: string;
  log: string;
}

export function dataFolderPaths(dataDir: string): DataFolderPaths {
  const cluster = join(dataDir, 'cluster');
  return {
    dataDir,
    cluster,
    pgdata: join(cluster, 'pgdata'),
    password: join(cluster, 'password'),
    run: join(dataDir, 'run'),
    log: join(dataDir, 'embedded.log'),
  };
}

/** Settings to run the server. */
export interface Launch extends ServerUser {
  pgdata: string;
  postgres: string;
  env: Record<string, string>;
  settings: Record<string, string>;
}

/** Converts an error about space or access in the data folder to one that an operator can act on. */
export function dataFolderError(cause: unknown, dataDir: string): unknown {
  if (cause instanceof EtlError) return cause;
  const { code, message, path } = cause as NodeJS.ErrnoException;
  const text = `${message} ${(cause as { stderr?: string }).stderr ?? ''}`;
  if (FULL.test(text)) return dataFolderFull(dataDir, text);
  // A file error names its path; a connection error does not, and is not about the folder.
  if (path !== undefined && /^E[A-Z]+$/.test(code ?? '') && systemError(cause) !== null) {
    return new EtlError(
      'embedded_data_folder',
      `The data folder ${dataDir} cannot be used: ${message}. Run the command as the folder's owner, ` +
        'or choose another data folder.',
      { cause, details: { dataDir } },
    );
  }
  return cause;
}

/** Returns whether a server stopped for lack of space. It needs a 16 MB log file, and a full disk may prevent its message. */
export function isFull(dataDir: string, printed: string): boolean {
  if (FULL.test(printed)) return true;
  const space = statfsSync(dataDir);
  return space.bavail * space.bsize < 16 * 2 ** 20;
}

/** Builds the error for a data folder without free space. */
export function dataFolderFull(dataDir: string, reason: string): EtlError {
  let free = 'unknown';
  try {
    const space = statfsSync(dataDir);
    free = `${Math.floor((space.bavail * space.bsize) / 1_000_000)} MB`;
  } catch {
    // The message works without the number.
  }
  return new EtlError(
    'disk_full',
    `The disk of ${dataDir} is full (${free} free). Make room or choose a data folder on another disk. ` +
      `The server said: ${reason.trim().split('\n').slice(-3).join(' | ')}`,
    { details: { dataDir, free } },
  );
}

/** Deletes unfinished data of a killed process. */
function removeHalfMade(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    if (HALF_MADE.test(name)) rmSync(join(dataDir, name), { recursive: true, force: true, maxRetries: 5 });
  }
}

const HBA = 'host all all 127.0.0.1/32 scram-sha-256\n';

/** Creates the data in a separate folder and moves it into place complete, so an interruption leaves nothing half-made. */
async function initialise(places: DataFolderPaths, binaries: Binaries, account: ServerUser): Promise<void> {
  const space = statfsSync(places.dataDir);
  if (space.bavail * space.bsize < NEEDED_BYTES) {
    throw dataFolderFull(places.dataDir, `a database needs ${NEEDED_BYTES / 1_000_000} MB to begin with`);
  }
  const folder = join(places.dataDir, `init-${randomBytes(8).toString('hex')}`);
  const paths = { pgdata: join(folder, 'pgdata'), password: join(folder, 'password') };
  try {
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(paths.password, randomBytes(24).toString('hex'), { mode: 0o600 });
    if (account.uid !== null) {
      chownSync(paths.password, account.uid, account.gid!);
      chownSync(folder, account.uid, account.gid!);
    }
    const args = [
      '-D',
      paths.pgdata,
      '-U',
      EMBEDDED_USER,
      `--pwfile=${paths.password}`,
      '-A',
      'scram-sha-256',
    ];
    args.push('--locale=C', '-E', 'UTF8', '--no-instructions');
    const [command, ...rest] = [...account.prefix, binaries.initdb, ...args];
    await run(command!, rest, {
      cwd: '/',
      env: serverEnvironment(binaries),
      ...(account.uid === null ? {} : { uid: account.uid, gid: account.gid! }),
    });
    writeFileSync(join(paths.pgdata, 'pg_hba.conf'), HBA);
    renameSync(folder, places.cluster);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw initialiseError(error, places.dataDir);
  }
}

function initialiseError(error: unknown, dataDir: string): unknown {
  const folderError = dataFolderError(error, dataDir);
  if (folderError !== error || folderError instanceof EtlError) return folderError;
  const { stderr, message } = error as { stderr?: string; message: string };
  const tail = (stderr || message).trim().split('\n').slice(-8).join('\n');
  return new EtlError('embedded_start_failed', `A database could not be made in ${dataDir}:\n${tail}`, {
    cause: error,
    details: { dataDir },
  });
}

/** Names in a data folder that this program or the file system creates. */
const OWN_NAME = /^(cluster|run|lib|embedded\.log(\.1)?|init-[0-9a-f-]+|lost\+found)$/;

/** Refuses to create a database among other files: the folder must be empty. @throws EtlError output_not_ours */
function checkOwnFolder(dataDir: string): void {
  const foreign = readdirSync(dataDir).find((name) => !OWN_NAME.test(name));
  if (foreign === undefined) return;
  throw new EtlError(
    'output_not_ours',
    `${join(dataDir, foreign)} was not made by this program, and is left as it is. Choose another folder with --data-dir, or move it away.`,
    { details: { dataDir } },
  );
}

function incomplete(places: DataFolderPaths): EtlError {
  return new EtlError(
    'embedded_start_failed',
    `${places.cluster} holds no database of this program: pgdata/PG_VERSION is missing. Choose another folder with ` +
      '--data-dir, or restore this one.',
    { details: { dataDir: places.dataDir } },
  );
}

/** Returns the version of PostgreSQL that created the data, such as '18'; null: no data. */
export function dataVersion(places: DataFolderPaths): string | null {
  try {
    return readFileSync(join(places.pgdata, 'PG_VERSION'), 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw dataFolderError(error, places.dataDir);
  }
}

async function checkVersion(places: DataFolderPaths, binaries: Binaries, account: ServerUser): Promise<void> {
  const [command, ...rest] = [...account.prefix, binaries.postgres, '--version'];
  const options = account.uid === null ? {} : { uid: account.uid, gid: account.gid! };
  const { stdout } = await run(command!, rest, { cwd: '/', env: serverEnvironment(binaries), ...options });
  const server = /(\d+)/.exec(stdout)?.[1] ?? '';
  const data = dataVersion(places);
  if (data === server) return;
  throw new EtlError(
    'embedded_version',
    `The data in ${places.dataDir} was made by PostgreSQL ${data}, the embedded server is PostgreSQL ${server}. ` +
      'Remove the folder (a refresh builds everything again), choose another data folder, or set DATABASE_URL ' +
      `to a PostgreSQL ${data} server of your own.`,
    { details: { dataDir: places.dataDir, data, server } },
  );
}

/** Changes the owner of PostgreSQL's files to the account that will use them. */
async function giveTo(places: DataFolderPaths, account: ServerUser): Promise<void> {
  if (account.owner === null || statSync(places.cluster).uid === account.owner) return;
  await run('chown', ['-R', `${account.owner}:${account.gid ?? account.owner}`, places.cluster]);
}

/** Creates the data folder, unless it contains other files. */
export function claimFolder(places: DataFolderPaths): void {
  const { dataDir } = places;
  if (mkdirSync(dataDir, { recursive: true }) !== undefined) chmodSync(dataDir, 0o755);
  if (dataVersion(places) === null) checkOwnFolder(dataDir);
  mkdirSync(places.run, { recursive: true, mode: 0o700 });
}

/**
 * Prepares a data folder to run a server: programs, account, and on first use the data itself. Only one process at a time may call it.
 * @throws EtlError embedded_unavailable, embedded_postgres_root, embedded_version, disk_full, embedded_start_failed
 */
export async function prepareLaunch(
  places: DataFolderPaths,
  nativeDir: string,
  log: (line: string) => void,
): Promise<Launch> {
  const { dataDir, pgdata } = places;
  const binaries = prepareBinaries(nativeDir, dataDir);
  const account = chooseAccount(binaries, dataDir, places.cluster);
  removeHalfMade(dataDir);
  if (dataVersion(places) === null) {
    if (existsSync(places.cluster)) throw incomplete(places);
    log(`making a database in ${dataDir}`);
    await initialise(places, binaries, account);
  }
  await giveTo(places, account);
  await checkVersion(places, binaries, account);
  const env = serverEnvironment(binaries);
  return { ...account, pgdata, postgres: binaries.postgres, env, settings: serverSettings() };
}
