import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '../source_tree.ts';

const run = promisify(execFile);

let root: string;

/** Runs plain JavaScript as a process of its own. */
async function script(text: string): Promise<{ stdout: string; stderr: string }> {
  return run(process.execPath, ['--input-type=module', '-e', text], { cwd: root });
}

/** What `bundleOf` answers for the small program in `root`. */
async function bundle(): Promise<string | null> {
  const { stdout } = await script(`
    import { bundleOf } from ${JSON.stringify(pathToFileURL(`${ROOT}loader/bundle.mjs`).href)};
    const sources = { root: ${JSON.stringify(root)}, folders: ['app'], entries: ['app/main.ts'] };
    console.log(JSON.stringify(await bundleOf(sources)));`);
  return JSON.parse(stdout) as string | null;
}

const start = async (folder: string | null): Promise<string> =>
  (
    await run(process.execPath, ['--enable-source-maps', join(folder!, 'app/main.mjs')]).catch(
      (error: { stderr: string }) => ({ stdout: error.stderr }),
    )
  ).stdout;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'bundle-')));
  mkdirSync(join(root, 'app'));
  writeFileSync(join(root, 'package.json'), '{"type":"module"}');
  writeFileSync(join(root, 'app/main.ts'), "import { word } from './word.ts';\nconsole.log(word);\n");
  writeFileSync(join(root, 'app/word.ts'), "export const word: string = 'one';\n");
  return () => rmSync(root, { recursive: true });
});

describe('the bundle of the program', () => {
  it('changes with the sources, and is the same for the same sources', async () => {
    const first = await bundle();
    expect(await start(first)).toBe('one\n');
    expect(await bundle()).toBe(first);
    writeFileSync(join(root, 'app/word.ts'), "export const word: string = 'two';\n");
    const second = await bundle();
    expect(second).not.toBe(first);
    expect(await start(second)).toBe('two\n');
    writeFileSync(join(root, 'app/word.ts'), "export const word: string = 'one';\n");
    expect(await bundle()).toBe(first);
  });

  it('is the same for all threads of a process, even if the sources change', async () => {
    const { stdout } = await script(`
      import { writeFileSync } from 'node:fs';
      import { Worker } from 'node:worker_threads';
      import { bundleOf } from ${JSON.stringify(pathToFileURL(`${ROOT}loader/bundle.mjs`).href)};
      const sources = { root: ${JSON.stringify(root)}, folders: ['app'], entries: ['app/main.ts'] };
      const bundle = await bundleOf(sources);
      writeFileSync('app/word.ts', "export const word: string = 'two';");
      const thread = new Worker(new URL('data:text/javascript,' + encodeURIComponent(\`
        import { parentPort, workerData } from 'node:worker_threads';
        const { bundleOf } = await import(workerData.loader);
        parentPort.postMessage(await bundleOf(workerData.sources));\`)),
        { workerData: { sources, loader: ${JSON.stringify(pathToFileURL(`${ROOT}loader/bundle.mjs`).href)} } });
      const inThread = await new Promise((resolve) => thread.once('message', resolve));
      console.log(JSON.stringify([bundle, inThread]));`);
    const [ofProcess, ofThread] = JSON.parse(stdout) as [string, string];
    expect(ofThread).toBe(ofProcess);
    expect(await start(ofThread)).toBe('one\n');
    expect(await bundle()).not.toBe(ofThread);
  });

  it('is built once if several processes start together, without partial files', async () => {
    const made = await Promise.all([bundle(), bundle(), bundle()]);
    expect(new Set(made).size).toBe(1);
    expect(await start(made[0]!)).toBe('one\n');
    expect(readdirSync(join(root, 'node_modules/.cache/program'))).toHaveLength(1);
  });

  it('keeps only five versions', async () => {
    for (const word of 'abcdefg') {
      writeFileSync(join(root, 'app/word.ts'), `export const word = '${word}';\n`);
      expect(await start(await bundle())).toBe(`${word}\n`);
    }
    expect(readdirSync(join(root, 'node_modules/.cache/program'))).toHaveLength(5);
  });

  it('lets a module resolve paths relative to its own file', async () => {
    writeFileSync(
      join(root, 'app/word.ts'),
      "export const word = new URL('beside.txt', import.meta.url).href;\n",
    );
    expect(await start(await bundle())).toBe(`${pathToFileURL(join(root, 'app/beside.txt')).href}\n`);
  });

  it('names the sources in stack traces', async () => {
    writeFileSync(join(root, 'app/word.ts'), "\n\nthrow new Error('wrong');\nexport const word = 1;\n");
    expect(await start(await bundle())).toContain('app/word.ts:3:7');
  });

  it('is null if its folder is not writable, or a source does not parse', async () => {
    writeFileSync(join(root, 'node_modules'), '');
    expect(await bundle()).toBeNull();
    rmSync(join(root, 'node_modules'));
    writeFileSync(join(root, 'app/word.ts'), 'export const = 1;\n');
    expect(await bundle()).toBeNull();
    expect(existsSync(join(root, 'node_modules/.cache/program'))).toBe(true);
    expect(readdirSync(join(root, 'node_modules/.cache/program'))).toEqual([]);
  });
});
