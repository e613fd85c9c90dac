import { open } from 'node:fs/promises';
import type { Table } from '../../schema/table.ts';
import { geoJsonOf, hasGeometry, plainColumns, wkbOf } from './exported_geometry.ts';
import type { RowFile } from './row_file.ts';

/** Starts of texts that a spreadsheet runs as a formula. */
const FORMULA = /^[=+\-@\t\r\n\uff0b\uff0d\uff1d\uff20]/;

/** Prefixes texts that start like a formula with an apostrophe, so that a spreadsheet shows them as text. */
const printable = (value: unknown): unknown =>
  typeof value === 'string' && FORMULA.test(value) ? `'${value}` : value;

/** Formats a cell by RFC 4180. Null is empty, an empty text is quoted, an object is JSON. */
function cell(value: unknown): string {
  if (value == null) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Writes a table as UTF-8 CSV with a header. Shapes are WKB in hexadecimal; points have longitude and latitude. Texts that a spreadsheet
 * would run get an apostrophe prefix, unless `rawTexts`.
 */
export async function csvFile(path: string, table: Table, rawTexts = false): Promise<RowFile> {
  const names = plainColumns(table).map(([name]) => name);
  const isShape = 'geom' in table.columns;
  const file = await open(path, 'wx');
  await file.write(`${[...names, ...(isShape ? ['geometry'] : [])].join(',')}\r\n`);
  const line = (row: Readonly<Record<string, unknown>>): string => {
    const cells = names.map((name) => cell(rawTexts ? row[name] : printable(row[name])));
    if (isShape) cells.push(Buffer.from(wkbOf(row) ?? []).toString('hex'));
    return `${cells.join(',')}\r\n`;
  };
  return {
    add: async (rows) => void (await file.writeFile(rows.map(line).join(''))),
    end: () => file.close(),
  };
}

/** Writes a table as a GeoJSON feature collection, one feature a line, with GDA2020 coordinates. */
export async function geoJsonFile(path: string, table: Table): Promise<RowFile> {
  if (!hasGeometry(table)) throw new Error(`${table.name} has no geometry`);
  const names = plainColumns(table).map(([name]) => name);
  const file = await open(path, 'wx');
  await file.write('{"type":"FeatureCollection","features":[');
  let before = '\n';
  return {
    async add(rows) {
      const features = rows.map((row) =>
        JSON.stringify({
          type: 'Feature',
          geometry: geoJsonOf(row),
          properties: Object.fromEntries(names.map((name) => [name, row[name] ?? null])),
        }),
      );
      await file.writeFile(`${before}${features.join(',\n')}`);
      before = ',\n';
    },
    async end() {
      await file.writeFile('\n]}\n');
      await file.close();
    },
  };
}
