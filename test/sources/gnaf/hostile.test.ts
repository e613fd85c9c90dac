import { cp, mkdir, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gnafAdapter } from '../../../sources/gnaf/adapter.ts';
import {
  accountOf,
  address,
  datasetOfFiles,
  GnafFolder,
  geocode,
  memberOf,
  membersOf,
  pid,
  psv,
  readDataset,
  type Tables,
  tinyTables,
} from './tiny_release.ts';

let disk: GnafFolder;
beforeEach(async () => {
  disk = await GnafFolder.open();
});
afterEach(() => disk.close());

const DETAIL = memberOf('ADDRESS_DETAIL');
const readZip = async (members: Record<string, string | Buffer>, name?: string, config = {}) =>
  readDataset(datasetOfFiles([await disk.zip(members, name)], config));

describe('a bad row is a reject with its place', () => {
  const cases: [code: string, change: (tables: Tables) => void, message: string][] = [
    [
      'unknown_street',
      (t) => (t.ADDRESS_DETAIL![1] = address(2, { STREET_LOCALITY_PID: 'VIC404' })),
      'VIC404',
    ],
    ['unknown_locality', (t) => (t.ADDRESS_DETAIL![1] = address(2, { LOCALITY_PID: 'loc404' })), 'loc404'],
    ['bad_number', (t) => (t.ADDRESS_DETAIL![1] = address(2, { NUMBER_FIRST: '12A' })), 'NUMBER_FIRST "12A"'],
    ['bad_number', (t) => (t.ADDRESS_DETAIL![1] = address(2, { FLAT_NUMBER: '-1' })), 'FLAT_NUMBER "-1"'],
    ['bad_number', (t) => (t.ADDRESS_DETAIL![1] = address(2, { CONFIDENCE: '99999' })), 'CONFIDENCE "99999"'],
    [
      'bad_number',
      (t) => (t.ADDRESS_DETAIL![1] = address(2, { LEVEL_GEOCODED_CODE: '7.5' })),
      'LEVEL_GEOCODED_CODE "7.5"',
    ],
    ['bad_code', (t) => (t.ADDRESS_DETAIL![1] = address(2, { ALIAS_PRINCIPAL: 'X' })), 'neither P nor A'],
    [
      'missing_value',
      (t) => (t.ADDRESS_DETAIL![1] = address(2, { LOCALITY_PID: '' })),
      'LOCALITY_PID is empty',
    ],
    [
      'missing_value',
      (t) => (t.ADDRESS_DETAIL![1] = address(2, { ADDRESS_DETAIL_PID: '' })),
      'ADDRESS_DETAIL_PID is empty',
    ],
  ];
  it.each(cases)('%s: an address (%#)', async (code, change, message) => {
    const tables = tinyTables();
    change(tables);
    const result = await disk.read(tables);
    const subject = code === 'missing_value' ? {} : { gnaf_pid: pid(2) };
    expect(result.rejects).toEqual([
      { code, file: DETAIL, at: 'line 3', message: expect.stringContaining(message), ...subject },
    ]);
    expect(result.addresses.map((row) => row.gnaf_pid)).toEqual([pid(1), pid(3)]);
    expect(accountOf(result, 'ADDRESS_DETAIL')).toMatchObject({ rows_in: 3, records: 2, rejects: 1 });
    expect(accountOf(result, 'ADDRESS_DEFAULT_GEOCODE')).toMatchObject({
      records: 2,
      drops: { no_address: 1 },
    });
  });

  it.each([
    ['outside_australia', '2.3522', '48.8566'],
    ['outside_australia', '-37.8136', '144.9631'],
    ['bad_coordinate', 'abc', '-37.8'],
    ['bad_coordinate', '144.9', ''],
    ['bad_coordinate', '1e2', '-37.8'],
    ['bad_coordinate', 'NaN', '-37.8'],
  ])(
    '%s: a default geocode at %s, %s; its address is kept without coordinates',
    async (code, LONGITUDE, LATITUDE) => {
      const tables = tinyTables();
      tables.ADDRESS_DEFAULT_GEOCODE![1] = geocode(2, { LONGITUDE, LATITUDE });
      const result = await disk.read(tables);
      const file = memberOf('ADDRESS_DEFAULT_GEOCODE');
      expect(result.rejects).toEqual([{ code, file, at: 'line 3', message: expect.any(String) }]);
      expect(result.addresses.map((row) => row.lon)).toEqual([144.9631, 144.9631, null]);
    },
  );

  it.each([
    ['short_row', (line: string) => line.slice(0, line.lastIndexOf('|'))],
    ['long_row', (line: string) => `${line}|`],
    ['bad_encoding', (line: string) => line.replace('|P|', '|P\0|')],
  ])('%s', async (code, change) => {
    const lines = psv('ADDRESS_DETAIL', [address(1), address(2), address(3)]).split('\r\n');
    lines[2] = change(lines[2]!);
    const result = await readZip({ ...membersOf(tinyTables()), [DETAIL]: lines.join('\r\n') });
    expect(result.rejects).toEqual([{ code, file: DETAIL, at: 'line 3', message: expect.any(String) }]);
    expect(accountOf(result, 'ADDRESS_DETAIL')).toMatchObject({ rows_in: 3, records: 2, rejects: 1 });
  });

  it('bad_encoding: bytes that are not UTF-8; real UTF-8 is kept', async () => {
    const latin1 = Buffer.from(
      psv('ADDRESS_DETAIL', [address(1, { BUILDING_NAME: 'CAFÉ' }), address(2)]),
      'latin1',
    );
    const members = membersOf(tinyTables());
    expect((await readZip({ ...members, [DETAIL]: latin1 })).rejects).toMatchObject([
      { code: 'bad_encoding', at: 'line 2' },
    ]);
    const utf8 = await readZip({
      ...members,
      [DETAIL]: psv('ADDRESS_DETAIL', [address(1, { BUILDING_NAME: 'CAFÉ' })]),
    });
    expect(utf8.addresses).toMatchObject([{ building_name: 'CAFÉ' }]);
  });

  it('in a code list too, if it is narrower or wider than its header', async () => {
    const name = 'G-NAF/G-NAF NOVEMBER 2025/Authority Code/Authority_Code_FLAT_TYPE_AUT_psv.psv';
    const text = 'CODE|NAME|DESCRIPTION\r\nSE|SUITE|SUITE\r\nSH|SHOP\r\nU|UNIT|UNIT|x\r\n';
    const { rejects } = await readZip({ ...membersOf(tinyTables()), [name]: text });
    expect(rejects.map(({ file, code, at }) => [file, code, at])).toEqual([
      [name, 'short_row', 'line 3'],
      [name, 'long_row', 'line 4'],
    ]);
  });

  it('rejects do not pile up in memory, in whatever table they are', async () => {
    const tables = tinyTables();
    tables.ADDRESS_DETAIL = Array.from({ length: 12_000 }, (_, n) => address(n, { LOCALITY_PID: 'loc404' }));
    tables.ADDRESS_DEFAULT_GEOCODE = tables.ADDRESS_DETAIL.map((_, n) => geocode(n, { LATITUDE: '48' }));
    const dataset = datasetOfFiles([await disk.zip(membersOf(tables))]);
    const { release, parts } = await gnafAdapter.discover(dataset);
    const counts: number[] = [];
    for await (const { rejects } of gnafAdapter.readPart(release, parts[0]!, {}))
      counts.push(rejects?.length ?? 0);
    expect(counts.reduce((sum, count) => sum + count)).toBe(24_000);
    expect(Math.max(...counts)).toBeLessThan(8_000);
  });

  it('a duplicate PID gives two records; the store takes one', async () => {
    const tables = tinyTables();
    tables.ADDRESS_DETAIL!.push(address(2, { BUILDING_NAME: 'AGAIN' }));
    const result = await disk.read(tables);
    expect(result.addresses.map((row) => [row.source_no, row.gnaf_pid, row.lon])).toEqual([
      [2, pid(1), 144.9631],
      [3, pid(2), 144.9631],
      [4, pid(3), 144.9631],
      [5, pid(2), 144.9631],
    ]);
    expect(accountOf(result, 'ADDRESS_DEFAULT_GEOCODE')).toMatchObject({ rows_in: 3, records: 3 });
  });
});

describe('the form of the files may vary', () => {
  it('LF, a byte-order mark, no last line end, other columns, another order', async () => {
    const members = membersOf(tinyTables());
    const variant = Object.fromEntries(
      Object.entries(members).map(([name, text]) => {
        const rows = text
          .trimEnd()
          .split('\r\n')
          .map((line) => line.split('|').toReversed());
        return [
          name,
          `\uFEFF${rows.map((row, i) => [...row, i === 0 ? 'NEW_COLUMN' : '1'].join('|')).join('\n')}`,
        ];
      }),
    );
    const expected = await readZip(members);
    expect(expected.addresses).toHaveLength(3);
    expect(await readZip(variant)).toEqual(expected);
  });

  it('.DS_Store, scripts and other files inside the zip are passed over', async () => {
    const members = membersOf(tinyTables());
    const result = await readZip({
      ...members,
      '.DS_Store': 'x',
      'G-NAF/.DS_Store': 'x',
      '__MACOSX/G-NAF/._VIC_ADDRESS_DETAIL_psv.psv': 'x',
      'G-NAF/Extras/GNAF_TableCreation_Scripts/create_tables_ansi.sql': 'create',
      'G-NAF/G-NAF NOVEMBER 2025/Standard/XVIC_ADDRESS_DETAIL_psv.psv': 'x',
    });
    expect(result).toEqual(await readZip(members));
  });

  it('unzipped files give the same records, rejects and accounts as the zip', async () => {
    const tables = tinyTables();
    tables.ADDRESS_DETAIL![1] = address(2, { LOCALITY_PID: 'loc404' });
    const members = membersOf(tables);
    const files: string[] = [];
    for (const [name, text] of Object.entries(members)) {
      const path = join(disk.path, 'unzipped_gda2020', name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
      files.push(path);
    }
    const bare = await readDataset(datasetOfFiles(files.sort()));
    const zipped = await readZip(members);
    expect(bare.rows).toEqual(zipped.rows);
    const short = (file: string) => file.slice(file.lastIndexOf('/') + 1);
    expect(bare.accounts.map((a) => ({ ...a, file: short(a.file) }))).toEqual(
      zipped.accounts.map((a) => ({ ...a, file: short(a.file) })),
    );
    expect(bare.rejects).toMatchObject([{ file: 'Standard/VIC_ADDRESS_DETAIL_psv.psv', at: 'line 3' }]);
  });

  it('an empty table of a state has no rows', async () => {
    const tables = tinyTables();
    const { addresses, rejects } = await disk.read({ ...tables, ADDRESS_DETAIL: [], ADDRESS_ALIAS: [] });
    expect([addresses, rejects]).toEqual([[], []]);
  });
});

describe('a file that cannot be read is an error that names it', () => {
  const fails = (members: Record<string, string | Buffer>, error: object, name?: string, config = {}) =>
    expect(readZip(members, name, config)).rejects.toMatchObject(error);

  it('bad_archive: the zip shrinks between discovery and reading', async () => {
    const path = await disk.zip(membersOf(tinyTables()));
    const { release, parts } = await gnafAdapter.discover(datasetOfFiles([path]));
    await truncate(path, 100);
    const read = async () => {
      for await (const _ of gnafAdapter.readPart(release, parts[0]!, {}));
    };
    await expect(read()).rejects.toMatchObject({ code: 'bad_archive' });
  });

  it('missing_file: the zip or a table is gone', async () => {
    const gone = join(disk.path, 'gone.zip');
    const error = { code: 'missing_file', message: expect.stringContaining('gone') };
    await expect(readDataset(datasetOfFiles([gone]))).rejects.toMatchObject(error);
    const table = join(disk.path, 'gone', 'VIC_LOCALITY_psv.psv');
    await expect(readDataset(datasetOfFiles([table]))).rejects.toMatchObject(error);
  });

  it('gnaf_no_tables, gnaf_missing_table, bad_option', async () => {
    await fails({ 'readme.txt': 'x' }, { code: 'gnaf_no_tables' });
    const tables = tinyTables();
    delete tables.STREET_LOCALITY;
    const missing = {
      code: 'gnaf_missing_table',
      message: expect.stringContaining('VIC_STREET_LOCALITY_psv.psv'),
    };
    await fails(membersOf(tables), missing);
    await fails(membersOf(tinyTables()), { code: 'gnaf_missing_table' }, undefined, {
      options: { states: ['NSW'] },
    });
    const unknown = { code: 'bad_option', message: expect.stringContaining('state') };
    await fails(membersOf(tinyTables()), unknown, undefined, { options: { state: 'VIC' } });
    await fails(membersOf(tinyTables()), { code: 'bad_option' }, undefined, { options: { states: ['vic'] } });
  });

  it('gnaf_several_releases: the same tables twice, in two zips or in one', async () => {
    const members = membersOf(tinyTables());
    const one = await disk.zip(members);
    const two = join(disk.path, 'g-naf_nov25_test_gda94_psv.zip');
    await cp(one, two);
    const error = { code: 'gnaf_several_releases', message: expect.stringContaining('gda94') };
    await expect(readDataset(datasetOfFiles([two, one]))).rejects.toMatchObject(error);
    const inside = { ...members, ...membersOf(tinyTables(), 'VIC', 'G-NAF/G-NAF AUGUST 2025') };
    await fails(inside, { code: 'gnaf_several_releases', message: expect.stringContaining('AUGUST') });
  });

  it('gnaf_several_releases: two states of different releases or datums', async () => {
    const vic = await disk.zip(membersOf(tinyTables()));
    const nsw = (folder: string, name: string) => disk.zip(membersOf(tinyTables(), 'NSW', folder), name);
    const older = await nsw('G-NAF/G-NAF AUGUST 2025', 'nsw_gda2020.zip');
    const error = { code: 'gnaf_several_releases', message: expect.stringContaining('AUGUST 2025') };
    await expect(readDataset(datasetOfFiles([vic, older]))).rejects.toMatchObject(error);
    const otherDatum = await nsw('G-NAF/G-NAF NOVEMBER 2025', 'nsw_gda94.zip');
    const datum = { code: 'gnaf_several_releases', message: expect.stringContaining('EPSG:4283') };
    await expect(readDataset(datasetOfFiles([vic, otherDatum]))).rejects.toMatchObject(datum);
  });
});
