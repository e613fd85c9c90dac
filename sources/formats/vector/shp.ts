import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { EtlError } from '../../../schema/errors.ts';
import { readFully } from '../archive/read_fully.ts';
import { readShpIndex, type ShpIndex } from './shp_index.ts';
import { parseShape, ShpRun } from './shp_run.ts';

/** Shape families of the format; Z and M variants read as their 2D family. */
export type ShapeFamily = 'null' | 'point' | 'line' | 'polygon' | 'multipoint';

/** Header of a .shp: its first 100 bytes. */
export interface ShpHeader {
  readonly shapeType: number;
  readonly family: ShapeFamily;
  /** Length of the file stated in the header, in bytes. */
  readonly statedBytes: number;
}

const HEADER_BYTES = 100;
const RECORD_HEADER_BYTES = 8;
const FAMILIES: Readonly<Record<number, ShapeFamily>> = {
  0: 'null',
  1: 'point',
  3: 'line',
  5: 'polygon',
  8: 'multipoint',
};
/** Bytes per read; a longer record gets its own buffer. */
const CHUNK_BYTES = 4 << 20;
/** Maximum bytes of a record: a longer one would hold 67 million vertices, so its length counts as false. */
const MAX_RECORD_BYTES = 2 ** 28;

function familyOf(shapeType: number): ShapeFamily | undefined {
  return shapeType > 0 && shapeType % 10 === 0 ? undefined : FAMILIES[shapeType % 10];
}

/** Parses the header of a .shp. EtlError `bad_shape` if it is not one, `truncated_shapefile` if it is cut off. */
export function parseShpHeader(bytes: Uint8Array, file: string): ShpHeader {
  if (bytes.length < HEADER_BYTES)
    throw truncated(file, 1, `the .shp ends inside its header, after ${bytes.length} bytes`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const shapeType = view.getInt32(32, true);
  const family = shapeType > 28 || shapeType < 0 ? undefined : familyOf(shapeType);
  if (view.getInt32(0) !== 9994 || family === undefined) {
    throw new EtlError(
      'bad_shape',
      `${file}: not a .shp of points, lines or polygons (code ${view.getInt32(0)}, type ${shapeType}).`,
      {
        details: { file, shapeType },
      },
    );
  }
  return { shapeType, family, statedBytes: view.getUint32(24) * 2 };
}

function truncated(file: string, feature: number, what: string): EtlError {
  return new EtlError(
    'truncated_shapefile',
    `${file}: feature ${feature}: ${what}. Deliver the file again.`,
    {
      details: { file, feature },
    },
  );
}

const viewOf = (bytes: Buffer): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Position of one record in the buffer. */
interface RecordPlace {
  at: number;
  bytes: number;
}

/**
 * Reads the features of a .shp in order and in runs; memory is bounded by a run or by the largest feature. Records follow one another,
 * unless the .shx lists other positions and the records there have the listed lengths. That happens if an editor left gaps or old records,
 * or the header states a wrong length.
 */
export class ShpFile {
  readonly header: ShpHeader;
  readonly #handle: FileHandle;
  readonly #file: string;
  readonly #fileBytes: number;
  /** Byte where records end: bytes beyond the stated length are not records. */
  readonly #end: number;
  /** Bytes [#from, #to) of the buffer are read and not yet used; #position is the file offset of #to. */
  #buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  #view = viewOf(this.#buffer);
  #from = 0;
  #to = 0;
  #position = HEADER_BYTES;
  #feature = 0;
  /** True if records are numbered from 1, as most writers do: a wrong number then shows that the previous record stated a false length. */
  #numbered = true;
  /** Lengths that consecutive records must have; null: no .shx confirms the sequence. */
  #confirmed: ShpIndex | null = null;
  /** Positions to read from; null: the records are read in sequence. */
  #index: ShpIndex | null = null;

  private constructor(handle: FileHandle, file: string, header: ShpHeader, fileBytes: number) {
    this.#handle = handle;
    this.#file = file;
    this.header = header;
    this.#fileBytes = fileBytes;
    this.#end = Math.min(fileBytes, header.statedBytes);
  }

  /** Opens a .shp. `shx` is the path of the index; `count` is the number of records in the .dbf, which the index must list. */
  static async open(path: string, file: string, shx: string | null, count: number): Promise<ShpFile> {
    const handle = await open(path, 'r');
    try {
      const bytes = Buffer.alloc(HEADER_BYTES);
      const bytesRead = await readFully(handle, bytes, 0);
      const header = parseShpHeader(bytes.subarray(0, bytesRead), file);
      const shp = new ShpFile(handle, file, header, (await handle.stat()).size);
      if (shx !== null) await shp.#useIndex(shx, count);
      return shp;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  async #useIndex(path: string, count: number): Promise<void> {
    const index = await readShpIndex(path, count);
    if (index === null) return;
    if (index.isSequence(this.header.statedBytes)) this.#confirmed = index;
    else if (index.liesApart(this.#fileBytes) && (await index.agreesWith(this.#handle))) this.#index = index;
  }

  /** Returns the next features, at most `limit`; null at the end of the file. EtlError `truncated_shapefile`, `bad_shape`. */
  async next(limit: number): Promise<ShpRun | null> {
    if (this.#index !== null) return this.#nextOf(this.#index, limit);
    let places = this.#complete(limit);
    while (places.length === 0) {
      if (!(await this.#refill())) return null;
      places = this.#complete(limit);
    }
    return this.#run(places);
  }

  /** Returns the next features at the positions in the index. */
  async #nextOf(index: ShpIndex, limit: number): Promise<ShpRun | null> {
    const first = this.#feature;
    const places: RecordPlace[] = [];
    let size = 0;
    for (; places.length < limit && this.#feature < index.count; this.#feature++) {
      const bytes = index.bytes(this.#feature);
      if (bytes > MAX_RECORD_BYTES) throw this.#badHeader(this.#feature + 1, this.#feature + 1, bytes);
      if (places.length > 0 && size + bytes > CHUNK_BYTES) break;
      places.push({ at: size, bytes });
      size += bytes;
    }
    if (places.length === 0) return null;
    if (size > this.#buffer.length) this.#buffer = Buffer.allocUnsafe(size);
    this.#view = viewOf(this.#buffer);
    for (const [i, { at, bytes }] of places.entries()) {
      const content = this.#buffer.subarray(at, at + bytes);
      const contentBytes = await readFully(this.#handle, content, index.at(first + i) + RECORD_HEADER_BYTES);
      if (contentBytes < bytes)
        throw truncated(this.#file, first + i + 1, 'the .shp shrank while it was read');
    }
    return this.#run(places);
  }

  /** Returns the records that are completely in the buffer. */
  #complete(limit: number): RecordPlace[] {
    const places: RecordPlace[] = [];
    while (places.length < limit && this.#to - this.#from >= RECORD_HEADER_BYTES) {
      const bytes = this.#recordBytes();
      if (this.#to - this.#from < RECORD_HEADER_BYTES + bytes) break;
      places.push({ at: this.#from + RECORD_HEADER_BYTES, bytes });
      this.#from += RECORD_HEADER_BYTES + bytes;
      this.#feature++;
    }
    return places;
  }

  /** Returns the checked content length of the record at the front of the buffer. */
  #recordBytes(): number {
    const feature = this.#feature + 1;
    const number = this.#buffer.readInt32BE(this.#from);
    const bytes = this.#buffer.readInt32BE(this.#from + 4) * 2;
    if (feature === 1) this.#numbered = number === 1;
    const isExpected =
      this.#confirmed === null
        ? !this.#numbered || number === feature
        : feature <= this.#confirmed.count && bytes === this.#confirmed.bytes(feature - 1);
    if (!isExpected || bytes < 4 || bytes > MAX_RECORD_BYTES) throw this.#badHeader(feature, number, bytes);
    return bytes;
  }

  #badHeader(feature: number, number: number, bytes: number): EtlError {
    return new EtlError(
      'bad_shape',
      `${this.#file}: feature ${feature}: its header states number ${number} and ${bytes} bytes; it or the length of the feature before is wrong. Deliver the file again.`,
      { details: { file: this.#file, feature } },
    );
  }

  /** Reads until one more record is complete; false at the end of the file. */
  async #refill(): Promise<boolean> {
    const bufferedBytes = this.#to - this.#from;
    const want = bufferedBytes >= RECORD_HEADER_BYTES ? RECORD_HEADER_BYTES + this.#recordBytes() : 0;
    const bytesLeft = this.#end - this.#position;
    if (bytesLeft <= 0 || bufferedBytes + bytesLeft < want) {
      if (bufferedBytes + bytesLeft <= 0 && this.#fileBytes >= this.header.statedBytes) return false;
      throw truncated(
        this.#file,
        this.#feature + 1,
        `the .shp ends after ${this.#fileBytes} bytes, its header states ${this.header.statedBytes}`,
      );
    }
    const size = Math.max(CHUNK_BYTES, want);
    const buffer = size > this.#buffer.length ? Buffer.allocUnsafe(size) : this.#buffer;
    this.#buffer.copy(buffer, 0, this.#from, this.#to);
    this.#buffer = buffer;
    this.#view = viewOf(buffer);
    this.#from = 0;
    const take = Math.min(buffer.length - bufferedBytes, bytesLeft);
    const readBytes = await readFully(
      this.#handle,
      buffer.subarray(bufferedBytes, bufferedBytes + take),
      this.#position,
    );
    if (readBytes < take) throw truncated(this.#file, this.#feature + 1, 'the .shp shrank while it was read');
    this.#to = bufferedBytes + readBytes;
    this.#position += readBytes;
    return true;
  }

  #run(places: readonly RecordPlace[]): ShpRun {
    const run = new ShpRun();
    const spans: number[] = [];
    let vertices = 0;
    for (const { at, bytes } of places) {
      const shape = parseShape(this.#view, at, bytes, this.header.shapeType, run);
      if (shape === null || typeof shape === 'string') {
        run.add(vertices, vertices, shape);
        continue;
      }
      spans.push(shape.from, vertices, shape.points);
      run.add(vertices, vertices + shape.points, null);
      vertices += shape.points;
    }
    run.coords = new Float64Array(vertices * 2);
    const bytes = Buffer.from(run.coords.buffer);
    for (let i = 0; i < spans.length; i += 3) {
      // Doubles are not aligned in the file, so their bytes are copied instead of viewed.
      const from = spans[i]!;
      this.#buffer.copy(bytes, spans[i + 1]! * 16, from, from + spans[i + 2]! * 16);
    }
    if (!LITTLE_ENDIAN) bytes.swap64();
    return run;
  }
}

const LITTLE_ENDIAN = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;
