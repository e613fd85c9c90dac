import { createHash } from 'node:crypto';
import { createReadStream, type Dirent, readdir as listFolder, type realpath as Realpath } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import type pg from 'pg';
import { escapePath, glob } from 'tinyglobby';
import { EtlError } from '../../schema/errors.ts';
import { maskText } from '../system/mask_url.ts';

/** Size, modification time and inode: while they are unchanged, the stored hash of a file is trusted. */
export interface FileStamp {
  bytes: number;
  mtime_ms: number;
  inode: number;
}

/** A file as found on disk, with its content hash. */
export interface FoundFile {
  path: string;
  bytes: number;
  sha256: string;
  /** State of the file before it was hashed. */
  stamp: FileStamp;
}

/** Returns a .shp and the files that belong to it: same folder and stem, any case of the extension. */
async function withSiblings(path: string): Promise<string[]> {
  if (extname(path).toLowerCase() !== '.shp') return [path];
  const stem = basename(path).slice(0, -4);
  const names = await readdir(dirname(path));
  return names
    .filter(
      (name) =>
        /^\.(shp|shx|dbf|prj|cpg)$/i.test(name.slice(stem.length)) &&
        name.slice(0, stem.length).toLowerCase() === stem.toLowerCase(),
    )
    .map((name) => join(dirname(path), name));
}

const isFile = async (path: string): Promise<boolean> =>
  stat(path).then(
    (info) => info.isFile(),
    // A missing file is reported when it is read.
    () => true,
  );

/** Builds the error for a path that is not a file: reading a device would never end, and a pipe would block. */
const notAFile = (path: string): EtlError =>
  new EtlError(
    'not_a_file',
    `${path} is a device, a pipe or a socket, or leads to one. Give a file or a folder.`,
    {
      details: { path },
    },
  );

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (info) => info.isDirectory(),
    () => false,
  );

/** Splits a pattern after its longest folder that exists literally, whatever characters its name has. */
async function splitPattern(path: string): Promise<{ folder: string; pattern: string }> {
  const names = path.split('/').slice(1);
  let folder = '/';
  while (names.length > 1 && (await isFolder(join(folder, names[0]!)))) folder = join(folder, names.shift()!);
  // A leading ! would exclude.
  return { folder, pattern: names.join('/').replace(/^!(?!\()/, '\\!') };
}

/** Resolves a link. A link to a folder that contains it is an error, so that a search does not follow it. */
async function resolveLink(path: string): Promise<string> {
  const target = await realpath(path);
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (`${await realpath(folder)}/`.startsWith(`${target}/`.replace('//', '/')))
      throw new Error(`${path} leads to a folder that contains it`);
    if (folder === dirname(folder)) return target;
  }
}

/** Writes a folder with a backslash in a name as part of the pattern, because the search takes a backslash in its folder for a slash. */
function withoutBackslash(folder: string, pattern: string): { cwd: string; pattern: string } {
  const names = folder.split('/');
  const first = names.findIndex((name) => name.includes('\\'));
  if (first < 0) return { cwd: folder, pattern };
  const literal = names.slice(first).map((name) => name.split('\\').map(escapePath).join('[\\\\]'));
  return { cwd: `${names.slice(0, first).join('/')}/`, pattern: [...literal, pattern].join('/') };
}

/** Folders of file systems that only an administrator may read, and that hold no releases. */
const SYSTEM_FOLDER = /\/(lost\+found|System Volume Information|\$RECYCLE\.BIN)$/i;

/**
 * Lists the files that match a pattern, through links to other folders. Loops and broken links are skipped. A folder that may not be read is
 * the error `unreadable_file`, because its files would be missing unnoticed.
 */
async function search(path: string, isWhole: boolean): Promise<string[]> {
  const { folder, pattern } = isWhole ? { folder: path, pattern: '**/*' } : await splitPattern(path);
  const follow = (link: string, done: (error: Error | null, target: string) => void): void => {
    resolveLink(link).then(
      (target) => done(null, target),
      (error: Error) => done(error, ''),
    );
  };
  let denied: { path: string; error: Error } | null = null;
  const list = (
    path: string,
    options: { withFileTypes: true },
    done: (error: Error | null, entries: Dirent[]) => void,
  ): void =>
    listFolder(path, options, (error, entries) => {
      if (error?.code === 'EACCES' && !SYSTEM_FOLDER.test(path.replace(/\/$/, ''))) denied = { path, error };
      done(error, entries);
    });
  const { cwd, pattern: searched } = withoutBackslash(folder, pattern);
  const files = await glob(searched, {
    cwd,
    absolute: true,
    onlyFiles: true,
    fs: { realpath: follow as typeof Realpath, readdir: list as typeof listFolder },
  });
  if (denied !== null)
    throw unreadable((denied as { path: string }).path, (denied as { error: Error }).error);
  return files;
}

/** Files that belong to others of their folder. Releases may share them as hard links, such as equal .prj files. */
const COMPONENT = /\.(shx|dbf|prj|cpg|txt|psv)$|\.gdb\/[^/]+$/i;

/** Drops paths that lead to the same file as an earlier path, and the components of a dropped shapefile. */
async function distinctFiles(paths: readonly string[]): Promise<string[]> {
  const keys = new Set<string>();
  const dropped = new Set<string>();
  for (const path of paths) {
    const info = await stat(path, { bigint: true }).catch(() => null);
    // Some network drives have no inodes. A missing file is reported when it is read.
    if (info === null) continue;
    const isInode = info.ino !== 0n && !COMPONENT.test(path);
    const key = isInode ? `${info.dev} ${info.ino}` : await realpath(path);
    if (keys.has(key)) for (const name of await withSiblings(path)) dropped.add(name);
    keys.add(key);
  }
  return paths.filter((path) => !dropped.has(path));
}

/**
 * Lists the files of a path, folder or glob, sorted by code units, so that the order does not depend on the file system. A path that
 * exists is not treated as a pattern. A file with several paths counts once, with its first path. A path without files is an error.
 */
export async function findFiles(patterns: string | readonly string[], base: string): Promise<string[]> {
  const paths = new Set<string>();
  for (const pattern of typeof patterns === 'string' ? [patterns] : patterns) {
    const path = resolve(base, pattern);
    const info = await stat(path).catch(() => null);
    if (info !== null && !info.isFile() && !info.isDirectory()) throw notAFile(path);
    const matched = info?.isFile() ? [path] : await search(path, info !== null);
    for (const file of matched) if (!(await isFile(file))) throw notAFile(file);
    for (const file of matched) for (const name of await withSiblings(file)) paths.add(name);
    if (matched.length === 0) {
      // A URL is masked before it is shown, because it would no longer be recognised once resolved to a path.
      const shownPattern = /^[a-z][\w+.-]*:\/\//i.test(pattern) ? maskText(pattern) : path;
      throw new EtlError(
        'missing_file',
        `No file matches ${shownPattern}. Check the path of the dataset, or fetch the release.`,
        {
          details: { path: shownPattern },
        },
      );
    }
  }
  return distinctFiles([...paths].sort());
}

/** Builds the error for a file that was found but cannot be read. */
function unreadable(path: string, cause: unknown): EtlError {
  const { code, message } = cause as NodeJS.ErrnoException;
  const details = { path };
  if (code === 'ENOENT')
    return new EtlError('missing_file', `${path} is not there any more.`, {
      cause,
      details,
      kind: 'transient',
    });
  return new EtlError('unreadable_file', `${path} cannot be read: ${message}. Check its permissions.`, {
    cause,
    details,
  });
}

/** Hashes the bytes of a file. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** Returns the current size, modification time and inode of a file. */
export async function stampOf(path: string): Promise<FileStamp> {
  const info = await stat(path);
  return { bytes: info.size, mtime_ms: info.mtimeMs, inode: info.ino };
}

/** Throws if a file changed since it was hashed: its records would match no release, and its fingerprint would be wrong. */
export async function checkUnchanged(stamps: ReadonlyMap<string, FileStamp>): Promise<void> {
  for (const [path, before] of stamps) {
    const now = await stampOf(path).catch(() => null);
    if (now && now.bytes === before.bytes && now.mtime_ms === before.mtime_ms && now.inode === before.inode)
      continue;
    throw new EtlError(
      'file_changed',
      `${path} ${now ? 'changed' : 'disappeared'} while being read. Run again when the delivery is complete.`,
      { kind: 'transient', details: { path } },
    );
  }
}

/** Bytes hashed before the hashes are stored: the maximum that an interrupted run must hash again. */
const REMEMBER_BYTES = 1 << 28;

/**
 * Returns content hashes of files. Hashes are stored by path with size, modification time and inode, so an unchanged release is not read
 * again; `rehash` reads all files anyway.
 */
export async function hashFiles(
  client: pg.ClientBase,
  paths: readonly string[],
  rehash: boolean,
): Promise<FoundFile[]> {
  const knownFiles = await client.query<{
    path: string;
    bytes: string;
    mtime_ms: number;
    inode: string;
    sha256: string;
  }>('SELECT path, bytes, mtime_ms, inode, sha256 FROM control.file_digest WHERE path = ANY ($1)', [paths]);
  const byPath = new Map(knownFiles.rows.map((row) => [row.path, row]));
  const out: FoundFile[] = [];
  let fresh: FoundFile[] = [];
  let hashed = 0;
  for (const path of paths) {
    const stamp = await stampOf(path).catch((error) => Promise.reject(unreadable(path, error)));
    const { bytes, mtime_ms, inode } = stamp;
    const old = byPath.get(path);
    const same =
      old && Number(old.bytes) === bytes && old.mtime_ms === mtime_ms && Number(old.inode) === inode;
    const digest =
      same && !rehash
        ? old.sha256
        : await sha256Of(path).catch((error) => Promise.reject(unreadable(path, error)));
    const file = { path, bytes, sha256: digest, stamp };
    out.push(file);
    if (same && digest === old.sha256) continue;
    fresh.push(file);
    hashed += bytes;
    if (hashed < REMEMBER_BYTES) continue;
    await remember(client, fresh);
    fresh = [];
    hashed = 0;
  }
  await remember(client, fresh);
  return out;
}

/** Stores the hashes of files with their stamps. */
async function remember(client: pg.ClientBase, files: readonly FoundFile[]): Promise<void> {
  if (files.length === 0) return;
  await client.query(
    `INSERT INTO control.file_digest (path, bytes, mtime_ms, inode, sha256)
     SELECT * FROM unnest($1::text[], $2::bigint[], $3::float8[], $4::bigint[], $5::text[])
     ON CONFLICT (path) DO UPDATE
     SET bytes = excluded.bytes, mtime_ms = excluded.mtime_ms, inode = excluded.inode, sha256 = excluded.sha256`,
    [
      files.map(({ path }) => path),
      files.map(({ stamp }) => stamp.bytes),
      files.map(({ stamp }) => stamp.mtime_ms),
      files.map(({ stamp }) => stamp.inode),
      files.map(({ sha256: digest }) => digest),
    ],
  );
}

/** Deletes the hashes of files that no configured dataset includes any more, such as last month's folder. */
export async function forgetOthers(client: pg.ClientBase, paths: readonly string[]): Promise<void> {
  await client.query(
    `DELETE FROM control.file_digest WHERE NOT EXISTS (SELECT FROM unnest($1::text[]) AS named (path) WHERE named.path = file_digest.path)`,
    [paths],
  );
}
