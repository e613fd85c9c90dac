import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import yazl from 'yazl';

/** Local time, because the zip format stores local fields: they are the same in every time zone. */
const MTIME = new Date(2025, 10, 17, 9, 0, 0);

/**
 * Writes a zip of files in the given order. Members have one fixed time, so the same content gives the same bytes.
 * Compression is the fastest level: the archive is for reading soon, not for keeping.
 */
export async function writeZip(
  path: string,
  members: readonly { name: string; from: string }[],
): Promise<void> {
  const zip = new yazl.ZipFile();
  for (const { name, from } of members) {
    zip.addFile(from, name, { mtime: MTIME, mode: 0o100644, compressionLevel: 1, forceDosTimestamp: true });
  }
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
}
