import { open } from 'node:fs/promises';
import { extname } from 'node:path';

/** First bytes of files by extension. */
const BEGINNINGS: Readonly<Record<string, readonly string[]>> = {
  '.zip': ['504b0304', '504b0506'],
  '.xlsx': ['504b0304'],
  '.gz': ['1f8b'],
  '.gpkg': [Buffer.from('SQLite format 3\0').toString('hex')],
  '.parquet': [Buffer.from('PAR1').toString('hex')],
  '.fgb': ['666762'],
};

const isZip = (head: Buffer): boolean =>
  BEGINNINGS['.zip']!.some((each) => head.toString('hex').startsWith(each));

/** Maximum bytes of the end record of a zip, including the longest possible comment. */
const ZIP_END_BYTES = 22 + 65_535;

/** Returns where the list of members of a zip should end, from the last record of the file; null: there is no such record. */
function zipStatedEnd(tail: Buffer): { end: number; comment: number } | null {
  for (let at = tail.length - 22; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== 0x06054b50) continue;
    const comment = tail.readUInt16LE(at + 20);
    if (at + 22 + comment !== tail.length) continue;
    return { end: tail.readUInt32LE(at + 12) + tail.readUInt32LE(at + 16), comment };
  }
  return null;
}

/**
 * Finds a fault of a supposedly complete file from its first and last bytes and its extension; null: none. Detects an error page instead of
 * the file and a truncated zip, but no damage inside.
 */
export async function formatFault(path: string, name: string): Promise<string | null> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    if (size === 0) return 'it is empty';
    const head = Buffer.alloc(Math.min(512, size));
    await handle.read(head, 0, head.length, 0);
    const extension = extname(name).toLowerCase();
    // If the extension is unknown, the first bytes decide.
    const kind = extension in BEGINNINGS || !isZip(head) ? extension : '.zip';
    if (!/^\.(html?|xml)$/.test(kind) && /^\uFEFF?\s*<(!doctype\s+html|html)\b/i.test(head.toString('utf8')))
      return 'it is a page of HTML, as portals send in place of a file';
    const beginnings = BEGINNINGS[kind];
    if (beginnings && !beginnings.some((each) => head.toString('hex').startsWith(each)))
      return `it does not begin like a ${kind} file`;
    if (kind !== '.zip' && kind !== '.xlsx') return null;
    const tail = Buffer.alloc(Math.min(ZIP_END_BYTES, size));
    await handle.read(tail, 0, tail.length, size - tail.length);
    const statedEnd = zipStatedEnd(tail);
    if (statedEnd === null) return 'the end of the zip is missing';
    // A zip of 4 GB and more states its size elsewhere.
    return statedEnd.end < 0xffffffff && statedEnd.end > size - 22 - statedEnd.comment
      ? 'the zip states more content than it has'
      : null;
  } finally {
    await handle.close();
  }
}
