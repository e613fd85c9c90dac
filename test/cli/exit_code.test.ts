import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConfigLine } from '../../cli/commands/doctor.ts';
import type { Check } from '../../pipelines/doctor/doctor.ts';
import { ROOT } from '../source_tree.ts';
import { openFolder, pipeline, tinyGnaf, writeConfig } from './fixture.ts';

let folder: string;
let dataDir: string;
let zip: string;

beforeAll(async () => {
  folder = openFolder();
  dataDir = join(folder, 'data');
  zip = await tinyGnaf(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const gnaf = (path: string): object => ({ datasets: { gnaf: { adapter: 'gnaf', path } } });

const report = (stdout: string): { config: ConfigLine[]; checks: Check[] } => JSON.parse(stdout);

describe('usage', () => {
  it.each([
    ['an unknown command', ['refesh'], /unknown command 'refesh'/],
    ['an unknown flag', ['refresh', '--workrs', '2'], /unknown option '--workrs'/],
    ['an unknown key', ['status', '--set', 'wrkers=1'], /config_unknown_key: .*Did you mean workers\?/],
    ['no datasets', ['refresh'], /config_no_datasets: .*--config/],
  ])('%s is exit code 2', async (_name, args, message) => {
    const { code, stdout, stderr } = await pipeline(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });

  it('is 0 for the version, which is that of the package', async () => {
    const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { version: string };
    expect(await pipeline(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('is one JSON object on standard output for machines', async () => {
    const { code, stdout } = await pipeline(['refresh', '--json', '--config', join(folder, 'none.yaml')]);
    expect(code).toBe(2);
    expect(JSON.parse(stdout).error).toMatchObject({
      code: 'config_missing',
      message: expect.stringContaining(join(folder, 'none.yaml')),
    });
  });
});

describe('refresh', () => {
  it('exits with 2 for an unknown adapter, option or gate, and records no run', async () => {
    const config = writeConfig(folder, 'adapter.yaml', {
      datasets: { gnaf: { adapter: 'gnav', path: zip } },
    });
    const run = ['refresh', '--config', config, '--data-dir', dataDir];
    const wrong = await pipeline(run);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('error unknown_adapter: Unknown adapter "gnav"');
    const options = { datasets: { gnaf: { adapter: 'gnaf', path: zip, options: { stats: ['VIC'] } } } };
    const option = await pipeline([...run, '--config', writeConfig(folder, 'option.yaml', options)]);
    expect([option.code, option.stderr]).toEqual([
      2,
      expect.stringContaining('error bad_option: dataset gnaf'),
    ]);
    const { stdout } = await pipeline([
      'status',
      '--runs',
      '--json',
      '--config',
      config,
      '--data-dir',
      dataDir,
    ]);
    expect(JSON.parse(stdout)).toEqual([]);
    const gate = await pipeline([
      'publish',
      ...run.slice(1),
      '--accept',
      'row:property',
      '--reason',
      'known',
    ]);
    expect(gate.code).toBe(2);
    expect(gate.stderr).toContain(
      '--accept row:property: no gate has that name. Did you mean rows:property?',
    );
  });

  it('fails with 1 and names the path of a file that is missing', async () => {
    const missing = join(folder, 'nowhere.zip');
    const config = writeConfig(folder, 'missing.yaml', gnaf(missing));
    const { code, stdout } = await pipeline(['refresh', '--config', config, '--data-dir', dataDir]);
    expect(code).toBe(1);
    expect(stdout).toContain('error missing_file: ');
    expect(stdout).toContain(missing);
  });

  it('exits with 1 if no server answers, and shows no password', async () => {
    const config = writeConfig(folder, 'refused.yaml', gnaf(zip));
    const env = { DATABASE_URL: 'postgresql://me:hunter2@127.0.0.1:1/homes' };
    const { code, stdout, stderr } = await pipeline(['refresh', '--config', config], env);
    expect(code).toBe(1);
    expect(stderr).toMatch(/error database_unreachable: .*ECONNREFUSED/);
    expect(stdout + stderr).not.toMatch(/hunter2|\n\s+at /);
  });
});

describe('doctor', () => {
  it('is 0 for a release that can be loaded, with an embedded server of its own', async () => {
    const config = writeConfig(folder, 'good.yaml', gnaf(zip));
    const asked = ['doctor', '--config', config, '--data-dir', dataDir];
    const { code, stdout } = await pipeline([...asked, '--verbose']);
    expect(stdout).toMatch(/data_dir +\S+ +flag --data-dir/);
    expect(stdout).toMatch(/pass +connection +The embedded PostgreSQL \d+/);
    expect(stdout).toMatch(/pass +dataset gnaf: release +release NOVEMBER 2025; CRS EPSG:7844/);
    expect(stdout).toMatch(/0 failed\n$/);
    expect(code).toBe(0);
    // In short it fits a screen: what is set, what is wrong, and counts.
    const brief = await pipeline(asked);
    expect(brief.stdout).toMatch(/data_dir +\S+ +flag --data-dir/);
    expect(brief.stdout).toMatch(/\d+ more settings: --verbose/);
    expect(brief.stdout).toMatch(/\n[1-9]\d* passed, \d+ warned, 0 failed\n$/);
    expect(brief.stdout.split('\n').length).toBeLessThanOrEqual(24);
  });

  it('is 1 for broken datasets, checks the others all the same, and shows no secret', async () => {
    const broken = join(folder, 'broken.zip');
    writeFileSync(broken, 'PK\u0003\u0004 cut off');
    const config = writeConfig(folder, 'broken.yaml', {
      datasets: {
        broken: { adapter: 'gnaf', path: broken },
        good: { adapter: 'gnaf', path: zip },
        gone: { adapter: 'asgs', path: 'gone/*.shp' },
        odd: { adapter: 'gnf', path: zip },
        optional: { adapter: 'gnaf', path: zip, options: { token: 'hunter2' } },
        private: { adapter: 'gnaf', path: zip, licence: 'Secret terms' },
      },
    });
    const env = { DATABASE_URL: 'postgresql://me:hunter2@127.0.0.1:1/homes' };
    const { code, stdout, stderr } = await pipeline(['doctor', '--json', '--config', config], env);
    expect(code).toBe(1);
    expect(stdout + stderr).not.toContain('hunter2');
    const { config: lines, checks } = report(stdout);
    expect(lines).toContainEqual({
      path: 'database.url',
      value: 'postgresql://me:***@127.0.0.1:1/homes',
      origin: 'environment DATABASE_URL',
    });
    const found = Object.fromEntries(checks.map((each) => [each.check, each]));
    const failed = checks.filter((each) => each.status === 'fail').map((each) => each.check);
    expect(failed).toEqual([
      'connection',
      'dataset broken: release',
      'dataset gone: files',
      'dataset odd: adapter',
      'dataset optional: release',
      'dataset private: licence',
    ]);
    expect(found['dataset broken: release']?.message).toContain('broken.zip');
    expect(found['dataset gone: files']?.message).toContain(join(folder, 'gone/*.shp'));
    expect(found['dataset odd: adapter']?.message).toContain('gnaf, asgs');
    expect(found['dataset private: licence']?.message).toContain('accept_licence: "Secret terms"');
    expect(found['dataset good: release']?.message).toContain('1 part: VIC');
  });
});
