import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replaceFolder, writePage } from '../../store/system/output_path.ts';
import { openFolder, pipeline } from './fixture.ts';

let folder: string;
beforeAll(() => {
  folder = openFolder();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const THESIS = 'five years of work';

/** A folder with somebody's file. */
function somebodys(name: string): { dir: string; file: string } {
  const dir = join(folder, name);
  mkdirSync(dir);
  const file = join(dir, 'thesis.txt');
  writeFileSync(file, THESIS);
  return { dir, file };
}

const sample = (out: string) => pipeline(['sample', '--out', out, '--properties', '100']);

it('init in a folder that may not be written to names --out before it looks at a file', () => {
  const dir = join(folder, 'readonly');
  mkdirSync(dir);
  writeFileSync(join(dir, 'a.csv'), 'a,b\n1,2\n');
  chmodSync(dir, 0o555);
  const user = process.getuid!() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const { status, stderr } = spawnSync(
    process.execPath,
    ['cli/start.mjs', 'init', dir, '--out', join(dir, 'pipeline.yaml')],
    { encoding: 'utf8', ...user },
  );
  expect(status).not.toBe(0);
  expect(stderr).toMatch(/^error path_denied: .*pipeline\.yaml cannot be written: .* --out/);
});

describe('sample --out', () => {
  it('refuses a folder with the files of somebody else, and leaves them', async () => {
    const { dir, file } = somebodys('university');
    const { code, stderr } = await sample(dir);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /error output_not_ours: .*university is not empty and was not made by this program/,
    );
    expect(readFileSync(file, 'utf8')).toBe(THESIS);
    expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([]);
  });

  it('refuses a file, a link and a folder that cannot be made, each with its code', async () => {
    const { dir, file } = somebodys('linked');
    const link = join(folder, 'link');
    symlinkSync(dir, link);
    for (const out of [file, link]) {
      const { code, stderr } = await sample(out);
      expect([out, code]).toEqual([out, 2]);
      expect(stderr).toContain('error output_not_ours: ');
    }
    const below = await sample(join(file, 'below'));
    expect(below.code).toBe(1);
    expect(below.stderr).toContain('error path_missing: ');
    const empty = await sample('');
    expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('--out is empty')]);
    expect(readFileSync(file, 'utf8')).toBe(THESIS);
  });

  it('replaces a sample of its own, and not one with a foreign or changed file in it', async () => {
    const out = join(folder, 'country');
    expect((await sample(out)).code).toBe(0);
    expect((await sample(out)).code).toBe(0);
    const config = readFileSync(join(out, 'config.yaml'), 'utf8');
    const foreign = join(out, 'gnaf', 'notes.txt');
    writeFileSync(foreign, THESIS);
    const beside = await sample(out);
    expect([beside.code, beside.stderr]).toEqual([2, expect.stringContaining('notes.txt was not made by')]);
    rmSync(foreign);
    writeFileSync(join(out, 'config.yaml'), `${config}# mine\n`);
    const changed = await sample(out);
    expect([changed.code, changed.stderr]).toEqual([2, expect.stringContaining('config.yaml was changed')]);
    expect(readFileSync(join(out, 'config.yaml'), 'utf8')).toContain('# mine');
  });
});

describe('replaceFolder', () => {
  it('keeps the earlier folder if the new one fails, and leaves no temporary files', async () => {
    const out = join(folder, 'made');
    await replaceFolder(out, async (dir) => writeFileSync(join(dir, 'one'), '1'));
    const failing = replaceFolder(out, async (dir) => {
      writeFileSync(join(dir, 'two'), '2');
      throw new Error('half way');
    });
    await expect(failing).rejects.toThrow('half way');
    expect(readFileSync(join(out, 'one'), 'utf8')).toBe('1');
    expect(readdirSync(folder).filter((name) => name.startsWith('made'))).toEqual(['made']);
  });

  it('does not replace a folder that appeared meanwhile', async () => {
    const out = join(folder, 'raced');
    const late = replaceFolder(out, async () => {
      mkdirSync(out);
      writeFileSync(join(out, 'thesis.txt'), THESIS);
    });
    await expect(late).rejects.toMatchObject({ code: 'output_not_ours' });
    expect(readFileSync(join(out, 'thesis.txt'), 'utf8')).toBe(THESIS);
  });
});

describe('a page', () => {
  const PAGE = '<!doctype html>\n<html></html>\n';

  it('replaces an earlier page, and nothing else', async () => {
    const own = join(folder, 'page.html');
    await writePage(own, PAGE);
    await writePage(own, PAGE);
    const { file, dir } = somebodys('pages');
    const link = join(dir, 'link.html');
    symlinkSync(own, link);
    for (const path of [file, dir, link, '/dev/null'])
      await expect(writePage(path, PAGE)).rejects.toMatchObject({ code: 'output_not_ours' });
    expect(readFileSync(file, 'utf8')).toBe(THESIS);
    expect(readdirSync(dir).sort()).toEqual(['link.html', 'thesis.txt']);
  });

  it('is refused before anything is computed', async () => {
    const { file } = somebodys('early');
    for (const args of [
      ['report', '--html', file],
      ['evaluate', '--report', file],
    ]) {
      const { code, stderr } = await pipeline([...args, '--data-dir', join(folder, 'never')]);
      expect([args[0], code, stderr]).toEqual([args[0], 2, expect.stringContaining('output_not_ours')]);
    }
    expect(existsSync(join(folder, 'never'))).toBe(false);
  });

  it('says what is wrong with its folder', async () => {
    await expect(writePage(join(folder, 'nowhere', 'page.html'), PAGE)).rejects.toMatchObject({
      code: 'path_missing',
      message: expect.stringContaining('nowhere'),
    });
  });
});

describe('--data-dir', () => {
  it('refuses a folder with foreign files, an empty path and a device', async () => {
    const { dir, file } = somebodys('home');
    mkdirSync(join(dir, 'postgres'));
    writeFileSync(join(dir, 'postgres', 'notes'), THESIS);
    const among = await pipeline(['status', '--data-dir', dir]);
    expect([among.code, among.stderr]).toEqual([2, expect.stringContaining('error output_not_ours: ')]);
    expect(readdirSync(join(dir, 'postgres'))).toEqual(['notes']);
    expect(statSync(file).isFile()).toBe(true);
    const empty = await pipeline(['status', '--data-dir', '']);
    expect([empty.code, empty.stderr]).toEqual([
      2,
      expect.stringContaining('data_dir (flag --data-dir): is empty'),
    ]);
    const device = await pipeline(['status', '--data-dir', '/dev/null']);
    expect([device.code, device.stderr]).toEqual([
      1,
      expect.stringContaining('error embedded_data_folder: '),
    ]);
  });
});
