import { writeFile } from 'node:fs/promises';

/** Name, dBASE type, length and decimals of a column. */
export type FieldSpec = readonly [name: string, type: string, length: number, decimals?: number];

/** One shape: rings (or parts) of flat x, y pairs; null is a null shape. A point has one ring of one pair. */
export type ShapeSpec = readonly (readonly number[])[] | null;

export interface ShapefileSpec {
  /** 1 point, 3 line, 5 polygon, 8 multipoint; + 10 writes Z and M, + 20 writes M. */
  shapeType: number;
  fields: readonly FieldSpec[];
  rows: readonly (readonly (string | null)[])[];
  shapes: readonly ShapeSpec[];
  /** Text of the .prj; left out: none is written. */
  prj?: string;
  cpg?: string;
  encoding?: BufferEncoding;
  /** Rows (from 0) marked as deleted in the .dbf. */
  deleted?: readonly number[];
}

export const GDA2020_PRJ =
  'GEOGCS["GDA2020",DATUM["D_GDA2020",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]';
export const GDA94_PRJ =
  'GEOGCS["GCS_GDA_1994",DATUM["D_GDA_1994",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]';
export const WGS84_PRJ =
  'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]';

/** A closed clockwise square with its south-west corner at x, y. */
export function square(x: number, y: number, size: number): number[] {
  return [x, y, x, y + size, x + size, y + size, x + size, y, x, y];
}

/** Bytes of a dBASE table. */
export function dbfBytes(spec: Pick<ShapefileSpec, 'fields' | 'rows' | 'encoding' | 'deleted'>): Buffer {
  const recordBytes = 1 + spec.fields.reduce((sum, field) => sum + field[2], 0);
  const headerBytes = 32 + 32 * spec.fields.length + 1;
  const bytes = Buffer.alloc(headerBytes + recordBytes * spec.rows.length + 1, 0x20);
  bytes.fill(0, 0, headerBytes);
  bytes.set([3, 124, 5, 17]);
  bytes.writeUInt32LE(spec.rows.length, 4);
  bytes.writeUInt16LE(headerBytes, 8);
  bytes.writeUInt16LE(recordBytes, 10);
  spec.fields.forEach(([name, type, length, decimals], i) => {
    const at = 32 + 32 * i;
    bytes.write(name.slice(0, 10), at, 'latin1');
    bytes.write(type, at + 11, 'latin1');
    bytes[at + 16] = length;
    bytes[at + 17] = decimals ?? 0;
  });
  bytes[headerBytes - 1] = 0x0d;
  spec.rows.forEach((row, i) => {
    let at = headerBytes + i * recordBytes;
    if (spec.deleted?.includes(i)) bytes[at] = 0x2a;
    at++;
    spec.fields.forEach(([, type, length], k) => {
      const text = Buffer.from(row[k] ?? '', spec.encoding ?? 'latin1').subarray(0, length);
      text.copy(bytes, type === 'N' || type === 'F' ? at + length - text.length : at);
      at += length;
    });
  });
  bytes[bytes.length - 1] = 0x1a;
  return bytes;
}

function boxOf(shape: readonly (readonly number[])[]): number[] {
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  for (const ring of shape) {
    for (let i = 0; i < ring.length; i += 2) {
      box[0] = Math.min(box[0]!, ring[i]!);
      box[1] = Math.min(box[1]!, ring[i + 1]!);
      box[2] = Math.max(box[2]!, ring[i]!);
      box[3] = Math.max(box[3]!, ring[i + 1]!);
    }
  }
  return box;
}

/** Content of one .shp record, without its header. */
function shapeBytes(shapeType: number, shape: ShapeSpec): Buffer {
  if (shape === null) return Buffer.alloc(4);
  const flat = shape.flat();
  const points = flat.length / 2;
  const family = shapeType % 10;
  const ints = family === 1 ? [] : family === 8 ? [points] : [shape.length, points];
  const starts: number[] = [];
  let start = 0;
  if (family === 3 || family === 5) {
    for (const ring of shape) {
      starts.push(start);
      start += ring.length / 2;
    }
  }
  // Z and M of a point are single values, those of other shapes a range and one value per vertex.
  const extra = shapeType < 10 ? 0 : (shapeType < 20 ? 2 : 1) * (family === 1 ? 1 : 2 + points);
  const box = family === 1 ? [] : boxOf(shape);
  const bytes = Buffer.alloc(
    4 + 8 * box.length + 4 * (ints.length + starts.length) + 8 * (flat.length + extra),
  );
  let at = bytes.writeInt32LE(shapeType, 0);
  for (const value of box) at = bytes.writeDoubleLE(value, at);
  for (const value of [...ints, ...starts]) at = bytes.writeInt32LE(value, at);
  for (const value of flat) at = bytes.writeDoubleLE(value, at);
  for (let i = 0; i < extra; i++) at = bytes.writeDoubleLE(77.5, at);
  return bytes;
}

/** Bytes of a .shp. */
function shpBytes(shapeType: number, shapes: readonly ShapeSpec[]): Buffer {
  const records = shapes.map((shape, i) => {
    const content = shapeBytes(shapeType, shape);
    const header = Buffer.alloc(8);
    header.writeInt32BE(i + 1, 0);
    header.writeInt32BE(content.length / 2, 4);
    return Buffer.concat([header, content]);
  });
  const header = Buffer.alloc(100);
  header.writeInt32BE(9994, 0);
  header.writeInt32BE((100 + records.reduce((sum, record) => sum + record.length, 0)) / 2, 24);
  header.writeInt32LE(1000, 28);
  header.writeInt32LE(shapeType, 32);
  return Buffer.concat([header, ...records]);
}

/** Members of a shapefile by extension. */
export function shapefileMembers(spec: ShapefileSpec): Record<string, Buffer> {
  const members: Record<string, Buffer> = { shp: shpBytes(spec.shapeType, spec.shapes), dbf: dbfBytes(spec) };
  if (spec.prj !== undefined) members.prj = Buffer.from(spec.prj);
  if (spec.cpg !== undefined) members.cpg = Buffer.from(spec.cpg);
  return members;
}

/** Writes `<stem>.shp`, `.dbf` and, where stated, `.prj` and `.cpg`; returns their paths. */
export async function writeShapefile(stem: string, spec: ShapefileSpec): Promise<string[]> {
  const paths: string[] = [];
  for (const [extension, bytes] of Object.entries(shapefileMembers(spec))) {
    await writeFile(`${stem}.${extension}`, bytes);
    paths.push(`${stem}.${extension}`);
  }
  return paths;
}
