import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { type MapShape, type Says, wkbShape } from '../../../transforms/geo/map_shape.ts';
import { type AnyGeometry, encodeLineWkb, encodePointWkb, encodeWkb } from '../../../transforms/geo/wkb.ts';

/** A shape of a table, with its minimum zoom. */
export interface TableShape extends MapShape {
  from: number;
}

/** Bytes of shapes that a spool holds in memory before it writes to a file. */
const IN_MEMORY = 8_000_000;
const READ_BYTES = 1 << 20;
/** Approximate bytes of a shape besides its vertices. */
const SHAPE_BYTES = 200;

function wkbOf({ kind, geometry }: AnyGeometry): Uint8Array {
  if (kind === 'polygon') return encodeWkb(geometry);
  return kind === 'line' ? encodeLineWkb(geometry) : encodePointWkb(geometry);
}

/** Encodes a shape for the file: text and WKB lengths, zoom, attributes as JSON, geometry as WKB. */
function encoded({ shape, says, from }: TableShape): Buffer {
  const [text, wkb] = [Buffer.from(JSON.stringify(says)), wkbOf(shape)];
  const head = Buffer.alloc(9);
  head.writeUInt32LE(text.length, 0);
  head.writeUInt32LE(wkb.length, 4);
  head.writeUInt8(from, 8);
  return Buffer.concat([head, text, wkb]);
}

const weightOf = ({ shape }: TableShape): number => SHAPE_BYTES + shape.geometry.coords.length * 8;

/** Stores shapes in insertion order, in memory while few, otherwise in a file. */
export class ShapeSpool {
  readonly #path: string;
  readonly #inMemory: number;
  #kept: TableShape[] = [];
  #weight = 0;
  #file: number | null = null;
  #length = 0;

  /** `path`: must not exist; the file is created when more than `inMemory` bytes are held. */
  constructor(path: string, inMemory = IN_MEMORY) {
    this.#path = path;
    this.#inMemory = inMemory;
  }

  get isEmpty(): boolean {
    return this.#kept.length === 0 && this.#length === 0;
  }

  add(shape: TableShape): void {
    this.#kept.push(shape);
    this.#weight += weightOf(shape);
    if (this.#weight >= this.#inMemory) this.#flush();
  }

  #flush(): void {
    this.#file ??= openSync(this.#path, 'wx+');
    const bytes = Buffer.concat(this.#kept.map(encoded));
    writeSync(this.#file, bytes, 0, bytes.length, this.#length);
    this.#length += bytes.length;
    this.#kept = [];
    this.#weight = 0;
  }

  /** Returns the shapes once, removing them from memory and deleting the file. */
  *take(): Generator<TableShape> {
    if (this.#file !== null) {
      yield* this.#read(this.#file);
      closeSync(this.#file);
      rmSync(this.#path);
      this.#file = null;
    }
    const kept = this.#kept;
    this.#kept = [];
    yield* kept;
  }

  *#read(file: number): Generator<TableShape> {
    let rest: Buffer = Buffer.alloc(0);
    for (let at = 0; at < this.#length; ) {
      const chunk = Buffer.alloc(Math.min(READ_BYTES, this.#length - at));
      const read = readSync(file, chunk, 0, chunk.length, at);
      at += read;
      rest = Buffer.concat([rest, chunk.subarray(0, read)]);
      let next = 0;
      for (;;) {
        if (rest.length < next + 9) break;
        const text = rest.readUInt32LE(next);
        const wkb = rest.readUInt32LE(next + 4);
        const begin = next + 9;
        if (rest.length < begin + text + wkb) break;
        const says = JSON.parse(rest.toString('utf8', begin, begin + text)) as Says;
        // Copied for alignment: the geometry reader reads numbers in place.
        const form = new Uint8Array(rest.subarray(begin + text, begin + text + wkb));
        yield { ...wkbShape(form, says), from: rest.readUInt8(next + 8) };
        next = begin + text + wkb;
      }
      rest = rest.subarray(next);
    }
  }
}
