import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { PbfReader } from 'pbf';
import { EtlError } from '../../../../schema/errors.ts';

/** Limits of the format: https://wiki.openstreetmap.org/wiki/PBF_Format. */
const MAX_HEADER_BYTES = 64 * 1024;
const MAX_BLOB_BYTES = 32 << 20;

const unpack = promisify(inflate);

/** Location of a block in the file. */
export interface BlobPlace {
  readonly type: string;
  readonly offset: number;
  readonly bytes: number;
}

/** Builds the EtlError `bad_osm_pbf`. */
export const badPbf = (file: string, what: string, cause?: unknown): EtlError =>
  new EtlError(
    'bad_osm_pbf',
    `${file}: ${what}. It is damaged, incomplete or no .osm.pbf: fetch it again and compare its checksum with the publisher's.`,
    { details: { file }, cause },
  );

async function readAt(handle: FileHandle, file: string, offset: number, bytes: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(bytes);
  let bufferedBytes = 0;
  while (bufferedBytes < bytes) {
    const { bytesRead } = await handle.read(
      buffer,
      bufferedBytes,
      bytes - bufferedBytes,
      offset + bufferedBytes,
    );
    if (bytesRead === 0)
      throw badPbf(file, `the file ends at byte ${offset + bufferedBytes}, inside a block`);
    bufferedBytes += bytesRead;
  }
  return buffer;
}

/** Lists the blocks of a file, reading only their headers. */
export async function* listBlobs(handle: FileHandle, file: string, size: number): AsyncGenerator<BlobPlace> {
  for (let at = 0; at < size; ) {
    const length = (await readAt(handle, file, at, 4)).readUInt32BE(0);
    if (length === 0 || length > MAX_HEADER_BYTES)
      throw badPbf(file, `a block header of ${length} bytes at byte ${at}`);
    const header = headerOf(await readAt(handle, file, at + 4, length), file, at);
    if (!(header.bytes > 0 && header.bytes <= MAX_BLOB_BYTES))
      throw badPbf(file, `a block of ${header.bytes} bytes at byte ${at}`);
    yield { type: header.type, offset: at + 4 + length, bytes: header.bytes };
    at += 4 + length + header.bytes;
  }
}

function headerOf(bytes: Buffer, file: string, at: number): { type: string; bytes: number } {
  const header = { type: '', bytes: 0 };
  try {
    new PbfReader(bytes).readFields((tag, into, pbf) => {
      if (tag === 1) into.type = pbf.readString();
      else if (tag === 3) into.bytes = pbf.readVarint();
    }, header);
  } catch (cause) {
    throw badPbf(file, `the block header at byte ${at} cannot be read`, cause);
  }
  return header;
}

/** Unpacks the content of a block. Only zlib and plain blocks are supported, which is what all publishers write. */
export async function readBlob(
  handle: FileHandle,
  file: string,
  { offset, bytes }: BlobPlace,
): Promise<Uint8Array> {
  const packed = await readAt(handle, file, offset, bytes);
  const blob: { raw: Uint8Array | null; zlib: Uint8Array | null; other: number } = {
    raw: null,
    zlib: null,
    other: 0,
  };
  try {
    new PbfReader(packed).readFields((tag, into, pbf) => {
      if (tag === 1) into.raw = pbf.readBytes();
      else if (tag === 3) into.zlib = pbf.readBytes();
      else if (tag >= 4 && tag <= 7) into.other = tag;
    }, blob);
    if (blob.zlib !== null) return await unpack(blob.zlib, { maxOutputLength: MAX_BLOB_BYTES });
  } catch (cause) {
    throw badPbf(file, `the block at byte ${offset} cannot be unpacked (${(cause as Error).message})`, cause);
  }
  if (blob.raw !== null) return blob.raw;
  const how =
    blob.other === 0 ? 'holds no data' : `is packed by method ${blob.other}; repack it with osmium cat`;
  throw badPbf(file, `the block at byte ${offset} ${how}`);
}

/** Unpacks blocks in order, reading one block ahead of the caller. */
export async function* readBlobs(
  handle: FileHandle,
  file: string,
  places: readonly BlobPlace[],
  signal?: AbortSignal,
): AsyncGenerator<{ index: number; bytes: Uint8Array }> {
  let next: Promise<Uint8Array> | null = null;
  try {
    for (const [index, place] of places.entries()) {
      signal?.throwIfAborted();
      const bytes = await (next ?? readBlob(handle, file, place));
      next = index + 1 < places.length ? readBlob(handle, file, places[index + 1]!) : null;
      // its error is thrown when its turn comes
      next?.catch(() => {});
      yield { index, bytes };
    }
  } finally {
    await next?.catch(() => {});
  }
}
