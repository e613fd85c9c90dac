import { BinaryFile } from './binary_file.ts';
import type { DbfField, DbfValue } from './dbf_writer.ts';
import type { Rings } from './shapefile_writer.ts';

/** Decimals of a degree, about a millimetre. */
const DECIMALS = 8;

/** Streams polygons as a GeoJSON FeatureCollection in longitude and latitude; the file states no CRS, as RFC 7946 has it. */
export class GeojsonWriter {
  count = 0;
  private readonly file: BinaryFile;
  private readonly fields: readonly DbfField[];

  constructor(path: string, fields: readonly DbfField[]) {
    this.file = new BinaryFile(path);
    this.fields = fields;
    this.text('{"type":"FeatureCollection","features":[');
  }

  /** Several shells, or one shell with holes. */
  write(shape: Rings, values: readonly DbfValue[]): void {
    const properties = Object.fromEntries(this.fields.map(({ name }, i) => [name, values[i] ?? null]));
    const geometry = `{"type":"MultiPolygon","coordinates":${coordinates(shape)}}`;
    const comma = this.count++ === 0 ? '\n' : ',\n';
    this.text(`${comma}{"type":"Feature","properties":${JSON.stringify(properties)},"geometry":${geometry}}`);
  }

  close(): void {
    this.text('\n]}\n');
    this.file.close();
  }

  private text(text: string): void {
    this.file.append(Buffer.from(text));
  }
}

function coordinates({ coords, ringEnds, holes }: Rings): string {
  if (holes > 0 && ringEnds.length - holes > 1)
    throw new RangeError('holes of several shells cannot be told apart');
  const rings = ringEnds.map((end, i) => {
    const points: string[] = [];
    for (let v = i === 0 ? 0 : ringEnds[i - 1]!; v < end; v++)
      points.push(`[${coords[2 * v]!.toFixed(DECIMALS)},${coords[2 * v + 1]!.toFixed(DECIMALS)}]`);
    return `[${points.join(',')}]`;
  });
  return holes > 0 ? `[[${rings.join(',')}]]` : `[${rings.map((ring) => `[${ring}]`).join(',')}]`;
}
