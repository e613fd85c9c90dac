import { execFile } from 'node:child_process';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { feature, geoPackage, squareAt } from '../feature_writers.ts';
import { shapefileMembers, square } from '../shapefile_writer.ts';
import { zipBytes } from '../zip_writer.ts';
import type { Outcome } from './hostile_reading.ts';

/** Heap of the process that reads; what is outside it (buffers) is bounded by PEAK_MB. */
const HEAP_MB = 256;
const PEAK_MB = 900;
const CHILD = fileURLToPath(new URL('./hostile_child.mjs', import.meta.url));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hostile-sizes-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const LARGE = 100 << 20;
/** A text of 100 MB between two others. */
const around = (before: string, after: string, fill = 'z'): Buffer => {
  const bytes = Buffer.alloc(before.length + LARGE + after.length, fill);
  bytes.write(before, 0);
  bytes.write(after, before.length + LARGE);
  return bytes;
};
const POINT = '"geometry":{"type":"Point","coordinates":[145,-37]}';
const VERTICES = 10_000_000;

/** A .shp with a polygon of ten million vertices, which all are the same. */
async function manyVertices(): Promise<string> {
  const members = shapefileMembers({
    shapeType: 5,
    fields: [['ID', 'C', 4]],
    rows: [['a'], ['b']],
    shapes: [[square(145, -37, 0.01)], [square(145, -37, 0.01)]],
  }) as { shp: Buffer; dbf: Buffer };
  const content = 44 + 4 + 16 * VERTICES;
  const record = Buffer.alloc(8 + content);
  members.shp.copy(record, 0, 100, 100 + 8 + 48);
  record.writeInt32BE(content / 2, 4);
  record.writeInt32LE(VERTICES, 8 + 40);
  const [x, y] = [145.5, -37.5];
  record.writeDoubleLE(x, 56);
  record.writeDoubleLE(y, 64);
  record.copyWithin(72, 56, 72);
  for (let filled = 32; filled < 16 * VERTICES; filled *= 2) record.copyWithin(56 + filled, 56, 56 + filled);
  const header = Buffer.from(members.shp.subarray(0, 100));
  const rest = members.shp.subarray(100 + 8 + 48 + 80);
  header.writeInt32BE((100 + record.length + rest.length) / 2, 24);
  const path = join(folder, 'vertices.shp');
  await writeFile(path, Buffer.concat([header, record, rest]));
  await writeFile(join(folder, 'vertices.dbf'), members.dbf);
  return path;
}

const nested = (depth: number, value: string) => '['.repeat(depth) + value + ']'.repeat(depth);
const featureOf = (members: string) => `{"type":"Feature",${members}}\n`;
const GOOD = featureOf(`"properties":{"id":"good"},${POINT}`);

type Case = [
  what: string,
  kind: string,
  write: (path: string) => Promise<unknown>,
  name: string,
  expected: Partial<Outcome>,
];
const text = (bytes: Buffer | string) => (path: string) => writeFile(path, bytes);

const CASES: Case[] = [
  [
    'CSV, 100 MB in one field',
    'csv',
    text(around('id,longitude,latitude\n1,145,-37\n', ',145,-37\n2,145,-37\n')),
    'a.csv',
    { error: null, rows: 2, rejects: ['line_too_long'] },
  ],
  [
    'CSV, 100 MB in quotes',
    'csv',
    text(around('id,longitude,latitude\n"', '",145,-37\n')),
    'b.csv',
    { error: 'line_too_long' },
  ],
  [
    'PSV, 100 MB in one field',
    'psv',
    text(around('ID|NAME\n1|', '\n2|x\n')),
    'a.psv',
    { error: null, rows: 1, rejects: ['line_too_long'] },
  ],
  [
    'NDJSON, 100 MB in one field',
    'ndjson',
    text(around(`${GOOD}{"type":"Feature","properties":{"id":"`, `"},${POINT}}\n${GOOD}`)),
    'a.ndjson',
    { error: null, rows: 2, rejects: ['feature_too_large'] },
  ],
  [
    'NDJSON, lists a million deep',
    'ndjson',
    text(
      `${GOOD}${featureOf(`"properties":{"id":${nested(1_000_000, '1')}},${POINT}`)}${featureOf(`"properties":{},"geometry":{"type":"Polygon","coordinates":${nested(1_000_000, '145,-37')}}`)}${GOOD}`,
    ),
    'b.ndjson',
    { error: null, rows: 2 },
  ],
  [
    'NDJSON, numbers that are none',
    'ndjson',
    text(
      ['1e999', '-1e999', 'NaN', 'Infinity', '"1"', 'null']
        .map((n) => featureOf(`"properties":{"id":"x"},"geometry":{"type":"Point","coordinates":[${n},-37]}`))
        .join('') + GOOD,
    ),
    'c.ndjson',
    { error: null, rows: 1, rejects: ['bad_coordinate', 'bad_json'] },
  ],
  [
    'a shapefile of ten million vertices',
    'shapefile',
    manyVertices,
    'vertices.shp',
    { error: null, rows: 1, rejects: ['too_many_vertices'] },
  ],
  [
    'XML, 100 MB in one element',
    'xml',
    text(around('<propertyList><residential><uniqueID>', '</uniqueID></residential></propertyList>')),
    'a.xml',
    { error: 'bad_xml' },
  ],
  [
    'XML, entities of entities, which stay as they are',
    'xml',
    text(
      `<!DOCTYPE lolz [<!ENTITY a "lol">${'bcdefghij'
        .split('')
        .map((e, i) => `<!ENTITY ${e} "${`&${'abcdefghi'[i]};`.repeat(10)}">`)
        .join('')}]><propertyList><residential><uniqueID>&j;</uniqueID></residential></propertyList>`,
    ),
    'b.xml',
    { error: null, rows: 1 },
  ],
  [
    'XML, an entity from a file, which is not opened',
    'xml',
    text(
      '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><propertyList><residential><uniqueID>&e;</uniqueID></residential></propertyList>',
    ),
    'c.xml',
    { error: null, rows: 1 },
  ],
  [
    'a workbook with 100 MB in one cell',
    'xlsx',
    async (path) =>
      writeFile(
        path,
        await workbook(around('<row r="1"><c r="A1" t="inlineStr"><is><t>', '</t></is></c></row>')),
      ),
    'a.xlsx',
    { error: 'file_too_large', rows: 0 },
  ],
  [
    'a workbook with a cell at the far corner',
    'xlsx',
    async (path) =>
      writeFile(path, await workbook(Buffer.from('<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'))),
    'b.xlsx',
    { error: 'archive_bomb', rows: 0 },
  ],
  [
    'Parquet, 100 MB in one field',
    'parquet',
    largeParquet,
    'a.parquet',
    { error: null, rows: 1, rejects: ['long_value'] },
  ],
  [
    'a GeoPackage with 100 MB in one field',
    'geopackage',
    async (path) =>
      writeFile(
        path,
        await geoPackage([feature({ id: 'a' }), feature({ id: 'b' })], {
          also: 'UPDATE layer SET id = zeroblob(100000000) WHERE fid = 1',
        }),
      ),
    'a.gpkg',
    { error: null, rows: 1, rejects: ['long_value'] },
  ],
  [
    'a zip whose member unpacks to a thousand times its size',
    'zip',
    async (path) => writeFile(path, await zipBytes([{ name: 'layer.shp', bytes: Buffer.alloc(LARGE + 1) }])),
    'a.zip',
    { error: 'archive_bomb' },
  ],
  [
    'FlatGeobuf, a feature that states 4 GB',
    'flatgeobuf',
    sparse(Buffer.from('6667620366676200ffffffff', 'hex')),
    'a.fgb',
    { error: 'bad_flatgeobuf' },
  ],
];

/** A file of 5 GB that holds nothing behind its first bytes. */
function sparse(start: Buffer) {
  return async (path: string) => {
    const handle = await open(path, 'w');
    await handle.write(start);
    await handle.truncate(5 * 2 ** 30);
    await handle.close();
  };
}

async function workbook(rows: Buffer): Promise<Buffer> {
  const sheet = Buffer.concat([
    Buffer.from('<worksheet><sheetData>'),
    rows,
    Buffer.from('</sheetData></worksheet>'),
  ]);
  const part = (name: string, xml: string) => ({ name, bytes: Buffer.from(xml) });
  return zipBytes([
    part(
      'xl/workbook.xml',
      '<workbook xmlns:r="r"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>',
    ),
    part(
      'xl/_rels/workbook.xml.rels',
      '<Relationships><Relationship Id="rId1" Type="x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
    ),
    { name: 'xl/worksheets/sheet1.xml', bytes: sheet, store: true },
  ]);
}

async function largeParquet(path: string): Promise<void> {
  const geo = { primary_column: 'geometry', columns: { geometry: { encoding: 'WKB' } } };
  const { wkbOf } = await import('../feature_writers.ts');
  const wkb = wkbOf(squareAt(145, -37));
  const bytes = parquetWriteBuffer({
    columnData: [
      { name: 'id', data: ['x'.repeat(LARGE), 'b'], type: 'STRING' },
      { name: 'geometry', data: [wkb, wkb], type: 'BYTE_ARRAY' },
    ],
    codec: 'UNCOMPRESSED',
    statistics: false,
    kvMetadata: [{ key: 'geo', value: JSON.stringify(geo) }],
  });
  await writeFile(path, Buffer.from(bytes));
}

it('hostile sizes end in order, in bounded memory', async () => {
  const names: string[] = [];
  for (const [, kind, write, name] of CASES) {
    await write(join(folder, name));
    names.push(kind, join(folder, name));
  }
  const { stdout } = await promisify(execFile)(process.execPath, [
    `--max-old-space-size=${HEAP_MB}`,
    CHILD,
    ...names,
  ]);
  const outcomes = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Outcome & { peak_mb: number | null });
  for (const [i, [what, , , , expected]] of CASES.entries()) {
    expect(outcomes[i], what).toMatchObject(expected);
    expect(outcomes[i]!.isNamed, `${what}: the error names the file`).toBe(true);
    expect(outcomes[i]!.peak_mb ?? 0, `${what}: peak memory`).toBeLessThan(PEAK_MB);
  }
  expect(outcomes).toHaveLength(CASES.length);
});
