import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { pipeline as pipelineOf } from 'node:stream/promises';
import { crc32, createInflateRaw, type ZlibOptions } from 'node:zlib';
import yauzl from 'yauzl';
import { EtlError } from '../../../schema/errors.ts';

/** Limits of a zip; beyond them it is refused with `archive_bomb`. */
export const ZIP_LIMITS = {
  /** Maximum unzipped bytes of all members; the largest state cadastres are about 20 GB. */
  totalBytes: 100 * 2 ** 30,
  /** Maximum unzipped bytes of a wanted member. */
  memberBytes: 100 * 2 ** 30,
  /** Maximum ratio of unzipped to zipped size of a member, checked beyond `ratioFloorBytes`: shapefiles reach about 20. */
  ratio: 200,
  ratioFloorBytes: 100 * 2 ** 20,
  members: 10_000,
};
/** Bytes per read and per inflated chunk: large enough that the cost of an event loop turn does not show. */
const CHUNK_BYTES = 1 << 18;
/** Bytes inflated ahead of the reader, so that another thread inflates while this one parses. */
const READ_AHEAD_BYTES = 1 << 20;
const STORED = 0;
const DEFLATED = 8;
/** Zip methods that are not supported, by number. */
const OTHER_METHODS: Readonly<Record<number, string>> = {
  9: 'Deflate64, which Windows Explorer takes for files above 2 GB',
  12: 'bzip2',
  14: 'LZMA',
  93: 'Zstandard',
  95: 'XZ',
};
const S_IFMT = 0o170000;
const S_IFLNK = 0o120000;

/** One file of a release on disk: a member of a zip, or a plain file. Survives structured cloning. */
export interface ZipMember {
  /** Absolute path of the zip, or of the plain file. */
  path: string;
  /** Path inside the release, with forward slashes: inside the zip, or below the folder of the plain files. */
  name: string;
  /** Name in messages: `release.zip › folder/table.psv`. */
  file: string;
  /** Uncompressed size. */
  bytes: number;
  /** CRC-32 of the uncompressed bytes; null for a plain file. */
  crc32: number | null;
  zip: { method: number; dataStart: number; compressedBytes: number } | null;
}

/** Builds the EtlError `bad_archive`. */
export function badArchive(file: string, problem: string, cause?: unknown): EtlError {
  return new EtlError(
    'bad_archive',
    `${file}: ${problem.replace(/\.+$/, '')}. The file is damaged or incomplete: fetch it again and compare its size with the publisher's.`,
    { details: { file }, cause },
  );
}

const encrypted = (file: string): EtlError =>
  new EtlError(
    'bad_archive',
    `${file}: the member is encrypted. Unpack the zip with its password, and name the unpacked files in path.`,
    { details: { file } },
  );

const unsupported = (file: string, method: number): EtlError =>
  new EtlError(
    'unsupported_compression',
    `${file}: it is packed with method ${method} (${OTHER_METHODS[method] ?? 'unknown'}), and only Deflate is read. Unpack the zip and pack it again with Deflate (7-Zip: archive format zip, compression method Deflate), or name the unpacked files in path.`,
    { details: { file, method } },
  );

/** Builds the EtlError `archive_bomb`. */
export const archiveBomb = (file: string, what: string): EtlError =>
  new EtlError('archive_bomb', `${file}: ${what}. It is not read; check where the file comes from.`, {
    details: { file },
  });

const unsafe = (file: string, what: string, cause?: unknown): EtlError =>
  new EtlError('unsafe_archive', `${file}: ${what}. Nothing of it is read.`, { details: { file }, cause });

/** Returns a plain file as a member. EtlError `missing_file`. */
export async function plainMember(path: string, name = basename(path), file = path): Promise<ZipMember> {
  const { size } = await stat(path).catch((cause: unknown) => {
    throw missingFile(path, cause);
  });
  return { path, name, file, bytes: size, crc32: null, zip: null };
}

/** Builds the EtlError `missing_file`. */
export const missingFile = (path: string, cause: unknown): EtlError =>
  new EtlError('missing_file', `${path}: the file does not exist. Check the path in the configuration.`, {
    details: { path },
    cause,
  });

/**
 * Lists the members of a zip that `wanted` accepts, in directory order. Folders, hidden files (except the relations of an Office file) and
 * files that a Mac adds are left out. Only the directory is read, and it is checked completely before anything else; `file` names the zip
 * in messages. EtlErrors: `missing_file`; `unsupported_compression`; `bad_archive` (not a zip, truncated, encrypted, a member twice);
 * `unsafe_archive` (a path that leaves the folder, an absolute path, a symbolic link); `archive_bomb`.
 */
export async function listZip(
  path: string,
  isWanted: (name: string) => boolean,
  { file = path, ...given }: Partial<typeof ZIP_LIMITS> & { file?: string } = {},
): Promise<ZipMember[]> {
  const limits = { ...ZIP_LIMITS, ...given };
  let zip: yauzl.ZipFile | undefined;
  try {
    zip = await yauzl.openPromise(path, { autoClose: false });
    const entries = await readDirectory(zip, file, limits);
    const members: ZipMember[] = [];
    for (const entry of entries) {
      const name = entry.fileName;
      if (name.endsWith('/') || /(^|\/)(__MACOSX|\.(?!rels$))/.test(name) || !isWanted(name)) continue;
      members.push(await memberOf(zip, entry, path, file, limits));
    }
    return members;
  } catch (error) {
    if (error instanceof EtlError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw missingFile(path, error);
    const message = (error as Error).message;
    if (/relative path|absolute path|invalid characters/.test(message)) throw unsafe(file, message, error);
    throw badArchive(file, message, error);
  } finally {
    zip?.close();
  }
}

async function readDirectory(
  zip: yauzl.ZipFile,
  file: string,
  limits: typeof ZIP_LIMITS,
): Promise<yauzl.Entry[]> {
  if (zip.entryCount > limits.members)
    throw archiveBomb(file, `the zip has ${zip.entryCount} members, more than ${limits.members}`);
  const entries = new Map<string, yauzl.Entry>();
  let total = 0;
  for await (const entry of zip.eachEntry()) {
    const { fileName: name, uncompressedSize, compressedSize } = entry;
    if (((entry.externalFileAttributes >>> 16) & S_IFMT) === S_IFLNK)
      throw unsafe(file, `member ${name} is a symbolic link`);
    if (entry.isEncrypted()) throw encrypted(`${file} › ${name}`);
    if (uncompressedSize > limits.ratioFloorBytes && uncompressedSize > limits.ratio * compressedSize)
      throw archiveBomb(`${file} › ${name}`, `${compressedSize} bytes unpack to ${uncompressedSize}`);
    total += uncompressedSize;
    if (total > limits.totalBytes)
      throw archiveBomb(file, `the zip unpacks to more than ${limits.totalBytes} bytes`);
    if (entries.has(name)) throw badArchive(file, `the zip holds ${name} twice`);
    entries.set(name, entry);
  }
  return [...entries.values()];
}

async function memberOf(
  zip: yauzl.ZipFile,
  entry: yauzl.Entry,
  path: string,
  zipFile: string,
  limits: typeof ZIP_LIMITS,
): Promise<ZipMember> {
  const { fileName: name, uncompressedSize: bytes, compressedSize, compressionMethod: method } = entry;
  const file = `${zipFile} › ${name}`;
  if (method !== STORED && method !== DEFLATED) throw unsupported(file, method);
  if (bytes > limits.memberBytes)
    throw archiveBomb(file, `it unpacks to ${bytes} bytes, more than ${limits.memberBytes}`);
  const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
  return {
    path,
    name,
    file,
    bytes,
    crc32: entry.crc32,
    zip: { method, dataStart: fileDataStart, compressedBytes: compressedSize },
  };
}

/** Opens the stream of bytes on disk, and the stream of the member's bytes. */
function openMember({ path, zip }: ZipMember): { raw: Readable; inflated: Readable } {
  const end = zip === null ? undefined : zip.dataStart + zip.compressedBytes - 1;
  const range = zip === null ? {} : { start: zip.dataStart, end };
  const raw =
    zip?.compressedBytes === 0
      ? Readable.from([])
      : createReadStream(path, { ...range, highWaterMark: CHUNK_BYTES });
  if (zip === null || zip.method === STORED) return { raw, inflated: raw };
  const options: ZlibOptions & { highWaterMark: number } = {
    chunkSize: CHUNK_BYTES,
    highWaterMark: READ_AHEAD_BYTES,
  };
  const inflated = createInflateRaw(options);
  // Errors of either stream surface in the reader of `inflated`; leaving the reader closes both.
  pipeline(raw, inflated, () => {});
  return { raw, inflated };
}

/** Waits until the file is closed, so that a finished reader has nothing open. */
async function close(raw: Readable): Promise<void> {
  raw.destroy();
  if (!raw.closed) await once(raw, 'close').catch(() => {});
}

/**
 * Reads the inflated bytes of a member in chunks. At the end, size and CRC-32 are compared with the directory; a member that exceeds its
 * stated size is cut off at once. Leaving the loop early closes the file and skips those checks. EtlErrors: `bad_archive`, `missing_file`.
 */
export async function* readMember(member: ZipMember, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted();
  const { file } = member;
  let bytes = 0;
  let crc = 0;
  const { raw, inflated } = openMember(member);
  try {
    for await (const chunk of inflated as AsyncIterable<Buffer>) {
      signal?.throwIfAborted();
      bytes += chunk.length;
      if (member.crc32 !== null) {
        if (bytes > member.bytes)
          throw badArchive(file, `it unpacks to more than the stated ${member.bytes} bytes`);
        crc = crc32(chunk, crc);
      }
      yield chunk;
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (code.startsWith('Z_')) throw badArchive(file, (error as Error).message, error);
    throw code === 'ENOENT' ? missingFile(member.path, error) : error;
  } finally {
    await close(raw);
  }
  if (member.crc32 === null) return;
  if (bytes !== member.bytes)
    throw badArchive(file, `it unpacks to ${bytes} bytes instead of ${member.bytes}`);
  if (crc !== member.crc32) throw badArchive(file, 'its content does not match its checksum (CRC-32)');
}

/** Reads all bytes of a member, or the first `most`. */
export async function bytesOf(
  member: ZipMember,
  signal?: AbortSignal,
  most = Number.POSITIVE_INFINITY,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bufferedBytes = 0;
  for await (const chunk of readMember(member, signal)) {
    chunks.push(chunk);
    bufferedBytes += chunk.length;
    if (bufferedBytes >= most) break;
  }
  return Buffer.concat(chunks).subarray(0, most);
}

/** A temporary folder with unpacked files. */
export interface Unpacked {
  readonly folder: string;
  /** Safe to call twice. */
  remove(): Promise<void>;
}

/** Writes members to files with given names in a fresh temporary folder. EtlErrors: `disk_full` and the errors of readMember. */
export async function unpack(members: Readonly<Record<string, ZipMember>>): Promise<Unpacked> {
  const folder = await mkdtemp(join(tmpdir(), `release-${process.pid}-`));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    for (const [name, member] of Object.entries(members)) {
      const to = createWriteStream(join(folder, name), { flags: 'wx', highWaterMark: READ_AHEAD_BYTES });
      await pipelineOf(readMember(member), to).catch((cause: NodeJS.ErrnoException) => {
        throw cause.code === 'ENOSPC' ? diskFull(member, folder, cause) : cause;
      });
    }
    return { folder, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

const diskFull = ({ file, bytes }: ZipMember, folder: string, cause: unknown): EtlError =>
  new EtlError(
    'disk_full',
    `${file}: no space left to unpack ${bytes} bytes into ${folder}. Free space or set TMPDIR.`,
    { details: { file, bytes }, cause },
  );
