import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { locateNative } from '../../../store/embedded/binaries.ts';
import { startEmbedded } from '../../../store/embedded/server.ts';
import { freshFolder, processesGone, queryOne, removeFolder, startHolder } from './holding.ts';

const isRoot = process.getuid?.() === 0;
const asNobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
const asNumber = ['setpriv', '--reuid=54321', '--regid=54321', '--clear-groups'];
const canSwitch =
  isRoot && spawnSync(asNobody[0]!, [...asNobody.slice(1), 'test', '-r', locateNative()]).status === 0;
const hasNamespaces =
  spawnSync('unshare', ['--user', '--map-user=65534', '--map-group=65534', 'true']).status === 0;
if (!canSwitch) console.warn('not root, or programs out of reach: the tests that change users are left out');

const roots: string[] = [];
let folder: string;

beforeEach(() => {
  folder = freshFolder();
  roots.push(folder);
});

afterEach(async () => {
  for (const root of roots.splice(0)) await removeFolder(root);
});

/** A copy of the programs as an installation without scripts leaves them: without library links. */
function copyOfPrograms(parent: string): string {
  const native = join(parent, 'package/native');
  cpSync(locateNative(), native, { recursive: true, verbatimSymlinks: true });
  for (const entry of readdirSync(join(native, 'lib'), { withFileTypes: true })) {
    if (entry.isSymbolicLink()) rmSync(join(native, 'lib', entry.name));
  }
  return native;
}

async function works(dataDir: string, nativeDir?: string): Promise<void> {
  const server = await startEmbedded({ dataDir, ...(nativeDir ? { nativeDir } : {}) });
  expect(await queryOne(server.connectionString, 'select 1')).toBe(1);
  await server.release();
  await processesGone(folder);
}

describe('programs', () => {
  it('are unavailable for a platform without a package', () => {
    expect(() => locateNative('aix', 'ppc64')).toThrow(/DATABASE_URL/);
  });

  it('are unavailable when the package is incomplete', async () => {
    await expect(startEmbedded({ dataDir: folder, nativeDir: folder })).rejects.toMatchObject({
      code: 'embedded_unavailable',
    });
  });

  it('get their library links when installed without scripts', async () => {
    const native = copyOfPrograms(folder);
    await works(join(folder, 'data'), native);
    expect(readdirSync(join(native, 'lib')).some((name) => name === 'libpq.so.5')).toBe(true);
    expect(existsSync(join(folder, 'data/lib'))).toBe(false);
  });

  it.runIf(canSwitch)('run from a package that cannot be written', async () => {
    const native = copyOfPrograms(folder);
    const dataDir = join(folder, 'data');
    mkdirSync(dataDir);
    chownSync(dataDir, 65534, 65534);
    const holder = await startHolder([dataDir, native], {
      prefix: asNobody,
      env: { ...process.env, HOME: folder },
    });
    expect(holder.line).toMatch(/^ready/);
    expect(existsSync(join(dataDir, 'lib/libpq.so.5'))).toBe(true);
    await holder.release();
    await processesGone(folder);
  });
});

describe.runIf(canSwitch)('root', () => {
  it('runs the server as nobody', async () => {
    await works(folder);
    expect(statSync(join(folder, 'cluster/pgdata')).uid).toBe(65534);
  });

  it.runIf(hasNamespaces)('runs the server below a folder that only root can enter', async () => {
    const home = join(folder, 'home');
    mkdirSync(home, { mode: 0o700 });
    const dataDir = join(home, 'data');
    await works(dataDir, copyOfPrograms(home));
    expect(statSync(join(dataDir, 'cluster/pgdata')).uid).toBe(0);
    // The same data where everyone can enter, and back.
    chmodSync(home, 0o755);
    await works(dataDir);
    expect(statSync(join(dataDir, 'cluster/pgdata')).uid).toBe(65534);
    chmodSync(home, 0o700);
    await works(dataDir);
    expect(statSync(join(dataDir, 'cluster/pgdata')).uid).toBe(0);
  });

  it('gets an error with a remedy if no other account can reach the data', async () => {
    const home = join(folder, 'home');
    mkdirSync(home, { mode: 0o700 });
    const holder = await startHolder([join(home, 'data')], { env: { ...process.env, PATH: folder } });
    expect(holder.line).toMatch(/^error embedded_postgres_root .*normal user.*DATABASE_URL/);
    await processesGone(folder);
  });
});

describe.runIf(canSwitch)('a normal user', () => {
  it.each([
    ['with a name', asNobody, 65534, true],
    ['without a name', asNumber, 54321, hasNamespaces],
  ])('%s runs the server, which root can use too', async (_, prefix, uid, possible) => {
    if (!possible) return;
    chownSync(folder, uid, uid);
    const env = { ...process.env, HOME: folder };
    const first = await startHolder([folder], { prefix, env });
    expect(first.line).toMatch(/^ready/);
    const joined = await startEmbedded({ dataDir: folder });
    expect(joined.connectionString).toBe(first.connectionString);
    await joined.release();
    await first.release();
    expect(statSync(join(folder, 'cluster/pgdata')).uid).toBe(uid);
    if (uid === 65534) {
      await works(folder);
      const again = await startHolder([folder], { prefix, env });
      expect(again.line).toMatch(/^ready/);
      await again.release();
    }
    await processesGone(folder);
  });

  it('gets an error if another user owns the data', async () => {
    await works(folder);
    const holder = await startHolder([folder], {
      prefix: asNumber,
      env: { ...process.env, HOME: dirname(folder) },
    });
    expect(holder.line).toMatch(/^error embedded_data_folder .*owner/);
  });
});

describe.runIf(isRoot)('a full disk', () => {
  it('is reported before and after the data is made', async ({ skip }) => {
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    const mount = (size: string) =>
      spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=755`, 'tmpfs', disk]).status === 0;
    if (!mount('40m')) return skip('cannot mount a small disk');
    try {
      const start = () => startEmbedded({ dataDir: join(disk, 'data') });
      await expect(start()).rejects.toMatchObject({ code: 'disk_full' });
      execFileSync('mount', ['-o', 'remount,size=300m', disk]);
      await start().then((server) => server.release());
      spawnSync('dd', ['if=/dev/zero', `of=${join(disk, 'fill')}`, 'bs=1M']);
      await expect(start()).rejects.toMatchObject({ code: 'disk_full' });
      rmSync(join(disk, 'fill'));
      await start().then((server) => server.release());
    } finally {
      await processesGone(folder);
      execFileSync('umount', [disk]);
    }
  });
});
