import type { DbfField, DbfValue } from './dbf_writer.ts';
import { DelimitedWriter } from './delimited_writer.ts';
import type { Rings } from './shapefile_writer.ts';

/** Streams places as CSV: the columns, then Latitude and Longitude of the middle of the box around each shape. */
export class CsvPointWriter {
  private readonly lines: DelimitedWriter;

  constructor(path: string, fields: readonly DbfField[]) {
    const names = [...fields.map(({ name }) => name), 'Latitude', 'Longitude'];
    this.lines = new DelimitedWriter(path, names.join(','), '\r\n');
  }

  write({ coords }: Rings, values: readonly DbfValue[]): void {
    const middle = (axis: 0 | 1): string => {
      let [low, high] = [Infinity, -Infinity];
      for (let i = axis; i < coords.length; i += 2) {
        low = Math.min(low, coords[i]!);
        high = Math.max(high, coords[i]!);
      }
      return ((low + high) / 2).toFixed(7);
    };
    const cells = values.map((value) => (value === null ? '' : `"${String(value).replaceAll('"', '""')}"`));
    this.lines.line([...cells, middle(1), middle(0)].join(','));
  }

  close(): void {
    this.lines.close();
  }
}
