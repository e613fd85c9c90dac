import { randomBytes } from 'node:crypto';
import { constants, rmSync } from 'node:fs';
import {
  access,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { EtlError } from '../../schema/errors.ts';
import { systemError } from './system_error.ts';

/** Mark in every page of this program, so that a page never replaces any other file. */
const PAGE_MARK = '<!-- made by property-data-pipeline -->';
/** File that lists what this program wrote into a folder, so that nothing else is ever removed from it. */
const LISTING = '.made_by_property_data_pipeline.json';

/** A file with its size and time when it was written. */
interface WrittenFile {
  path: string;
  bytes: number;
  mtime_ms: number;
}

const notOurs = (path: string, why: string): EtlError =>
  new EtlError(
    'output_not_ours',
    `${path} ${why}, and is left as it is. Choose another path, or move away what is there.`,
    { details: { path } },
  );

const describedError = (error: unknown, path: string): unknown => systemError(error, path) ?? error;

/** Returns what exists at a path; null: nothing. Links are not followed. */
const at = (path: string) =>
  lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw describedError(error, path);
  });

/**
 * Checks that a page may be written to a path. @throws EtlError output_not_ours if the path holds anything but an empty file or a page of
 * this program
 */
export async function checkPage(target: string): Promise<void> {
  if (target.trim() === '') throw new EtlError('config_invalid', 'The file to write has no name.');
  const path = resolve(target);
  const existing = await at(path);
  if (existing === null || (existing.isFile() && existing.size === 0)) return;
  if (!existing.isFile()) throw notOurs(path, 'is no plain file');
  const file = await open(path, 'r').catch((error) => Promise.reject(describedError(error, path)));
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(200), 0, 200, 0);
    if (!buffer.subarray(0, bytesRead).includes(PAGE_MARK)) throw notOurs(path, 'is no page of this program');
  } finally {
    await file.close();
  }
}

/**
 * Writes an HTML page completely or not at all, and replaces only an earlier page of this program.
 * @throws EtlError output_not_ours, and the errors of systemError
 */
export async function writePage(target: string, html: string): Promise<void> {
  const path = resolve(target);
  await checkPage(path);
  const partial = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`);
  const page = html.replace(/^<!doctype html>/i, (doctype) => `${doctype}\n${PAGE_MARK}`);
  try {
    await writeFile(partial, page, { flag: 'wx' });
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw describedError(error, path);
  }
}

/**
 * Checks that a path is free and its folder may be written to.
 * @throws EtlError output_not_ours if anything exists there, path_denied, and the errors of systemError
 */
export async function checkNew(target: string): Promise<void> {
  if (target.trim() === '') throw new EtlError('config_invalid', 'The file to write has no name.');
  const path = resolve(target);
  if ((await at(path)) !== null) throw notOurs(path, 'is there already');
  await access(dirname(path), constants.W_OK).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES' && error.code !== 'EROFS') throw describedError(error, path);
    const message = `${path} cannot be written: this user may not write to its folder. Name another file with --out.`;
    throw new EtlError('path_denied', message, { details: { path }, cause: error });
  });
}

/** Writes a new file. @throws EtlError output_not_ours, and the errors of systemError */
export async function writeNew(target: string, text: string): Promise<void> {
  await checkNew(target);
  await writeFile(resolve(target), text, { flag: 'wx' }).catch((error) =>
    Promise.reject(describedError(error, resolve(target))),
  );
}

/** Lists every file in a folder as a relative path. @throws EtlError output_not_ours for anything but files and folders */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths: string[] = [];
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) continue;
    if (!entry.isFile()) throw notOurs(path, 'is neither a file nor a folder');
    paths.push(path.slice(folder.length + 1));
  }
  return paths;
}

async function describeFile(folder: string, path: string): Promise<WrittenFile> {
  const { size, mtimeMs } = await lstat(join(folder, path));
  return { path, bytes: size, mtime_ms: mtimeMs };
}

async function manifestOf(folder: string): Promise<Map<string, WrittenFile> | null> {
  try {
    const written = JSON.parse(await readFile(join(folder, LISTING), 'utf8')) as WrittenFile[];
    return new Map(written.map((each) => [each.path, each]));
  } catch {
    return null;
  }
}

/**
 * Checks that a folder may be replaced: it does not exist, is empty, or holds only this program's files.
 * @throws EtlError output_not_ours
 */
export async function checkFolder(target: string): Promise<void> {
  const folder = resolve(target);
  const existing = await at(folder);
  if (existing === null) return;
  if (!existing.isDirectory()) throw notOurs(folder, 'is no folder');
  const names = await readdir(folder).catch((error) => Promise.reject(describedError(error, folder)));
  if (names.length === 0) return;
  const written = await manifestOf(folder);
  if (written === null) throw notOurs(folder, 'is not empty and was not made by this program');
  for (const path of await filesIn(folder)) {
    if (path === LISTING) continue;
    const writtenFile = written.get(path);
    if (writtenFile === undefined) throw notOurs(join(folder, path), 'was not made by this program');
    const { bytes, mtime_ms } = await describeFile(folder, path);
    if (bytes !== writtenFile.bytes || mtime_ms !== writtenFile.mtime_ms)
      throw notOurs(join(folder, path), 'was changed since this program made it');
  }
}

/**
 * Writes a folder completely or not at all, and replaces only one that this program made and nobody changed.
 * @throws EtlError output_not_ours, and the errors of systemError
 */
export async function replaceFolder(target: string, make: (partial: string) => Promise<void>): Promise<void> {
  const folder = resolve(target);
  await checkFolder(folder);
  let partial = '';
  const remove = (): void => rmSync(partial, { recursive: true, force: true });
  try {
    await mkdir(dirname(folder), { recursive: true });
    partial = await mkdtemp(`${folder}.partial-`);
    // A signal ends the process before this function ends.
    process.once('exit', remove);
    const fresh = join(partial, 'new');
    await mkdir(fresh);
    await make(fresh);
    const newFiles = await Promise.all((await filesIn(fresh)).map((path) => describeFile(fresh, path)));
    await writeFile(join(fresh, LISTING), JSON.stringify(newFiles), { flag: 'wx' });
    await checkFolder(folder);
    if ((await at(folder)) !== null) await rename(folder, join(partial, 'old'));
    await rename(fresh, folder);
  } catch (error) {
    throw describedError(error, folder);
  } finally {
    process.removeListener('exit', remove);
    if (partial !== '') remove();
  }
}
