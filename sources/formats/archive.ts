import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Entry, ZipFile } from 'yauzl';
import { openPromise } from 'yauzl';
import { EtlError } from '../../schema/errors.ts';
import { crc32 } from './zip_members.ts';

/** What an archive may hold before it is refused with `archive_bomb`. */
export interface ArchiveLimits {
  /** Unzipped bytes of all members; the largest state cadastres are about 20 GB. */
  readonly totalBytes: number;
  /** Unzipped to zipped size of a member, looked at beyond `ratioFloorBytes`; shapefiles reach about 20. */
  readonly ratio: number;
  readonly ratioFloorBytes: number;
  readonly members: number;
}

/** Limits for releases as publishers ship them. */
export const ARCHIVE_LIMITS: ArchiveLimits = {
  totalBytes: 100 * 2 ** 30,
  ratio: 200,
  ratioFloorBytes: 100 * 2 ** 20,
  members: 10_000,
};

/** An open zip whose directory has been checked. */
export interface Archive {
  /** Members that are files, in archive order; paths with forward slashes. */
  readonly members: readonly string[];
  /** Unpacked size of a member, as the directory states it; 0 where there is no such member. */
  sizeOf(member: string): number;
  /** The first `bytes` of a member, or all of it where it is shorter. */
  start(member: string, bytes: number): Promise<Buffer>;
  /** Writes members to files of given names in a fresh temporary folder, which the caller removes by `remove`. */
  extract(members: Readonly<Record<string, string>>): Promise<{ folder: string; remove(): Promise<void> }>;
  close(): Promise<void>;
}

const S_IFMT = 0o170000;
const S_IFLNK = 0o120000;

const bad = (file: string, what: string, cause?: unknown): EtlError =>
  new EtlError('bad_archive', `${file}: ${what}. Deliver the file again.`, { details: { file }, cause });

const bomb = (file: string, what: string): EtlError =>
  new EtlError('archive_bomb', `${file}: ${what}. It is not unpacked; check where the file comes from.`, {
    details: { file },
  });

const unsafe = (file: string, what: string): EtlError =>
  new EtlError('unsafe_archive', `${file}: ${what}. Nothing is unpacked.`, { details: { file } });

/**
 * Opens a zip and checks its whole directory before anything is read. EtlError: `bad_archive` (truncated, corrupt,
 * encrypted), `unsafe_archive` (a path that leaves the folder, an absolute path, a symbolic link), `archive_bomb`.
 */
export async function openArchive(
  path: string,
  file: string,
  limits: ArchiveLimits = ARCHIVE_LIMITS,
): Promise<Archive> {
  let zip: ZipFile;
  try {
    zip = await openPromise(path, { lazyEntries: true, autoClose: false });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new EtlError('missing_file', `${file}: ${path} does not exist. Check the configured files.`, {
        details: { path },
        cause,
      });
    }
    throw bad(file, `the zip cannot be opened (${(cause as Error).message})`, cause);
  }
  try {
    const entries = await readDirectory(zip, file, limits);
    return archiveOf(zip, entries, file, limits);
  } catch (error) {
    zip.close();
    throw error;
  }
}

async function readDirectory(zip: ZipFile, file: string, limits: ArchiveLimits): Promise<Map<string, Entry>> {
  if (zip.entryCount > limits.members) {
    throw bomb(file, `the zip has ${zip.entryCount} members, more than ${limits.members}`);
  }
  const entries = new Map<string, Entry>();
  let total = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      checkEntry(entry, file, limits);
      total += entry.uncompressedSize;
      if (total > limits.totalBytes)
        throw bomb(file, `the zip unpacks to more than ${limits.totalBytes} bytes`);
      if (entry.fileName.endsWith('/')) continue;
      if (entries.has(entry.fileName)) throw bad(file, `the zip holds ${entry.fileName} twice`);
      entries.set(entry.fileName, entry);
    }
  } catch (cause) {
    if (cause instanceof EtlError) throw cause;
    const message = (cause as Error).message;
    if (/relative path|absolute path|invalid characters/.test(message)) throw unsafe(file, message);
    throw bad(file, `the directory of the zip cannot be read (${message})`, cause);
  }
  return entries;
}

function checkEntry(entry: Entry, file: string, limits: ArchiveLimits): void {
  if (((entry.externalFileAttributes >>> 16) & S_IFMT) === S_IFLNK) {
    throw unsafe(file, `member ${entry.fileName} is a symbolic link`);
  }
  if (entry.isEncrypted()) throw bad(file, `member ${entry.fileName} is encrypted`);
  const { uncompressedSize, compressedSize } = entry;
  if (uncompressedSize > limits.ratioFloorBytes && uncompressedSize > limits.ratio * compressedSize) {
    throw bomb(file, `member ${entry.fileName} unpacks ${compressedSize} bytes to ${uncompressedSize}`);
  }
}

function archiveOf(zip: ZipFile, entries: Map<string, Entry>, file: string, limits: ArchiveLimits): Archive {
  const streamOf = async (member: string): Promise<{ entry: Entry; stream: Readable }> => {
    const entry = entries.get(member);
    if (entry === undefined) throw bad(file, `the zip has no member ${member}`);
    try {
      return { entry, stream: await zip.openReadStreamPromise(entry) };
    } catch (cause) {
      throw bad(file, `member ${member} cannot be read (${(cause as Error).message})`, cause);
    }
  };
  return {
    members: [...entries.keys()],
    sizeOf: (member) => entries.get(member)?.uncompressedSize ?? 0,
    start: async (member, bytes) => readStart((await streamOf(member)).stream, bytes, member, file),
    async extract(members) {
      const folder = await mkdtemp(join(tmpdir(), `release-${process.pid}-`));
      const remove = () => rm(folder, { recursive: true, force: true });
      try {
        for (const [member, name] of Object.entries(members)) {
          const { entry, stream } = await streamOf(member);
          await extractMember(entry, stream, join(folder, name), file, limits);
        }
        return { folder, remove };
      } catch (error) {
        await remove();
        throw error;
      }
    },
    async close() {
      zip.close();
    },
  };
}

async function readStart(stream: Readable, bytes: number, member: string, file: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let held = 0;
  try {
    for await (const chunk of stream) {
      chunks.push(chunk as Buffer);
      held += (chunk as Buffer).length;
      if (held >= bytes) break;
    }
  } catch (cause) {
    throw bad(file, `member ${member} cannot be unpacked (${(cause as Error).message})`, cause);
  }
  return Buffer.concat(chunks).subarray(0, bytes);
}

/** Unpacks one member and compares size and CRC with the directory; a member that says less than it holds is refused. */
async function extractMember(
  entry: Entry,
  stream: Readable,
  path: string,
  file: string,
  limits: ArchiveLimits,
): Promise<void> {
  let crc = 0;
  let bytes = 0;
  const check = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      crc = crc32(chunk, crc);
      bytes += chunk.length;
      const tooMuch = bytes > limits.ratioFloorBytes && bytes > limits.ratio * entry.compressedSize;
      done(
        tooMuch
          ? bomb(file, `member ${entry.fileName} unpacks to more than ${limits.ratio} times its size`)
          : null,
        chunk,
      );
    },
  });
  try {
    await pipeline(stream, check, createWriteStream(path, { flags: 'wx' }));
  } catch (cause) {
    if (cause instanceof EtlError) throw cause;
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOSPC') {
      throw new EtlError(
        'disk_full',
        `${file}: no space left to unpack ${entry.fileName} to ${path}. Free space or set TMPDIR.`,
        {
          details: { file, bytes: entry.uncompressedSize },
          cause,
        },
      );
    }
    throw bad(file, `member ${entry.fileName} cannot be unpacked (${message})`, cause);
  }
  if (bytes !== entry.uncompressedSize || crc !== entry.crc32) {
    throw bad(file, `member ${entry.fileName} does not have the size and checksum that the zip states`);
  }
}
