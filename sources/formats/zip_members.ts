import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import zlib from 'node:zlib';
import yauzl from 'yauzl';
import { EtlError } from '../../schema/errors.ts';

/** Largest member that is read, uncompressed: the largest table of a national G-NAF release is below 3 GiB. */
export const MAX_MEMBER_BYTES = 8 * 2 ** 30;
/** Largest ratio of uncompressed to compressed bytes beyond RATIO_FLOOR_BYTES: delimited text reaches about 15. */
const MAX_RATIO = 200;
const RATIO_FLOOR_BYTES = 100 * 2 ** 20;
/** Bytes per read and per inflated chunk: large enough that the cost of a turn of the event loop does not show. */
const CHUNK_BYTES = 1 << 18;
/** Bytes inflated ahead of the reader, so that another thread inflates while this one parses. */
const READ_AHEAD_BYTES = 1 << 20;
const STORED = 0;
const DEFLATED = 8;

/** One table of a release on disk: a member of a zip, or a plain file. Survives structured cloning. */
export interface Member {
  /** Absolute path of the zip, or of the plain file. */
  file: string;
  /** Path inside the release, with forward slashes: inside the zip, or below the folder of the plain files. */
  name: string;
  /** Uncompressed size. */
  bytes: number;
  /** CRC-32 of the uncompressed bytes; null for a plain file. */
  crc32: number | null;
  zip: { method: number; dataStart: number; compressedBytes: number } | null;
}

/** The zip checksum; Node before 20.15 has none of its own. Starts at 0. */
export const crc32: (bytes: Uint8Array, value: number) => number = zlib.crc32 ?? slowCrc32;

function slowCrc32(bytes: Uint8Array, value: number): number {
  let crc = ~value;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

/** The member as messages name it: `release.zip › folder/table.psv`. */
export const memberName = (member: Member): string =>
  member.zip === null ? member.file : `${member.file} › ${member.name}`;

function badArchive(name: string, problem: string, cause?: unknown): EtlError {
  return new EtlError(
    'bad_archive',
    `${name}: ${problem.replace(/\.+$/, '')}. The file is damaged or incomplete: fetch it again and compare its size with the publisher's.`,
    { cause },
  );
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** EtlError `missing_file`. */
export const missingFile = (file: string, cause: unknown): EtlError =>
  new EtlError('missing_file', `${file}: the file does not exist. Check the path in the configuration.`, {
    cause,
  });

function archiveError(file: string, error: unknown): EtlError {
  const message = messageOf(error);
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return missingFile(file, error);
  if (/relative path|absolute path|invalid characters/.test(message)) {
    return new EtlError('unsafe_archive', `${file}: ${message}. Nothing of it is read.`, { cause: error });
  }
  return badArchive(file, message, error);
}

function checkEntry(name: string, entry: yauzl.Entry, maxBytes: number): void {
  if (entry.isEncrypted()) throw badArchive(name, 'the member is encrypted');
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED) {
    throw badArchive(
      name,
      `compression method ${entry.compressionMethod} is not supported, only stored and deflated`,
    );
  }
  const { uncompressedSize: bytes, compressedSize } = entry;
  if (bytes > maxBytes || (bytes > RATIO_FLOOR_BYTES && bytes > MAX_RATIO * compressedSize)) {
    throw new EtlError(
      'archive_bomb',
      `${name}: ${compressedSize} bytes unpack to ${bytes}; the limits are ${maxBytes} bytes and a ratio of ${MAX_RATIO}. ` +
        "It is not read; check that this is the publisher's file.",
    );
  }
}

/**
 * Members of a zip that `wanted` accepts, in the order of its directory; folders are left out. Only the directory is read.
 * Throws EtlError `bad_archive` (no zip, truncated, encrypted), `unsafe_archive` (a path that leaves the
 * archive), `archive_bomb` or `missing_file`.
 */
export async function listZip(
  file: string,
  wanted: (path: string) => boolean,
  maxBytes: number = MAX_MEMBER_BYTES,
): Promise<Member[]> {
  let zip: yauzl.ZipFile | undefined;
  const members: Member[] = [];
  try {
    zip = await yauzl.openPromise(file, { autoClose: false });
    for await (const entry of zip.eachEntry()) {
      const path = entry.fileName;
      if (path.endsWith('/') || !wanted(path)) continue;
      checkEntry(`${file} › ${path}`, entry, maxBytes);
      const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
      members.push({
        file,
        name: path,
        bytes: entry.uncompressedSize,
        crc32: entry.crc32,
        zip: {
          method: entry.compressionMethod,
          dataStart: fileDataStart,
          compressedBytes: entry.compressedSize,
        },
      });
    }
  } catch (error) {
    if (error instanceof EtlError) throw error;
    throw archiveError(file, error);
  } finally {
    zip?.close();
  }
  return members;
}

/** Fails early where the archive ends before the member does. */
async function checkExtent(member: Member): Promise<void> {
  if (member.zip === null) return;
  const size = await stat(member.file).then(
    (file) => file.size,
    (error: unknown) => {
      throw missingFile(member.file, error);
    },
  );
  if (member.zip.dataStart + member.zip.compressedBytes > size) {
    throw badArchive(memberName(member), `the archive ends at byte ${size}, before the member does`);
  }
}

/** The bytes on disk, and the stream that gives the bytes of the member. */
function openMember(member: Member): { raw: Readable; inflated: Readable } {
  const { zip } = member;
  const end = zip === null ? undefined : zip.dataStart + zip.compressedBytes - 1;
  const range = zip === null ? {} : { start: zip.dataStart, end };
  const raw =
    zip?.compressedBytes === 0
      ? Readable.from([])
      : createReadStream(member.file, { ...range, highWaterMark: CHUNK_BYTES });
  if (zip === null || zip.method === STORED) return { raw, inflated: raw };
  const options: zlib.ZlibOptions & { highWaterMark: number } = {
    chunkSize: CHUNK_BYTES,
    highWaterMark: READ_AHEAD_BYTES,
  };
  const inflated = zlib.createInflateRaw(options);
  // Errors of either stream surface in the reader of `inflated`; leaving the reader closes both.
  pipeline(raw, inflated, () => {});
  return { raw, inflated };
}

/** Waits until the file is closed, so that a reader that is done has nothing open. */
async function close(raw: Readable): Promise<void> {
  raw.destroy();
  if (!raw.closed) await once(raw, 'close').catch(() => {});
}

/**
 * Bytes of a member, inflated, in chunks. Size and CRC-32 are compared with the directory when it ends; a member that grows
 * past its stated size is cut off at once. Leaving the loop early closes the file and skips those checks.
 * Throws EtlError `bad_archive` naming file and member.
 */
export async function* readMember(member: Member, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted();
  await checkExtent(member);
  let bytes = 0;
  let crc = 0;
  const { raw, inflated } = openMember(member);
  try {
    for await (const chunk of inflated as AsyncIterable<Buffer>) {
      signal?.throwIfAborted();
      bytes += chunk.length;
      if (member.crc32 !== null) {
        if (bytes > member.bytes)
          throw badArchive(memberName(member), `unpacks to more than the stated ${member.bytes} bytes`);
        crc = crc32(chunk, crc);
      }
      yield chunk;
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (code.startsWith('Z_')) throw badArchive(memberName(member), messageOf(error), error);
    throw code === 'ENOENT' ? missingFile(member.file, error) : error;
  } finally {
    await close(raw);
  }
  if (member.crc32 === null) return;
  if (bytes !== member.bytes)
    throw badArchive(memberName(member), `unpacks to ${bytes} bytes instead of ${member.bytes}`);
  if (crc !== member.crc32)
    throw badArchive(memberName(member), 'its content does not match its checksum (CRC-32)');
}
