import { basename } from 'node:path';
import { localFile } from '../formats/archive/local_copy.ts';
import { archiveBomb, bytesOf, listZip, plainMember, type ZipMember } from '../formats/archive/zip.ts';
import { decodeLines } from '../formats/table/encoding.ts';

/** Maximum nesting of zips: a year of weeks of districts, perhaps packed once more. */
const MAX_DEPTH = 4;
/** Maximum bytes of one district's file; the largest real ones have a megabyte. */
const MAX_DAT_BYTES = 64 << 20;

export interface DatFile {
  /** `2024.zip › 20240108.zip › 001_SALES_DATA_NNME_08012024.DAT`. */
  readonly file: string;
  readonly text: string;
}

/** Reads lines as UTF-8, else windows-1252: the register has odd bytes in old names. */
async function readDat(member: ZipMember, file: string, signal?: AbortSignal): Promise<DatFile> {
  if (member.bytes > MAX_DAT_BYTES)
    throw archiveBomb(file, `${member.bytes} bytes are more than any file of a district has`);
  const bytes = await bytesOf(member, signal);
  return { file, text: decodeLines(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)) };
}

/** Names of files that sales are read from. */
export const DELIVERY = /\.(zip|dat)$/i;

/**
 * Reads the files of districts from a .zip of any nesting, or a single .DAT, in archive order. A zip in a zip is unpacked to a temporary
 * folder while it is read. EtlErrors: `missing_file`, the errors of a zip, `archive_bomb` for a nesting deeper than four.
 */
export async function* datFiles(path: string, signal?: AbortSignal): AsyncGenerator<DatFile> {
  const file = basename(path);
  if (/\.zip$/i.test(path)) yield* inZip(path, file, 1, signal);
  else yield readDat(await plainMember(path), file, signal);
}

async function* inZip(
  path: string,
  file: string,
  depth: number,
  signal?: AbortSignal,
): AsyncGenerator<DatFile> {
  if (depth > MAX_DEPTH) throw archiveBomb(file, `zips are nested deeper than ${MAX_DEPTH}`);
  for (const member of await listZip(path, (name) => DELIVERY.test(name), { file })) {
    signal?.throwIfAborted();
    const name = `${file} › ${basename(member.name)}`;
    if (/\.dat$/i.test(member.name)) {
      yield readDat(member, name, signal);
      continue;
    }
    const copy = await localFile({ path, member: member.name, file: name });
    try {
      yield* inZip(copy.path, name, depth + 1, signal);
    } finally {
      await copy.remove();
    }
  }
}
