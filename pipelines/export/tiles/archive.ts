import { closeSync, createReadStream, openSync, rmSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { ArchiveTile } from './pyramid.ts';

/** PMTiles version 3: a header, a root directory, leaf directories if it is long, metadata, tiles. */
const HEADER_BYTES = 127;
/** Header and root directory must fit into the first request of this many bytes. */
const FIRST_BYTES = 16_384;
/** Initial number of entries of a leaf directory. */
const PAGE_ENTRIES = 4096;
const GZIP = 2;
const MVT = 1;

/** PMTiles directory entry. `run` 0: a leaf directory. */
interface DirectoryEntry {
  id: number;
  offset: number;
  length: number;
  run: 0 | 1;
}

export interface ArchiveAbout {
  min_zoom: number;
  max_zoom: number;
  /** Bounding box of all shapes, degrees; null: no shapes. */
  box: readonly [number, number, number, number] | null;
  metadata: object;
}

function varint(value: number, into: number[]): void {
  let remaining = value;
  for (; remaining >= 128; remaining = Math.floor(remaining / 128)) into.push((remaining % 128) | 128);
  into.push(remaining);
}

/** Encodes a directory: entry count, then by column id differences, runs, lengths and offsets. Offset 0: right after the previous entry. */
function page(entries: readonly DirectoryEntry[]): Buffer {
  const bytes: number[] = [];
  varint(entries.length, bytes);
  entries.forEach(({ id }, i) => {
    varint(i === 0 ? id : id - entries[i - 1]!.id, bytes);
  });
  for (const { run } of entries) varint(run, bytes);
  for (const { length } of entries) varint(length, bytes);
  entries.forEach(({ offset }, i) => {
    const before = entries[i - 1];
    const follows = before !== undefined && before.offset + before.length === offset;
    varint(follows ? 0 : offset + 1, bytes);
  });
  return gzipSync(Buffer.from(bytes));
}

/** Returns the root directory, and leaf directories if not all entries fit into it. */
function directory(entries: readonly DirectoryEntry[]): { root: Buffer; pages: Buffer } {
  const rootPage = page(entries);
  if (rootPage.length <= FIRST_BYTES - HEADER_BYTES) return { root: rootPage, pages: Buffer.alloc(0) };
  for (let size = PAGE_ENTRIES; ; size *= 2) {
    const parts: Buffer[] = [];
    const above: DirectoryEntry[] = [];
    let offset = 0;
    for (let i = 0; i < entries.length; i += size) {
      const part = page(entries.slice(i, i + size));
      above.push({ id: entries[i]!.id, offset, length: part.length, run: 0 });
      parts.push(part);
      offset += part.length;
    }
    const root = page(above);
    if (root.length <= FIRST_BYTES - HEADER_BYTES) return { root, pages: Buffer.concat(parts) };
  }
}

function header(
  about: ArchiveAbout,
  lengths: Record<'root' | 'metadata' | 'pages' | 'tiles', number>,
  tiles: number,
): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  bytes.write('PMTiles', 0, 'latin1');
  bytes.writeUInt8(3, 7);
  let [offset, at] = [HEADER_BYTES, 8];
  for (const name of ['root', 'metadata', 'pages', 'tiles'] as const) {
    bytes.writeBigUInt64LE(BigInt(offset), at);
    bytes.writeBigUInt64LE(BigInt(lengths[name]), at + 8);
    offset += lengths[name];
    at += 16;
  }
  // Numbers of addressed tiles, entries and contents are equal, because no tile is shared.
  for (const count of [72, 80, 88]) bytes.writeBigUInt64LE(BigInt(tiles), count);
  // Tiles are clustered: ordered by id.
  bytes.writeUInt8(1, 96);
  bytes.writeUInt8(GZIP, 97);
  bytes.writeUInt8(GZIP, 98);
  bytes.writeUInt8(MVT, 99);
  bytes.writeUInt8(about.min_zoom, 100);
  bytes.writeUInt8(about.max_zoom, 101);
  const [west, south, east, north] = about.box ?? [0, 0, 0, 0];
  const e7 = (degrees: number, where: number) => bytes.writeInt32LE(Math.round(degrees * 1e7), where);
  [west, south, east, north].forEach((degrees, i) => {
    e7(degrees, 102 + 4 * i);
  });
  bytes.writeUInt8(about.min_zoom, 118);
  e7((west + east) / 2, 119);
  e7((south + north) / 2, 123);
  return bytes;
}

/** Writes tiles to one file. Tiles of each zoom must come in order of their ids. */
export class Archive {
  readonly #path: string;
  readonly #folder: string;
  readonly #zooms = new Map<number, { file: number; entries: DirectoryEntry[]; length: number }>();

  /** `folder`: for a temporary file of each zoom until all tiles are known. */
  constructor(path: string, folder: string) {
    this.#path = path;
    this.#folder = folder;
  }

  #zoomFile(z: number): string {
    return join(this.#folder, `zoom-${z}`);
  }

  add({ id, z, bytes }: ArchiveTile): void {
    let zoom = this.#zooms.get(z);
    if (zoom === undefined) {
      zoom = { file: openSync(this.#zoomFile(z), 'wx'), entries: [], length: 0 };
      this.#zooms.set(z, zoom);
    }
    const packed = gzipSync(bytes);
    writeSync(zoom.file, packed);
    zoom.entries.push({ id, offset: zoom.length, length: packed.length, run: 1 });
    zoom.length += packed.length;
  }

  async end(about: ArchiveAbout): Promise<void> {
    const zooms = [...this.#zooms].sort(([a], [b]) => a - b);
    const entries: DirectoryEntry[] = [];
    let length = 0;
    for (const [, zoom] of zooms) {
      closeSync(zoom.file);
      for (const entry of zoom.entries) entries.push({ ...entry, offset: entry.offset + length });
      length += zoom.length;
    }
    const { root, pages } = directory(entries);
    const metadata = gzipSync(JSON.stringify(about.metadata));
    const lengths = { root: root.length, metadata: metadata.length, pages: pages.length, tiles: length };
    const file = await open(this.#path, 'wx');
    try {
      await file.writeFile(Buffer.concat([header(about, lengths, entries.length), root, metadata, pages]));
      for (const [z] of zooms) {
        for await (const chunk of createReadStream(this.#zoomFile(z), { highWaterMark: 1 << 20 }))
          await file.writeFile(chunk as Buffer);
        rmSync(this.#zoomFile(z));
      }
    } finally {
      await file.close();
    }
  }
}
