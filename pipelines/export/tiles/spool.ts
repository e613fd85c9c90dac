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
  #shapes: TableShape[] = [];
  #weight = 0;
  #file: number | null = null;
  #length = 0;

  /** `path`: must not exist; the file is created when more than `inMemory` bytes are held. */
  constructor(path: string, inMemory = IN_MEMORY) {
    this.#path = path;
    this.#inMemory = inMemory;
  }

  get isEmpty(): boolean {
    return this.#shapes.length === 0 && this.#length === 0;
  }

  add(shape: TableShape): void {
    this.#shapes.push(shape);
    this.#weight += weightOf(shape);
    if (this.#weight >= this.#inMemory) this.#flush();
  }

  #flush(): void {
    this.#file ??= openSync(this.#path, 'wx+');
    const bytes = Buffer.concat(this.#shapes.map(encoded));
    writeSync(this.#file, bytes, 0, bytes.length, this.#length);
    this.#length += bytes.length;
    this.#shapes = [];
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
    const shapes = this.#shapes;
    this.#shapes = [];
    yield* shapes;
  }

  *#read(file: number): Generator<TableShape> {
    let remainder: Buffer = Buffer.alloc(0);
    for (let at = 0; at < this.#length; ) {
      const chunk = Buffer.alloc(Math.min(READ_BYTES, this.#length - at));
      const bytesRead = readSync(file, chunk, 0, chunk.length, at);
      at += bytesRead;
      remainder = Buffer.concat([remainder, chunk.subarray(0, bytesRead)]);
      let next = 0;
      for (;;) {
        if (remainder.length < next + 9) break;
        const text = remainder.readUInt32LE(next);
        const wkb = remainder.readUInt32LE(next + 4);
        const begin = next + 9;
        if (remainder.length < begin + text + wkb) break;
        const says = JSON.parse(remainder.toString('utf8', begin, begin + text)) as Says;
        // Copied for alignment: the geometry reader reads numbers in place.
        const form = new Uint8Array(remainder.subarray(begin + text, begin + text + wkb));
        yield { ...wkbShape(form, says), from: remainder.readUInt8(next + 8) };
        next = begin + text + wkb;
      }
      remainder = remainder.subarray(next);
    }
  }
}
