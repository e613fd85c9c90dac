import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findFiles } from '../../../store/loads/files.ts';
import { hasSharedData, sharedPath } from '../../shared_data.ts';

const FILES = new URL('../../../store/loads/files.ts', import.meta.url).href;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'files-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(...files: string[]): void {
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), file);
  }
}

const filesOf = async (...patterns: string[]): Promise<string[]> =>
  (await findFiles(patterns, folder)).map((path) => relative(folder, path));

it('a folder that may not be read is an error, and a system folder is passed over', async () => {
  write('a/1.csv', 'secret/2.csv', 'lost+found/3.csv');
  for (const name of ['secret', 'lost+found']) chmodSync(join(folder, name), 0o000);
  chmodSync(folder, 0o755);
  const script = `import { findFiles } from ${JSON.stringify(FILES)};
    for (const pattern of ['.', 'a/*.csv', '**/*.csv', '[al]*/*.csv'])
      console.log(await findFiles(pattern, process.argv[1]).then((files) => files.length, (error) => error.code + ' ' + error.message));`;
  const user = process.getuid!() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '-e', script, folder],
    { encoding: 'utf8', ...user },
  );
  const denied = `unreadable_file ${folder}/secret/ cannot be read: EACCES`;
  expect(stderr).toBe('');
  expect(stdout.trim().split('\n')).toEqual([
    expect.stringContaining(denied),
    '1',
    expect.stringContaining(denied),
    '1',
  ]);
  for (const name of ['secret', 'lost+found']) chmodSync(join(folder, name), 0o755);
});

describe('a folder whose name looks like a pattern', () => {
  it.each([
    ['Sales (1)', 'Sales 1'],
    ['Sales [2023-2024]', 'Sales 2'],
    ['Sales {a,b}', 'Sales a'],
    ['Sales +(x)', 'Sales x'],
    ['!Sales', 'Other'],
    ['Sales *', 'Sales b'],
    ['Sales ?', 'Sales c'],
    ['@(a|b)', 'a'],
    ['C:\\data', 'C:/data'],
    ['Sales \\(1)/[a]', 'Sales (1)/a'],
  ])('%s is read, and not %s', async (name, other) => {
    write(`${name}/a.csv`, `${name}/deep/b.csv`, `${other}/a.csv`);
    expect(await filesOf(`./${name}/*.csv`)).toEqual([`${name}/a.csv`]);
    expect(await filesOf(join(folder, name, '*.csv'))).toEqual([`${name}/a.csv`]);
    expect(await filesOf(`${name}/**/*.csv`)).toEqual([`${name}/a.csv`, `${name}/deep/b.csv`]);
    expect(await filesOf(name)).toEqual([`${name}/a.csv`, `${name}/deep/b.csv`]);
    expect(await filesOf(`${name}/a.csv`)).toEqual([`${name}/a.csv`]);
  });

  it('may be below a pattern, and may be escaped', async () => {
    write('x/Sales (1)/a.csv', 'y/Sales (1)/b.csv', 'x/Sales 1/c.csv');
    expect(await filesOf('*/Sales \\(1\\)/*.csv')).toEqual(['x/Sales (1)/a.csv', 'y/Sales (1)/b.csv']);
    expect(await filesOf('x/Sales \\(1\\)/*.csv')).toEqual(['x/Sales (1)/a.csv']);
  });

  it('reads brackets and braces as a pattern if no folder has that name', async () => {
    write('a/1.csv', 'b/2.csv', 'c/3.csv', 'c/!4.csv');
    expect(await filesOf('{a,b}/*.csv')).toEqual(['a/1.csv', 'b/2.csv']);
    expect(await filesOf('[bc]/*.csv')).toEqual(['b/2.csv', 'c/!4.csv', 'c/3.csv']);
    expect(await filesOf('c/!*.csv')).toEqual(['c/!4.csv']);
    expect(await filesOf('a/../b/*.csv')).toEqual(['b/2.csv']);
    await expect(filesOf('(d)/*.csv')).rejects.toMatchObject({ code: 'missing_file' });
  });
});

describe('a file with several paths is read once', () => {
  it('through a link to a folder or a file, and as a hard link', async () => {
    write('2025-11/a.csv', '2025-11/b.csv');
    symlinkSync('2025-11', join(folder, 'current'));
    symlinkSync('2025-11/a.csv', join(folder, 'latest.csv'));
    linkSync(join(folder, '2025-11/b.csv'), join(folder, 'same.csv'));
    expect(await filesOf('.')).toEqual(['2025-11/a.csv', '2025-11/b.csv']);
    expect(await filesOf('current', 'latest.csv')).toEqual(['current/a.csv', 'current/b.csv']);
    expect(await filesOf('current/*.csv', '2025-11/*.csv')).toEqual(['2025-11/a.csv', '2025-11/b.csv']);
  });

  it('but equal components of two shapefiles stay with both', async () => {
    write('a/a.shp', 'a/a.dbf', 'a/a.prj', 'b/b.shp', 'b/b.dbf');
    linkSync(join(folder, 'a/a.prj'), join(folder, 'b/b.prj'));
    for (const end of ['shp', 'dbf', 'prj'])
      linkSync(join(folder, `a/a.${end}`), join(folder, `b/copy.${end}`));
    expect(await filesOf('**/*.shp')).toEqual([
      'a/a.dbf',
      'a/a.prj',
      'a/a.shp',
      'b/b.dbf',
      'b/b.prj',
      'b/b.shp',
    ]);
  });

  it('and links in a circle, to a parent, or to nothing are skipped', async () => {
    write('data/a.csv', 'data/sub/b.csv', 'beside/c.csv', 'd.csv');
    symlinkSync('.', join(folder, 'data/self'));
    symlinkSync('..', join(folder, 'data/up'));
    symlinkSync('/', join(folder, 'data/sub/root'));
    symlinkSync('nowhere.csv', join(folder, 'data/gone.csv'));
    symlinkSync('../beside', join(folder, 'data/beside'));
    symlinkSync('../data', join(folder, 'beside/back'));
    expect(await filesOf('data')).toEqual(['data/a.csv', 'data/beside/c.csv', 'data/sub/b.csv']);
    expect(await filesOf('data/**/*.csv')).toEqual(['data/a.csv', 'data/beside/c.csv', 'data/sub/b.csv']);
  });
});

describe.skipIf(!hasSharedData('files.test.ts'))('folders of real cases', () => {
  it.each([
    ['path_parens_other', 'Sales (1)/*.csv', ['Sales (1)/a.csv', 'Sales (1)/b.csv']],
    ['path_range', 'Sales [2023-2024]/*.csv', ['Sales [2023-2024]/a.csv', 'Sales [2023-2024]/b.csv']],
    ['path_braces', 'Sales {a,b}/*.csv', ['Sales {a,b}/a.csv', 'Sales {a,b}/b.csv']],
    ['path_current_link_noid', 'data', ['data/2025-11/flood.geojsons']],
    ['path_loop', 'data', ['data/a.csv']],
  ])('%s', async (name, pattern, files) => {
    cpSync(sharedPath(`cases/${name}`), folder, { recursive: true });
    const links =
      name.includes('link') || name.includes('loop') ? readFileSync(join(folder, 'links.txt'), 'utf8') : '';
    for (const line of links.split('\n').filter((text) => text.includes(' -> '))) {
      const [link, target] = line.split(' -> ') as [string, string];
      symlinkSync(target, join(folder, link));
    }
    expect(await filesOf(pattern)).toEqual(files);
  });
});
