import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import zlib from 'node:zlib';
import { EtlError } from '../../../schema/errors.ts';
import {
  archiveBomb,
  badArchive,
  listZip,
  plainMember,
  readMember,
  ZIP_LIMITS,
  type ZipMember,
} from './zip.ts';

/** Bytes of a plain file per read, always into the same buffer, which stays in the processor's cache. */
const CHUNK_BYTES = 1 << 18;

/** A file, or a member of a zip. */
export interface BytePlace {
  readonly path: string;
  readonly member: string | null;
  /** Name in messages. */
  readonly file: string;
}

/** Finds the file or zip member at a location. EtlErrors: `missing_file` and the errors of the zip. */
export async function memberAt({ path, member, file }: BytePlace): Promise<ZipMember> {
  if (member === null) return plainMember(path);
  const [found] = await listZip(path, (name) => name === member, { file: basename(path) });
  if (found !== undefined) return found;
  throw new EtlError('missing_file', `${file}: the zip has no member ${member}. Fetch it again.`);
}

/**
 * Reads a file or a zip member in chunks; a name that ends in .gz is unpacked. Each chunk is valid until the next is requested. Leaving the
 * loop early closes the file. EtlErrors: `missing_file`, `archive_bomb`, `bad_archive` (damaged or cut) and the errors of the zip.
 */
export async function* openBytes(location: BytePlace, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const member = await memberAt(location);
  const isPacked = /\.gz$/i.test(location.member ?? location.path);
  if (isPacked) yield* gunzip(readMember(member, signal), member, location.file);
  else if (member.zip === null) yield* plainBytes(member.path, signal);
  else yield* readMember(member, signal);
}

async function* plainBytes(path: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const handle = await open(path, 'r');
  const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, null);
      if (bytesRead === 0) return;
      yield chunk.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

async function* gunzip(
  packed: AsyncGenerator<Uint8Array>,
  member: ZipMember,
  file: string,
): AsyncGenerator<Uint8Array> {
  const source = Readable.from(packed, { objectMode: false });
  const unpacker = zlib.createGunzip({ chunkSize: 1 << 18 });
  // errors of either stream surface in the reader of the unpacker
  pipeline(source, unpacker, () => {});
  let bytes = 0;
  try {
    for await (const chunk of unpacker as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > ZIP_LIMITS.ratioFloorBytes && bytes > ZIP_LIMITS.ratio * member.bytes)
        throw archiveBomb(
          file,
          `${member.bytes} bytes unpack to more than ${ZIP_LIMITS.ratio} times as many`,
        );
      yield chunk;
    }
  } catch (cause) {
    if (!((cause as NodeJS.ErrnoException).code ?? '').startsWith('Z_')) throw cause;
    const problem = `the .gz cannot be unpacked after ${bytes} bytes (${(cause as Error).message})`;
    throw badArchive(file, problem, cause);
  } finally {
    unpacker.destroy();
    source.destroy();
    await packed.return(undefined);
  }
}
