import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { EtlError } from '../../schema/errors.ts';
import { type Binaries, serverEnvironment } from './binaries.ts';

/** User that PostgreSQL's processes run as. */
export interface ServerUser {
  /** Command that starts a program under another user, or empty. */
  prefix: string[];
  /** User and group to change to; null: as this process. */
  uid: number | null;
  gid: number | null;
  /** Required owner of PostgreSQL's files, as seen from this process; null if this process is not root. */
  owner: number | null;
}

/** The user `nobody`, as a number because some systems lack the name. */
const NOBODY = 65534;
const OWN_NAMESPACE = ['unshare', '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--'];

/** Returns why an account cannot run PostgreSQL or reach the data folder; null: it can. */
function obstacle(account: ServerUser, binaries: Binaries, dataDir: string): string | null {
  const shell = ['/bin/sh', '-c', 'cd "$1" && exec "$2" --version', 'sh', dataDir, binaries.postgres];
  const [command, ...args] = [...account.prefix, ...shell];
  const result = spawnSync(command!, args, {
    cwd: '/',
    env: serverEnvironment(binaries),
    encoding: 'utf8',
    timeout: 20_000,
    ...(account.uid === null ? {} : { uid: account.uid, gid: account.gid ?? account.uid }),
  });
  if (result.error === undefined && result.status === 0) return null;
  return result.error?.message ?? `${result.stderr}`.trim().split('\n').slice(-2).join(' ');
}

function asUser(uid: number, gid: number): ServerUser {
  return { prefix: [], uid, gid, owner: uid };
}

/** Lists the accounts that root can use, best first: the owner of the data, nobody, the owner of the programs, a namespace. */
function accountsForRoot(binaries: Binaries, cluster: string): ServerUser[] {
  let owner = 0;
  let group = 0;
  try {
    ({ uid: owner, gid: group } = statSync(cluster));
  } catch {
    // There is no data yet, so any account will do.
  }
  const namespace: ServerUser = { prefix: OWN_NAMESPACE, uid: null, gid: null, owner: 0 };
  // Data of a normal user stays that user's.
  if (owner !== 0 && owner !== NOBODY) return [asUser(owner, group)];
  const accounts = [asUser(NOBODY, NOBODY)];
  const programs = statSync(binaries.postgres);
  if (programs.uid !== 0 && programs.uid !== NOBODY) accounts.push(asUser(programs.uid, programs.gid));
  accounts.push(namespace);
  return accounts;
}

function accountsForUser(): ServerUser[] {
  const ownUser: ServerUser = { prefix: [], uid: null, gid: null, owner: null };
  try {
    userInfo();
    return [ownUser];
  } catch {
    // PostgreSQL refuses a user without a name, as in a container started with an arbitrary user number.
    return [{ ...ownUser, prefix: OWN_NAMESPACE }, ownUser];
  }
}

/**
 * Chooses the account for PostgreSQL: the user's own. For root, whom PostgreSQL refuses, it is another account.
 * @throws EtlError embedded_postgres_root when root finds no usable account.
 * @throws EtlError embedded_unavailable when the programs do not run on this system.
 */
export function chooseAccount(binaries: Binaries, dataDir: string, cluster: string): ServerUser {
  const isRoot = process.getuid?.() === 0;
  const accounts = isRoot ? accountsForRoot(binaries, cluster) : accountsForUser();
  const reasons: string[] = [];
  for (const account of accounts) {
    const reason = obstacle(account, binaries, dataDir);
    if (reason === null) return account;
    reasons.push(reason);
  }
  const self = obstacle({ prefix: [], uid: null, gid: null, owner: null }, binaries, dataDir);
  if (self !== null) {
    throw new EtlError(
      'embedded_unavailable',
      `The embedded PostgreSQL in ${binaries.nativeDir} does not run on this system (${self}). ` +
        'Set DATABASE_URL to a PostgreSQL server of your own.',
      { details: { nativeDir: binaries.nativeDir, reason: self } },
    );
  }
  throw new EtlError(
    'embedded_postgres_root',
    `PostgreSQL does not run as root, and no other account can reach ${dataDir} and ${binaries.nativeDir} ` +
      `(${reasons.join('; ')}). Run the command as a normal user, or move both to a place that every user may ` +
      'enter, or set DATABASE_URL to a PostgreSQL server of your own.',
    { details: { dataDir, nativeDir: binaries.nativeDir, reasons } },
  );
}
