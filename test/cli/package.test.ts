import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { typed } from '../../schema/command_line.ts';
import { createDatabase, type TestDatabase } from '../database.ts';
import { WAIT_MS } from '../waiting.ts';
import { type Outcome, openFolder, tinyGnaf } from './fixture.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const NAME = 'property-data-pipeline';

/** What `npm install` of the packed file makes, with the packages of the checkout in place of the registry's: none but those that it asks for. */
function install(folder: string): void {
  const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, JSON.parse(packed)[0].filename), '-C', modules]);
  execFileSync('mv', [join(modules, 'package'), join(modules, NAME)]);
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const present = new Set(readdirSync(join(ROOT, 'node_modules')));
  for (const [path, { dev }] of Object.entries<{ dev?: boolean }>(packages)) {
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1];
    if (name === undefined || dev === true || !present.has(name.split('/')[0]!)) continue;
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(ROOT, path), join(modules, name));
  }
  const { bin } = JSON.parse(readFileSync(join(modules, NAME, 'package.json'), 'utf8'));
  symlinkSync(join('..', NAME, bin.pipeline), join(modules, '.bin', 'pipeline'));
}

let folder: string;
let database: TestDatabase;
beforeAll(async () => {
  folder = openFolder();
  database = await createDatabase();
  install(folder);
});
afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the command as npm links it, in the folder that it is installed in. */
const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> =>
  new Promise((resolve) => {
    const child = execFile(
      join(folder, 'node_modules/.bin/pipeline'),
      args,
      { cwd: folder, env: { PATH: process.env.PATH, DATABASE_URL: database.url, ...env }, timeout: WAIT_MS },
      (_error, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }),
    );
  });

describe('the package that npm packs', () => {
  it('suggests commands that work in an installed package', async () => {
    writeFileSync(
      join(folder, 'fetched.yaml'),
      'datasets:\n  gnaf: { adapter: gnaf, path: fetched, fetch: { url: "https://data.gov.au/gnaf.zip" } }\n',
    );
    const args = ['refresh', '--config', 'fetched.yaml'];
    const { code, stdout } = await run(args, { npm_command: 'exec' });
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining('none are fetched: run npx pipeline fetch gnaf.'),
    ]);
    const path = process.argv[1];
    process.argv[1] = '/usr/local/bin/pipeline';
    try {
      expect(typed('status')).toBe(
        process.env.npm_command === 'exec' ? 'npx pipeline status' : 'pipeline status',
      );
    } finally {
      process.argv[1] = path!;
    }
    expect(typed('status')).toBe('npx pipeline status');
  });

  it('brings a command that refreshes with the configuration and the data of the folder it is called in', async () => {
    await tinyGnaf(folder);
    writeFileSync(join(folder, 'pipeline.yaml'), 'datasets:\n  gnaf: { adapter: gnaf, path: g-naf*.zip }\n');
    const refreshed = await run(['refresh', '--workers', '1', '--json']);
    expect([refreshed.stderr, refreshed.code]).toEqual([expect.any(String), 0]);
    expect(JSON.parse(refreshed.stdout)).toMatchObject({ state: 'published', publication: 1 });
    // Compiled once, into the package; nothing else is written there.
    expect(readdirSync(join(folder, 'node_modules', NAME, 'node_modules'))).toEqual(['.cache']);
  });

  it('holds neither tests nor what only a checkout needs', () => {
    const top = readdirSync(join(folder, 'node_modules', NAME));
    expect(top).toEqual(expect.arrayContaining(['cli', 'config', 'loader', 'README.md', 'LICENSE']));
    for (const name of ['test', '.ci', '.data', 'tsconfig.json']) expect(top).not.toContain(name);
    expect(readdirSync(join(folder, 'node_modules', NAME, 'tools'))).toEqual(['sample']);
  });
});
