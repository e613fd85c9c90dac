// Starts parts of the program from plain JavaScript: a process, or a worker thread.
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundleOf } from './bundle.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const FOLDERS = [
  'cli',
  'contract',
  'jobs',
  'ops',
  'pipelines',
  'schema',
  'service',
  'sources',
  'store',
  'tools/sample',
  'transforms',
];

/** Modules that a process or a thread starts with. */
const ENTRIES = [
  'cli/main.ts',
  'pipelines/tasks/task_thread.ts',
  'pipelines/evaluate/forest_thread.ts',
  'sources/formats/table/parquet_process.ts',
];

/** Folder of the bundle of the program, or null; threads that start later have the same without looking for it. */
export const programBundle = () => bundleOf({ root: ROOT, folders: FOLDERS, entries: ENTRIES });

/**
 * Imports one of ENTRIES from the bundle of the program, which takes a fourth of the CPU time of importing file by file; where there
 * can be no bundle, file by file through tsx. Stack traces name the sources either way.
 * @param {string} entry path from the root
 */
export async function importProgram(entry) {
  const bundle = ENTRIES.includes(entry) ? await programBundle() : null;
  if (bundle !== null) {
    process.setSourceMapsEnabled(true);
    await import(pathToFileURL(join(bundle, entry.replace(/\.ts$/, '.mjs'))).href);
    return;
  }
  const { register } = await import('tsx/esm/api');
  register();
  await import(new URL(`../${entry}`, import.meta.url).href);
}
