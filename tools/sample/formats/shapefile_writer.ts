import { writeFileSync } from 'node:fs';
import { BinaryFile } from './binary_file.ts';
import { type DbfField, type DbfValue, DbfWriter } from './dbf_writer.ts';

/** Shape types by what the file holds. */
const SHAPE_TYPES = { point: 1, line: 3, polygon: 5 } as const;
export type ShapeKind = keyof typeof SHAPE_TYPES;
const HEADER_BYTES = 100;

/**
 * Rings of one feature in the CRS of the file, in flat arrays as transforms/geo/geometry.ts has them: closed rings,
 * `ringEnds` in vertices, exclusive. The last `holes` rings are holes. Of lines the same with the ends of lines; a point is
 * one line of one vertex.
 */
export interface Rings {
  readonly coords: Float64Array;
  readonly ringEnds: readonly number[];
  readonly holes: number;
}

/**
 * Streams a shapefile of one kind of shapes (.shp, .shx, .dbf, .prj, .cpg). Rings are written shells clockwise and holes
 * anticlockwise whatever their winding; headers are patched on close. A null shape is written as shape type 0.
 */
export class ShapefileWriter {
  private readonly shp: BinaryFile;
  private readonly shx: BinaryFile;
  private readonly dbf: DbfWriter;
  private readonly kind: ShapeKind;
  private readonly bbox = [Infinity, Infinity, -Infinity, -Infinity];

  /** `path` has no extension. */
  constructor(
    path: string,
    fields: readonly DbfField[],
    prj: string,
    cpg: string | null = 'UTF-8',
    kind: ShapeKind = 'polygon',
  ) {
    this.kind = kind;
    this.shp = new BinaryFile(`${path}.shp`);
    this.shx = new BinaryFile(`${path}.shx`);
    this.dbf = new DbfWriter(`${path}.dbf`, fields);
    writeFileSync(`${path}.prj`, prj);
    if (cpg !== null) writeFileSync(`${path}.cpg`, cpg);
    this.shp.append(Buffer.alloc(HEADER_BYTES));
    this.shx.append(Buffer.alloc(HEADER_BYTES));
  }

  /** Features written so far. */
  get count(): number {
    return this.dbf.count;
  }

  write(shape: Rings | null, values: readonly DbfValue[]): void {
    const content = shape === null ? 4 : this.contentBytes(shape);
    const index = this.shx.reserve(8);
    index.writeInt32BE(this.shp.length / 2, 0);
    index.writeInt32BE(content / 2, 4);
    const record = Buffer.allocUnsafe(8 + content);
    record.writeInt32BE(this.dbf.count + 1, 0);
    record.writeInt32BE(content / 2, 4);
    if (shape === null) record.writeInt32LE(0, 8);
    else if (this.kind === 'point') this.point(record, shape.coords);
    else this.parts(record, shape);
    this.shp.append(record);
    this.dbf.write(values);
  }

  close(): void {
    for (const file of [this.shp, this.shx]) {
      file.patch(0, this.header(file.length));
      file.close();
    }
    this.dbf.close();
  }

  private contentBytes({ coords, ringEnds }: Rings): number {
    return this.kind === 'point' ? 20 : 44 + 4 * ringEnds.length + 8 * coords.length;
  }

  private point(record: Buffer, coords: Float64Array): void {
    this.widen(boundsOf(coords));
    record.writeInt32LE(SHAPE_TYPES.point, 8);
    record.writeDoubleLE(coords[0]!, 12);
    record.writeDoubleLE(coords[1]!, 20);
  }

  private widen(box: readonly number[]): void {
    for (let i = 0; i < 4; i++)
      this.bbox[i] = i < 2 ? Math.min(this.bbox[i]!, box[i]!) : Math.max(this.bbox[i]!, box[i]!);
  }

  private parts(record: Buffer, { coords, ringEnds, holes }: Rings): void {
    const box = boundsOf(coords);
    this.widen(box);
    for (let i = 0; i < 4; i++) record.writeDoubleLE(box[i]!, 12 + 8 * i);
    record.writeInt32LE(SHAPE_TYPES[this.kind], 8);
    record.writeInt32LE(ringEnds.length, 44);
    record.writeInt32LE(coords.length / 2, 48);
    let at = 52 + 4 * ringEnds.length;
    let from = 0;
    for (let ring = 0; ring < ringEnds.length; ring++) {
      const to = ringEnds[ring]!;
      record.writeInt32LE(from, 52 + 4 * ring);
      const clockwise = ringArea(coords, from, to) < 0;
      const forward = this.kind === 'line' || clockwise === ring < ringEnds.length - holes;
      for (let i = 0; i < to - from; i++) {
        const vertex = forward ? from + i : to - 1 - i;
        record.writeDoubleLE(coords[2 * vertex]!, at);
        record.writeDoubleLE(coords[2 * vertex + 1]!, at + 8);
        at += 16;
      }
      from = to;
    }
  }

  private header(bytes: number): Buffer {
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeInt32BE(9994, 0);
    header.writeInt32BE(bytes / 2, 24);
    header.writeInt32LE(1000, 28);
    header.writeInt32LE(SHAPE_TYPES[this.kind], 32);
    const empty = this.bbox[0] === Infinity;
    for (let i = 0; i < 4; i++) header.writeDoubleLE(empty ? 0 : this.bbox[i]!, 36 + 8 * i);
    return header;
  }
}

function boundsOf(coords: Float64Array): [number, number, number, number] {
  let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < coords.length; i += 2) {
    const x = coords[i]!;
    const y = coords[i + 1]!;
    if (x < minX) minX = x;
    if (x > maxX) maxX = x;
    if (y < minY) minY = y;
    if (y > maxY) maxY = y;
  }
  return [minX, minY, maxX, maxY];
}

/** Twice the signed area, positive anticlockwise, about the first vertex (keeps digits in projected coordinates). */
function ringArea(coords: Float64Array, from: number, to: number): number {
  const ox = coords[2 * from]!;
  const oy = coords[2 * from + 1]!;
  let sum = 0;
  for (let i = from + 1; i < to - 1; i++) {
    const ax = coords[2 * i]! - ox;
    const ay = coords[2 * i + 1]! - oy;
    sum += ax * (coords[2 * i + 3]! - oy) - (coords[2 * i + 2]! - ox) * ay;
  }
  return sum;
}
