import { feature, geoPackage, geoParquet, gpkgBlob, type Model, squareAt } from '../feature_writers.ts';
import { address, memberOf, membersOf, psv, tinyTables } from '../gnaf/tiny_release.ts';
import { shapefileMembers, square } from '../shapefile_writer.ts';
import { xlsxBytes } from '../workbook_fixture.ts';
import { type ZipMember, zipBytes } from '../zip_writer.ts';
import { LAYER, ROWS } from './hostile_files.ts';
import type { Outcome } from './hostile_reading.ts';

/** Makes a damaged file of a whole one. */
type Make = (bytes: Buffer) => Buffer | Promise<Buffer>;

/** What reading must give. `member`: part of the message. */
type Expected = Partial<Outcome> & { readonly member?: string };

/** A damage of one file, and what reading it must give. */
export type Damage = readonly [file: string, what: string, make: Make, expected: Expected];

const put =
  (...places: readonly (readonly [at: number, value: number])[]): Make =>
  (bytes) => {
    const out = Buffer.from(bytes);
    for (const [at, value] of places) out[at < 0 ? out.length + at : at] = value;
    return out;
  };
const int32 =
  (at: number, value: number, order: 'LE' | 'BE' = 'LE'): Make =>
  (bytes) => {
    const out = Buffer.from(bytes);
    out[`writeInt32${order}`](value, at);
    return out;
  };
const cut =
  (end: number): Make =>
  (bytes) =>
    bytes.subarray(0, end);
const text =
  (content: string): Make =>
  () =>
    Buffer.from(content);
const replaced =
  (from: string, to: string): Make =>
  (bytes) =>
    Buffer.from(bytes.toString('latin1').replaceAll(from, to), 'latin1');

const refused = (error: string): Partial<Outcome> => ({ error, rows: 0 });
const one = (code: string, rows = ROWS - 1): Partial<Outcome> => ({ error: null, rejects: [code], rows });
const WHOLE: Partial<Outcome> = { error: null, rejects: [], rows: ROWS };

/** Bytes of a record of the .shp: a header of 8, then type and box (36), counts (8), one part (4), five points (80). */
const RECORD = 8 + 36 + 8 + 4 + 80;
const CONTENT = 100 + 8;
const SHAPEFILE: readonly Damage[] = [
  ...(
    [
      ['more points than the record holds', int32(CONTENT + 40, 6)],
      ['more points than any record holds', int32(CONTENT + 40, 2 ** 31 - 1)],
      ['fewer than no points', int32(CONTENT + 40, -1)],
      ['more parts than the record holds', int32(CONTENT + 36, 1_000_000)],
      ['fewer than no parts', int32(CONTENT + 36, -5)],
      ['no parts', int32(CONTENT + 36, 0)],
      ['a first part that does not start at 0', int32(CONTENT + 44, 1)],
      ['another shape type', int32(CONTENT, 3)],
      ['an unknown shape type', int32(CONTENT, 77)],
      ['an unknown shape type in the last record', int32(100 + RECORD * (ROWS - 1) + 8, 77)],
      [
        'part starts that go back',
        () => {
          const ring = square(146, -37, 0.01);
          const shapes = LAYER.shapes.with(0, [ring, ring]);
          const { shp } = shapefileMembers({ ...LAYER, shapes }) as { shp: Buffer };
          return int32(CONTENT + 48, 99)(shp);
        },
      ],
    ] satisfies [string, Make][]
  ).map(([what, make]): Damage => ['a.shp', what, make, one('bad_shape')]),
  ...(
    [
      ['shorter than it is', 60, 2],
      ['nothing', 0, 1],
      ['negative', -8, 1],
      ['enormous', 2 ** 30, 1],
    ] as const
  ).map(
    ([what, length, at]): Damage => [
      'a.shp',
      `a record length that is ${what}`,
      int32(104, length, 'BE'),
      { error: 'bad_shape', rejects: [], feature: at },
    ],
  ),
  ...[1, 2, 3].map(
    (n): Damage => [
      'a.shp',
      `an end in record ${n + 1}`,
      cut(100 + RECORD * n + 50),
      { error: 'truncated_shapefile', feature: n + 1 },
    ],
  ),
  ['a.shp', 'bytes beyond the stated length', (bytes) => Buffer.concat([bytes, Buffer.alloc(33, 7)]), WHOLE],
  ...[ROWS - 1, ROWS + 1].map(
    (rows): Damage => [
      'b.dbf',
      `${rows} records`,
      () => {
        const own = Array.from({ length: rows }, (_, i) => [`id-${i}`, `${i}.5`]);
        return (shapefileMembers({ ...LAYER, rows: own }) as { dbf: Buffer }).dbf;
      },
      { error: 'dbf_shp_mismatch' },
    ],
  ),
];

/** The members of the zip of a shapefile, changed, packed again. */
const repacked =
  (edit: (members: ZipMember[]) => ZipMember[], change: Make = (bytes) => bytes): Make =>
  async () =>
    change(
      await zipBytes(
        edit(
          Object.entries(shapefileMembers(LAYER)).map(([part, bytes]) => ({ name: `layer.${part}`, bytes })),
        ),
      ),
    );
const beside = (more: ZipMember, change?: Make): Make => repacked((members) => [...members, more], change);
const DIRECTORY = 'PK\x01\x02';
/** Changes every entry of the directory of a zip. */
const inDirectory =
  (change: (bytes: Buffer, at: number) => void, most = Number.POSITIVE_INFINITY): Make =>
  (bytes) => {
    const out = Buffer.from(bytes);
    let at = out.indexOf(DIRECTORY, 0, 'latin1');
    for (let n = 0; at >= 0 && n < most; n++, at = out.indexOf(DIRECTORY, at + 1, 'latin1')) change(out, at);
    return out;
  };
const EVIL: ZipMember = { name: 'a/b/evil.shp', bytes: Buffer.from('x') };
const ZIP: readonly Damage[] = [
  ...(
    [
      ['leaves the folder', 'a/b/evil.shp', '../../ev.shp'],
      ['is absolute', 'xx/evil.shp', '/etc/ev.shp'],
      ['has a drive letter', 'xxxevil.shp', 'C:/evil.shp'],
    ] as const
  ).map(
    ([what, from, to]): Damage => [
      'layer.zip',
      `a path that ${what}`,
      beside({ ...EVIL, name: from }, replaced(from, to)),
      refused('unsafe_archive'),
    ],
  ),
  [
    'layer.zip',
    'a symbolic link',
    beside({ name: 'passwd.shp', bytes: Buffer.from('/etc/passwd'), mode: 0o120777 }),
    refused('unsafe_archive'),
  ],
  [
    'layer.zip',
    'a member twice',
    beside({ name: 'layer.shp', bytes: Buffer.from('x') }),
    refused('bad_archive'),
  ],
  [
    'layer.zip',
    'a member that unpacks to a thousand times its size',
    beside({ name: 'zeros', bytes: Buffer.alloc(110 << 20) }),
    refused('archive_bomb'),
  ],
  [
    'layer.zip',
    'members that hold more than the directory says',
    inDirectory((bytes, at) => bytes.writeUInt32LE(100, at + 24), 1),
    refused('bad_archive'),
  ],
  [
    'layer.zip',
    'encrypted members',
    inDirectory((bytes, at) => bytes.writeUInt16LE(bytes.readUInt16LE(at + 8) | 1, at + 8)),
    refused('bad_archive'),
  ],
  [
    'layer.zip',
    'an unknown compression',
    inDirectory((bytes, at) => bytes.writeUInt16LE(9, at + 10)),
    refused('unsupported_compression'),
  ],
  ...[true, false].map(
    (store): Damage => [
      'layer.zip',
      `damaged content, ${store ? 'stored' : 'deflated'}`,
      repacked(
        (members) => members.map((each) => ({ ...each, store })),
        (bytes) => put([100, bytes[100]! ^ 0xff])(bytes),
      ),
      refused('bad_archive'),
    ],
  ),
  [
    'layer.zip',
    'a broken .shp inside',
    repacked((members) =>
      members.map((each) =>
        each.name.endsWith('.shp') ? { ...each, bytes: each.bytes.subarray(0, 200) } : each,
      ),
    ),
    { error: 'truncated_shapefile' },
  ],
];

const JSON_TEXT: readonly Damage[] = [
  ...(
    [
      ['blank', ' \n'],
      ['a shape without features', '{"type":"Polygon","coordinates":[]}'],
      ['TopoJSON', '{"type":"Topology","objects":{}}'],
      ['an object without features', '{"a":1}'],
      ['an object cut off', '{"a":'],
    ] as const
  ).map(([what, content]): Damage => ['a.geojson', what, text(content), refused('bad_geojson')]),
  ['a.geojson', 'an unclosed quote', replaced('"id-0"', '"id-0'), { error: 'truncated_json' }],
  ['a.ndjson', 'an unclosed quote', replaced('"id-0"', '"id-0'), one('bad_json')],
  ['a.geojson.gz', 'no gzip', text('no gzip'), refused('bad_archive')],
];

const three: Model = ['a', 'b', 'c'].map((id, i) => feature({ id, n: i }, squareAt(145 + i / 10, -37)));
const database =
  (also: string): Make =>
  () =>
    geoPackage(three, { also });
const blob = (at: number, value: number): string => {
  const bytes = Buffer.from(gpkgBlob(squareAt(145, -37))!);
  bytes[at] = value;
  return `UPDATE layer SET geom = x'${bytes.toString('hex')}' WHERE fid = 2`;
};
const GEOPACKAGE: readonly Damage[] = [
  ['a.gpkg', 'a header only', text('SQLite format 3\0'.padEnd(100, 'x')), refused('bad_geopackage')],
  [
    'a.gpkg',
    'a geometry that is none',
    database("UPDATE layer SET geom = x'4750' WHERE fid = 2"),
    one('bad_shape', 2),
  ],
  ['a.gpkg', 'a geometry of an unknown type', database(blob(41, 9)), one('bad_shape', 2)],
  [
    'a.gpkg',
    'a text of 2 MB',
    database('UPDATE layer SET id = hex(zeroblob(1000000)) WHERE fid = 1'),
    one('long_value', 2),
  ],
  [
    'a.gpkg',
    'pages that lead to one another in a circle',
    async () => {
      const bytes = await geoPackage(Array.from({ length: 400 }, (_, i) => feature({ id: `${i}` })));
      const pages = Array.from({ length: bytes.length / 4096 }, (_, i) =>
        bytes.subarray(4096 * i, 4096 * (i + 1)),
      );
      const page = pages.find((each, i) => i > 0 && each[0] === 5)!;
      const cells = page.readUInt16BE(3);
      for (let i = 1; i < cells; i++)
        page.copyWithin(page.readUInt16BE(12 + 2 * i), page.readUInt16BE(12), page.readUInt16BE(12) + 4);
      return bytes;
    },
    { error: 'bad_geopackage' },
  ],
];

const FLATGEOBUF: readonly Damage[] = [
  [
    'a.fgb',
    'a feature that states more coordinates than there are',
    (bytes) => {
      const out = Buffer.from(bytes);
      out.writeUInt32LE(0x7fffffff, out.indexOf(Buffer.from(new Float64Array([145, -37]).buffer)) - 4);
      return out;
    },
    one('bad_feature'),
  ],
  ['a.fgb', 'a header of 4 GB', put([8, 255], [9, 255], [10, 255], [11, 255]), refused('bad_flatgeobuf')],
];

const PARQUET: readonly Damage[] = [
  ['a.parquet', 'a footer of 4 GB', put([-8, 255], [-7, 255], [-6, 255], [-5, 255]), refused('bad_parquet')],
  ['a.parquet', 'no geo metadata', () => geoParquet(three, { geo: null }), refused('bad_parquet')],
  [
    'a.parquet',
    'another encoding',
    () =>
      geoParquet(three, {
        geo: { primary_column: 'geometry', columns: { geometry: { encoding: 'point' } } },
      }),
    refused('bad_parquet'),
  ],
  [
    'a.parquet',
    'no geometry column',
    () => geoParquet(three, { geo: { primary_column: 'g', columns: { g: { encoding: 'WKB' } } } }),
    refused('bad_parquet'),
  ],
  [
    'a.parquet',
    'a geometry that is no WKB',
    (bytes) => put([bytes.indexOf(Buffer.from([1, 6, 0, 0, 0])) + 1, 99])(bytes),
    one('bad_shape'),
  ],
  ...(
    [
      [5, 0x00],
      [7, 0xff],
      [8, 0x00],
      [10, 0x00],
    ] as const
  ).map(
    (place): Damage => [
      'a.parquet',
      `a page whose size lies at byte ${place[0]}`,
      () => put(place)(geoParquet(three, { rowGroupSize: 2 })),
      { error: 'bad_parquet' },
    ],
  ),
];

/** A workbook of these parts. */
const parts =
  (workbook: string): Make =>
  () =>
    zipBytes([
      { name: 'xl/workbook.xml', bytes: Buffer.from(workbook) },
      { name: 'xl/_rels/workbook.xml.rels', bytes: Buffer.from('<Relationships/>') },
    ]);
const WORKBOOK: readonly Damage[] = [
  ['a.xlsx', 'no zip', text('PK, but no zip at all'), refused('bad_archive')],
  [
    'a.xlsx',
    'a zip that is no workbook',
    () => zipBytes([{ name: 'a.xml', bytes: Buffer.from('<a/>') }]),
    refused('bad_workbook'),
  ],
  ['a.xlsx', 'broken XML', parts('<workbook><sheets>'), refused('bad_workbook')],
  [
    'a.xlsx',
    'entities that the file defines',
    parts(
      '<!DOCTYPE a [<!ENTITY b "c">]><workbook><sheets><sheet name="&b;" r:id="r1"/></sheets></workbook>',
    ),
    refused('bad_workbook'),
  ],
  ['a.xlsx', 'no sheets', parts('<workbook/>'), refused('bad_workbook')],
  [
    'a.xlsx',
    'a sheet without rows',
    () => xlsxBytes([{ name: 'S', rows: [] }]),
    { error: null, rejects: [], rows: 0 },
  ],
];

const DELIMITED: readonly Damage[] = [
  ['a.psv', 'a missing column', replaced('NAME', 'NAMES'), refused('missing_column')],
  ['a.psv', 'another delimiter', replaced('|', ','), refused('missing_column')],
  ['a.psv', 'a line without end', text(`ID|NAME\n${'x'.repeat(3_000_000)}`), refused('line_too_long')],
  ['a.psv', 'a short row', replaced('id0|', ''), one('short_row')],
  ['a.psv', 'a long row', replaced('id0|', 'id0||'), one('long_row')],
  ['a.psv', 'a zero byte', replaced('id0|', 'id0\0|'), one('bad_encoding')],
  [
    'a.psv',
    'bytes in another encoding',
    (bytes) => put([bytes.indexOf('é') + 1, 0x20])(bytes),
    one('bad_encoding'),
  ],
  ['a.psv', 'other line ends', replaced('\n', '\r\n'), WHOLE],
  ['a.csv', 'other line ends', replaced('\n', '\r'), WHOLE],
  ['a.csv', 'a stray quote', replaced('id0,', '"id0,'), { error: null, rows: ROWS - 1 }],
  ['a.csv', 'a ragged row', replaced('id0,', 'id0,,'), { error: null, rows: ROWS - 1 }],
  ['a.csv', 'a header without end', text(`${'z'.repeat(1_100_000)}\n1\n`), refused('line_too_long')],
];

const DETAIL = memberOf('ADDRESS_DETAIL');
const CODES = 'G-NAF/G-NAF NOVEMBER 2025/Authority Code/Authority_Code_FLAT_TYPE_AUT_psv.psv';
/** A release whose members are changed. */
const gnaf =
  (
    more: (members: Record<string, string>) => Record<string, string | Buffer>,
    change: Make = (bytes) => bytes,
  ): Make =>
  async () => {
    const members = membersOf({ ...tinyTables(), ADDRESS_DETAIL: [address(1), address(2), address(3)] });
    const packed = Object.entries({ ...members, ...more(members) });
    return change(await zipBytes(packed.map(([name, bytes]) => ({ name, bytes: Buffer.from(bytes) }))));
  };
const detail = (edit: (text: string) => string): Make =>
  gnaf((members) => ({ [DETAIL]: edit(members[DETAIL]!) }));
const GNAF: readonly Damage[] = [
  ...(
    [
      ['a missing column', (table: string) => table.replace('LEGAL_PARCEL_ID', 'PARCEL')],
      ['another delimiter', (table: string) => table.replaceAll('|', ',')],
      ['no header', (table: string) => table.slice(table.indexOf('\n') + 1)],
      ['UTF-16', (table: string) => table.replaceAll(/./g, '$&\0')],
      ['an empty table', () => ''],
    ] as const
  ).map(
    ([what, edit]): Damage => [
      'gnaf_gda2020.zip',
      what,
      detail(edit),
      { error: 'missing_column', member: DETAIL },
    ],
  ),
  [
    'gnaf_gda2020.zip',
    'a code list without its columns',
    gnaf(() => ({ [CODES]: 'KODE|NAME\r\nSE|SUITE\r\n' })),
    { error: 'missing_column', member: CODES },
  ],
  [
    'gnaf_gda2020.zip',
    'an empty code list',
    gnaf(() => ({ [CODES]: '' })),
    { error: 'missing_column', member: CODES },
  ],
  [
    'gnaf_gda2020.zip',
    'a line without end',
    gnaf(() => ({ [memberOf('ADDRESS_ALIAS')]: `${psv('ADDRESS_ALIAS', [])}${'x'.repeat(3_000_000)}` })),
    { error: 'line_too_long', member: 'ADDRESS_ALIAS' },
  ],
  [
    'gnaf_gda2020.zip',
    'a path that leaves the archive',
    gnaf(() => ({ 'xx/VIC_EVIL_psv.psv': 'x' }), replaced('xx/VIC', '../VIC')),
    refused('unsafe_archive'),
  ],
];

/** Every damage of a named kind. Those that need no name, cuts and flips, are done to every file in hostile.test.ts. */
export const DAMAGES: readonly Damage[] = [
  ...SHAPEFILE,
  ...ZIP,
  ...JSON_TEXT,
  ...GEOPACKAGE,
  ...FLATGEOBUF,
  ...PARQUET,
  ...WORKBOOK,
  ...DELIMITED,
  ...GNAF,
];
