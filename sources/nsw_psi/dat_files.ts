import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { EtlError } from '../../schema/errors.ts';
import { localFile } from '../formats/local_copy.ts';
import { listZip, missingFile, readMember } from '../formats/zip_members.ts';

/** Zips in zips that are opened: a year of weeks of districts, perhaps packed once more. */
const MAX_DEPTH = 4;
/** Largest file of one district; the largest real ones are of a megabyte. */
const MAX_DAT_BYTES = 64 << 20;

/** One file of a district. */
export interface DatFile {
  /** `2024.zip › 20240108.zip › 001_SALES_DATA_NNME_08012024.DAT`. */
  readonly file: string;
  readonly text: string;
}

/** UTF-8 where all bytes are, else windows-1252: the register has odd bytes in old names. */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** True for files that sales are read from. */
export const isDelivery = (path: string): boolean => /\.(zip|dat)$/i.test(path);

/**
 * Files of districts in a .zip of any nesting, or a .DAT by itself, in the order of the archives. A zip in a zip is unpacked to
 * a temporary folder while it is read. EtlErrors: `missing_file`, those of a zip, `archive_bomb` for a nesting deeper than four.
 */
export async function* datFiles(path: string, signal?: AbortSignal): AsyncGenerator<DatFile> {
  if (/\.zip$/i.test(path)) {
    yield* inZip(path, basename(path), 1, signal);
    return;
  }
  const { size } = await stat(path).catch((error: unknown) => {
    throw missingFile(path, error);
  });
  if (size > MAX_DAT_BYTES) throw tooLarge(basename(path), size);
  yield { file: basename(path), text: textOf(await readFile(path)) };
}

const tooLarge = (file: string, bytes: number): EtlError =>
  new EtlError(
    'archive_bomb',
    `${file}: ${bytes} bytes are more than any file of a district has. It is not read.`,
    {
      details: { file },
    },
  );

async function* inZip(
  path: string,
  file: string,
  depth: number,
  signal?: AbortSignal,
): AsyncGenerator<DatFile> {
  if (depth > MAX_DEPTH)
    throw new EtlError('archive_bomb', `${file}: zips are nested deeper than ${MAX_DEPTH}. It is not read.`, {
      details: { file },
    });
  for (const member of await listZip(path, isDelivery)) {
    signal?.throwIfAborted();
    const name = `${file} › ${basename(member.name)}`;
    if (/\.dat$/i.test(member.name)) {
      if (member.bytes > MAX_DAT_BYTES) throw tooLarge(name, member.bytes);
      const chunks: Uint8Array[] = [];
      for await (const chunk of readMember(member, signal)) chunks.push(chunk);
      yield { file: name, text: textOf(Buffer.concat(chunks)) };
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
