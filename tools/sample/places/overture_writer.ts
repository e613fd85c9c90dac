import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import { encodePointWkb } from '../../../transforms/geo/wkb.ts';
import type { PlaceSink, SamplePlace } from './sample_place.ts';

/** Rows that are held before they become a row group. */
const GROUP_ROWS = 10_000;

type Row = Readonly<Record<string, unknown>>;

const optional = { repetition_type: 'OPTIONAL' } as const;
const text = (name: string) => ({ name, type: 'BYTE_ARRAY', converted_type: 'UTF8', ...optional }) as const;
const group = (name: string, num_children: number) => ({ name, num_children, ...optional }) as const;
const list = (name: string) =>
  [
    { name, converted_type: 'LIST', num_children: 1, ...optional },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  ] as const;

/** The columns of the places theme that matter here, nested as published. */
const SCHEMA = [
  { name: 'root', num_children: 9 },
  text('id'),
  { name: 'geometry', type: 'BYTE_ARRAY', ...optional },
  group('names', 1),
  text('primary'),
  group('categories', 1),
  text('primary'),
  text('basic_category'),
  group('taxonomy', 2),
  text('primary'),
  ...list('hierarchy'),
  text('element'),
  { name: 'confidence', type: 'DOUBLE', ...optional },
  text('operating_status'),
  ...list('addresses'),
  group('element', 2),
  text('region'),
  text('country'),
] as const;
const COLUMNS = [
  'id',
  'geometry',
  'names',
  'categories',
  'basic_category',
  'taxonomy',
  'confidence',
  'operating_status',
  'addresses',
];

/** Overture's names: the category and what stands above it. */
const NAMES: Readonly<Record<SamplePlace['category'], readonly [primary: string, ...above: string[]]>> = {
  supermarket: ['supermarket', 'food_and_beverage_store', 'shopping'],
  green_space: ['park', 'recreational_location'],
  restaurant: ['thai_restaurant', 'restaurant', 'food_and_drink'],
  beach: ['beach', 'natural_feature'],
  railway_station: ['train_station', 'transportation_location'],
};

const GEO = JSON.stringify({
  version: '1.1.0',
  primary_column: 'geometry',
  columns: { geometry: { encoding: 'WKB', geometry_types: ['Point'] } },
});

/** Streams places as a GeoParquet of Overture: points only, half of them with the columns of the older releases. */
export class OvertureWriter implements PlaceSink {
  readonly file: string;
  readonly #writer: ParquetWriter;
  readonly #region: string;
  #rows: Row[] = [];

  constructor(path: string, file: string, region: string) {
    this.file = file;
    this.#region = region;
    this.#writer = new ParquetWriter({
      writer: fileWriter(path),
      schema: SCHEMA as never,
      kvMetadata: [{ key: 'geo', value: GEO }],
      createdBy: 'sample country',
    });
  }

  write({ serial, category, name, drop }: SamplePlace, points: readonly Float64Array[]): string {
    const id = `08f${serial.toString(16).padStart(13, '0')}`;
    const [primary, ...above] = NAMES[category];
    const isOld = serial % 2 === 0;
    this.#rows.push({
      id,
      geometry: encodePointWkb({ coords: points[0]!.slice(0, 2) }),
      names: { primary: name },
      categories: isOld ? { primary } : null,
      basic_category: isOld ? null : primary,
      taxonomy: isOld ? null : { primary, hierarchy: [...above.reverse(), primary] },
      confidence: drop === 'low_confidence' ? 0.2 : 0.9,
      operating_status: drop === 'closed' ? 'permanently_closed' : 'open',
      addresses: [{ region: `AU-${this.#region}`, country: 'AU' }],
    });
    if (this.#rows.length === GROUP_ROWS) this.#flush();
    return `overture:${id}`;
  }

  close(): void {
    if (this.#rows.length > 0) this.#flush();
    this.#writer.finish();
  }

  #flush(): void {
    const columnData = COLUMNS.map((name) => ({ name, data: this.#rows.map((row) => row[name]) }));
    this.#writer.write({ columnData: columnData as never, rowGroupSize: GROUP_ROWS });
    this.#rows = [];
  }
}
