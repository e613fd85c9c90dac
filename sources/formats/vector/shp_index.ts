import { type FileHandle, open } from 'node:fs/promises';
import { readFully } from '../archive/read_fully.ts';

const HEADER_BYTES = 100;
const ENTRY_BYTES = 8;
const RECORD_HEADER_BYTES = 8;
/** Maximum bytes of an index that is used; a larger one would list 32 million records. */
const MAX_INDEX_BYTES = 2 ** 28;

/** Positions of the records of a .shp, as listed in its .shx. */
export class ShpIndex {
  readonly count: number;
  readonly #entries: Buffer;

  constructor(entries: Buffer) {
    this.#entries = entries;
    this.count = entries.length / ENTRY_BYTES;
  }

  /** Returns the offset of the header of record `i` in the .shp. */
  at(i: number): number {
    return this.#entries.readInt32BE(i * ENTRY_BYTES) * 2;
  }

  /** Returns the content length of record `i`, bytes. */
  bytes(i: number): number {
    return this.#entries.readInt32BE(i * ENTRY_BYTES + 4) * 2;
  }

  /** Returns the offset after record `i`. */
  end(i: number): number {
    return this.at(i) + RECORD_HEADER_BYTES + this.bytes(i);
  }

  /** Returns true if the records follow one another and fill the .shp from its header to `end`. */
  isSequence(end: number): boolean {
    for (let i = 0, at = HEADER_BYTES; i < this.count; at = this.end(i), i++)
      if (this.at(i) !== at || this.bytes(i) < 4) return false;
    return this.end(this.count - 1) === end;
  }

  /** Returns true if the records do not overlap in a .shp of `fileBytes`. */
  liesApart(fileBytes: number): boolean {
    const order = Uint32Array.from({ length: this.count }, (_, i) => i).sort(
      (a, b) => this.at(a) - this.at(b),
    );
    let end = HEADER_BYTES;
    for (const i of order) {
      if (this.at(i) < end || this.bytes(i) < 4) return false;
      end = this.end(i);
    }
    return end <= fileBytes;
  }

  /** Returns true if every record header in the .shp states the length in the index. */
  async agreesWith(shp: FileHandle): Promise<boolean> {
    const header = Buffer.alloc(RECORD_HEADER_BYTES);
    for (let i = 0; i < this.count; i++) {
      const bytesRead = await readFully(shp, header, this.at(i));
      if (bytesRead < RECORD_HEADER_BYTES || header.readInt32BE(4) * 2 !== this.bytes(i)) return false;
    }
    return true;
  }
}

/** Reads a .shx. Null: it does not list `count` records, so it belongs to another release. */
export async function readShpIndex(path: string, count: number): Promise<ShpIndex | null> {
  const bytes = count * ENTRY_BYTES;
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    if (count === 0 || bytes > MAX_INDEX_BYTES || size !== HEADER_BYTES + bytes) return null;
    const entries = Buffer.alloc(bytes);
    return (await readFully(handle, entries, HEADER_BYTES)) < bytes ? null : new ShpIndex(entries);
  } finally {
    await handle.close();
  }
}
