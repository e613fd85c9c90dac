import type { SchemaElement } from 'hyparquet';
import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import type { Bbox } from '../../schema/grid.ts';
import type { ColumnType, Table } from '../../schema/table.ts';
import { hasGeometry, plainColumns, wkbOf } from './exported_geometry.ts';
import { BBOX_FIELDS, WrittenGeometry } from './geo_metadata.ts';
import type { RowFile } from './row_file.ts';

/** Maximum rows of a row group, and bytes of its shapes, held in memory at a time. All rows of a group are of one state. */
const GROUP_ROWS = 20_000;
const GROUP_BYTES = 32_000_000;

/** Array types with the type of their items. */
const ITEM = { 'text[]': 'text', 'int4[]': 'int4', 'float8[]': 'float8' } as const;

const SCALARS: Readonly<Record<Exclude<ColumnType, keyof typeof ITEM>, Partial<SchemaElement>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  int2: { type: 'INT32' },
  int4: { type: 'INT32' },
  float8: { type: 'DOUBLE' },
  bool: { type: 'BOOLEAN' },
  date: { type: 'INT32', converted_type: 'DATE' },
  bytea: { type: 'BYTE_ARRAY' },
  jsonb: { type: 'BYTE_ARRAY', converted_type: 'JSON' },
};

/** Returns the schema of a column; arrays are three-level lists, as Parquet requires. */
function elements(name: string, type: ColumnType, nullable: boolean): SchemaElement[] {
  const repetition_type = nullable ? 'OPTIONAL' : 'REQUIRED';
  if (!(type in ITEM)) return [{ name, repetition_type, ...SCALARS[type as keyof typeof SCALARS] }];
  const element = SCALARS[ITEM[type as keyof typeof ITEM]];
  return [
    { name, repetition_type, num_children: 1, converted_type: 'LIST' },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'REQUIRED', ...element },
  ];
}

/** Bounding box of the geometry, so that readers can skip row groups. */
const BBOX: SchemaElement[] = [
  { name: 'bbox', repetition_type: 'OPTIONAL', num_children: BBOX_FIELDS.length },
  ...BBOX_FIELDS.map((name): SchemaElement => ({ name, repetition_type: 'REQUIRED', type: 'DOUBLE' })),
];
const bboxStruct = (box: Bbox | null): Record<string, number> | null =>
  box && Object.fromEntries(BBOX_FIELDS.map((field, i) => [field, box[i]!]));

/**
 * Writes a table as (Geo)Parquet with a row group for each state, or several if it is large. `omitted`: columns that the path of the file
 * states.
 */
export function parquetFile(
  path: string,
  table: Table,
  about: Readonly<Record<string, string>>,
  omitted: readonly string[] = [],
): RowFile {
  const columns = plainColumns(table).filter(([name]) => !omitted.includes(name));
  const isPlaced = hasGeometry(table);
  const schema: SchemaElement[] = [
    { name: 'root', num_children: columns.length + (isPlaced ? 2 : 0) },
    ...columns.flatMap(([name, { type, nullable }]) => elements(name, type, nullable)),
    ...(isPlaced ? [...elements('geometry', 'bytea', true), ...BBOX] : []),
  ];
  const geo = new WrittenGeometry();
  const writer = new ParquetWriter({
    writer: fileWriter(path),
    schema,
    createdBy: 'property-data-pipeline',
  });
  const hasState = 'state' in table.columns;
  let rows: Readonly<Record<string, unknown>>[] = [];
  let shapes: (Uint8Array | null)[] = [];
  let boxes: (Bbox | null)[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    if (rows.length === 0) return;
    const columnData = columns.map(([name, { type }]) => ({
      name,
      data: rows.map((row) => {
        const value = row[name];
        return type === 'date' && value != null ? new Date(value as string) : value;
      }),
      // Minimum and maximum of JSON texts are useless.
      statistics: type !== 'jsonb',
    }));
    const geometry = isPlaced
      ? [
          { name: 'geometry', data: shapes, statistics: false },
          { name: 'bbox', data: boxes.map(bboxStruct) },
        ]
      : [];
    await writer.write({ columnData: [...columnData, ...geometry], rowGroupSize: rows.length });
    rows = [];
    shapes = [];
    boxes = [];
    bytes = 0;
  };
  return {
    async add(more) {
      for (const row of more) {
        const isOther = hasState && rows.length > 0 && rows[0]!.state !== row.state;
        if (isOther || rows.length >= GROUP_ROWS || bytes >= GROUP_BYTES) await flush();
        rows.push(row);
        if (!isPlaced) continue;
        const wkb = wkbOf(row);
        shapes.push(wkb);
        boxes.push(wkb === null ? null : geo.add(wkb));
        bytes += wkb?.byteLength ?? 0;
      }
    },
    async end() {
      await flush();
      const facts = Object.entries({ ...about, ...(isPlaced ? { geo: geo.json() } : {}) });
      writer.kvMetadata = facts.map(([key, value]) => ({ key, value }));
      await writer.finish();
    },
  };
}
