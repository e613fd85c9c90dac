import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

const REPO = fileURLToPath(new URL('../../../', import.meta.url));
/** Nothing listens there, so that a test that needs no registry proves it. */
const NO_REGISTRY = { npm_config_registry: 'http://127.0.0.1:9', npm_config_fetch_retries: '0' };
let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'setup test ')));
  cpSync(join(REPO, 'tools/scripts'), join(folder, 'tools/scripts'), { recursive: true });
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function setup(env: NodeJS.ProcessEnv = {}): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['tools/scripts/setup.mjs'], {
      cwd: folder,
      env: { ...process.env, ...NO_REGISTRY, npm_config_cache: join(folder, '.npm'), ...env },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
      });
    }
    child.on('close', (code) => resolve({ code, output }));
  });
}

function writeProject(dependencies: Record<string, string>, packages: Record<string, unknown> = {}): void {
  const project = { name: 'fresh', version: '1.0.0', dependencies };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(project));
  const lock = {
    name: 'fresh',
    version: '1.0.0',
    lockfileVersion: 3,
    packages: { '': project, ...packages },
  };
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
}

function writeProjectWithPackage(): void {
  cpSync(join(REPO, 'tools/scripts'), join(folder, 'local'), { recursive: true });
  writeFileSync(join(folder, 'local/package.json'), '{"name":"local","version":"1.0.0"}');
  writeProject(
    { local: 'file:local' },
    { local: { version: '1.0.0' }, 'node_modules/local': { resolved: 'local', link: true } },
  );
}

it('installs once, whoever comes first, and is silent afterwards', async () => {
  writeProjectWithPackage();
  const runs = await Promise.all([setup(), setup(), setup()]);
  expect(runs.map((run) => run.code)).toEqual([0, 0, 0]);
  expect(runs.filter((run) => run.output.includes('installing the dependencies'))).toHaveLength(1);
  expect(existsSync(join(folder, 'node_modules/local/setup.mjs'))).toBe(true);
  expect(await setup()).toEqual({ code: 0, output: '' });
});

it('writes through no link that another user planted in the temporary folder', async () => {
  writeProjectWithPackage();
  const shared = mkdtempSync(join(tmpdir(), 'shared-'));
  const victim = join(folder, 'victim');
  writeFileSync(victim, 'of root');
  // What such a user can guess: the folder by the path of the repository, the file by the number of the process.
  const key = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  const planted = join(shared, `setup-${process.getuid?.() ?? 0}-${key}`);
  mkdirSync(planted);
  for (let pid = process.pid; pid < process.pid + 3000; pid++)
    symlinkSync(victim, join(planted, String(pid)));
  const run = await setup({ TMPDIR: shared });
  expect(run.code).toBe(0);
  expect(readFileSync(victim, 'utf8')).toBe('of root');
  expect(existsSync(join(folder, '.setup'))).toBe(false);
  rmSync(shared, { recursive: true });
});

it('installs again when the lock file changes', async () => {
  writeProjectWithPackage();
  await setup();
  const stamp = readFileSync(join(folder, 'node_modules/.stamp'), 'utf8');
  writeFileSync(
    join(folder, 'package-lock.json'),
    `${readFileSync(join(folder, 'package-lock.json'), 'utf8')}\n`,
  );
  expect((await setup()).code).toBe(0);
  expect(readFileSync(join(folder, 'node_modules/.stamp'), 'utf8')).not.toBe(stamp);
});

it('needs no registry when the packages are there already', async () => {
  for (const name of ['package.json', 'package-lock.json']) cpSync(join(REPO, name), join(folder, name));
  const modules = join(REPO, 'node_modules');
  mkdirSync(join(folder, 'node_modules'));
  // Each package is a link of its own: an installation that begins after all removes links, not packages.
  for (const name of readdirSync(modules)) {
    const [from, to] = [join(modules, name), join(folder, 'node_modules', name)];
    if (['.package-lock.json', '.stamp'].includes(name)) cpSync(from, to);
    else symlinkSync(from, to);
  }
  expect(await setup()).toEqual({ code: 0, output: '' });
});

it('says what failed when the registry is out of reach', async () => {
  writeProject(
    { absent: '1.0.0' },
    {
      'node_modules/absent': {
        version: '1.0.0',
        resolved: 'http://127.0.0.1:9/absent/-/absent-1.0.0.tgz',
        integrity:
          'sha512-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==',
      },
    },
  );
  const run = await setup();
  expect(run.code).toBe(1);
  expect(run.output).toMatch(/npm failed with exit code \d+.*registry/s);
  expect(existsSync(join(folder, 'node_modules/.stamp'))).toBe(false);
});

it('refuses a clone without its lock file', async () => {
  const run = await setup();
  expect(run.code).toBe(1);
  expect(run.output).toContain('package-lock.json is missing');
});
