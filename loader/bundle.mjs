// One bundle of all TypeScript of the program, made by esbuild when a process starts and finds none of the sources as they are.
import { createHash, randomUUID } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

/** Bundles that are kept, so that a process that began before a change can still import the rest of its program. */
const KEPT = 5;

/**
 * What a bundle is made of.
 * @typedef {object} Sources
 * @property {string} root folder of the repository
 * @property {readonly string[]} folders those of the root that hold the program's modules
 * @property {readonly string[]} entries modules that are imported by name, as paths from the root
 */

/** @param {string} folder @returns {string[]} sorted paths of the modules and the JSON in it, from the folder */
function listed(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((path) => /^[^.].*\.(ts|json)$/.test(basename(path)))
    .sort();
}

/** Name of the bundle: a digest of everything that decides what is in it. The packages that it imports stay outside. */
function nameOf({ root, folders, entries }, files) {
  const hash = createHash('sha256').update(JSON.stringify([root, folders, entries]));
  hash.update(readFileSync(new URL(import.meta.url)));
  hash.update(readFileSync(join(root, 'package.json')));
  for (const [path, text] of files) hash.update(`\0${path}\0${text.length}\0`).update(text);
  return hash.digest('hex').slice(0, 32);
}

/** A module finds the files beside it by its own address, which is not that of the bundle. */
function ownAddresses(files) {
  return {
    name: 'own addresses',
    setup: (build) =>
      build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const text = files.get(path);
        if (!text?.includes('import.meta.url')) return undefined;
        const address = JSON.stringify(pathToFileURL(path).href);
        return { contents: text.toString().replaceAll('import.meta.url', address), loader: 'ts' };
      }),
  };
}

async function make({ root, entries }, files, folder) {
  const { build, stop } = await import('esbuild');
  try {
    await build({
      absWorkingDir: root,
      entryPoints: [...entries],
      outdir: folder,
      outbase: root,
      outExtension: { '.js': '.mjs' },
      plugins: [ownAddresses(files)],
      bundle: true,
      splitting: true,
      packages: 'external',
      format: 'esm',
      platform: 'node',
      target: 'node20',
      sourcemap: 'linked',
      sourcesContent: false,
      logLevel: 'silent',
    });
  } finally {
    await stop();
  }
}

function removeOldest(cache) {
  const aged = readdirSync(cache).map((name) => ({ name, time: statSync(join(cache, name)).mtimeMs }));
  for (const { name } of aged.sort((a, b) => b.time - a.time).slice(KEPT)) {
    rmSync(join(cache, name), { recursive: true, force: true });
  }
}

function isReadable(file) {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch (_) {
    return false;
  }
}

/** Contents of all sources by path. */
function read({ root, folders }) {
  const files = new Map();
  for (const folder of folders.map((each) => join(root, each))) {
    for (const path of listed(folder)) files.set(join(folder, path), readFileSync(join(folder, path)));
  }
  return files;
}

/** Makes a bundle, which appears as a whole: several processes may be at it. */
async function add(sources, files, bundle) {
  const cache = dirname(bundle);
  const folder = join(cache, `new-${randomUUID()}`);
  mkdirSync(folder, { recursive: true });
  try {
    await make(sources, files, folder);
    renameSync(folder, bundle);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  removeOldest(cache);
}

/** Folder of the bundle of the sources as they are, or null. */
async function currentBundle(sources) {
  const { root, entries } = sources;
  const files = read(sources);
  const bundle = join(root, 'node_modules', '.cache', 'program', nameOf(sources, files));
  const entry = join(bundle, entries[0].replace(/\.ts$/, '.mjs'));
  if (isReadable(entry)) return bundle;
  try {
    await add(sources, files, bundle);
  } catch (_) {
    // Not writable, or made by another process meanwhile. An error in a source is reported when it is imported by itself.
  }
  return isReadable(entry) ? bundle : null;
}

/**
 * Folder of the bundle of the sources as they are; it is made where there is none. An entry `a/b.ts` is `a/b.mjs` in it. A thread has that
 * of the thread that started it, so that a process runs one program also where the sources are replaced meanwhile.
 * @param {Sources} sources
 * @returns {Promise<string | null>} null where it can be neither read nor made, as in a read-only installation
 */
export async function bundleOf(sources) {
  const key = `bundle of ${sources.root}`;
  const known = getEnvironmentData(key);
  if (known !== undefined && existsSync(known)) return known;
  const bundle = await currentBundle(sources);
  if (bundle !== null) setEnvironmentData(key, bundle);
  return bundle;
}
