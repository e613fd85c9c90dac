import { DelimitedWriter } from '../formats/delimited_writer.ts';
import type { PlaceSink, SamplePlace } from './sample_place.ts';

/** What the table calls each category. */
export const CSV_KINDS: Readonly<Record<string, SamplePlace['category']>> = {
  Supermarket: 'supermarket',
  Reserve: 'green_space',
  'Eating place': 'restaurant',
  Beach: 'beach',
  'Railway station': 'railway_station',
};
const KIND_OF = Object.fromEntries(Object.entries(CSV_KINDS).map(([kind, category]) => [category, kind]));

/** Writes places as a table of points, as councils publish them; what must be left out is of a kind that is no place. */
export class PlacesCsvWriter implements PlaceSink {
  readonly file: string;
  readonly #dataset: string;
  readonly #out: DelimitedWriter;

  constructor(path: string, file: string, dataset: string) {
    this.file = file;
    this.#dataset = dataset;
    this.#out = new DelimitedWriter(path, 'Asset No,Name,Kind,Longitude,Latitude', '\r\n');
  }

  write({ serial, category, name, drop }: SamplePlace, points: readonly Float64Array[]): string {
    const [lon, lat] = [points[0]![0]!.toFixed(7), points[0]![1]!.toFixed(7)];
    this.#out.line(`${serial},${name},${drop === null ? KIND_OF[category] : 'Private land'},${lon},${lat}`);
    return `${this.#dataset}/${serial}`;
  }

  close(): void {
    this.#out.close();
  }
}
