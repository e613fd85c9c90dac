import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import writeXlsxFile from 'write-excel-file/node';
import { meshBlockAllocationRecord } from '../../../schema/records/allocation.ts';
import { regionRecord } from '../../../schema/records/region.ts';
import { asgsAdapter } from '../../../sources/asgs/adapter.ts';
import { recogniseAllocation } from '../../../sources/asgs/allocation.ts';
import { adapterConformance, readPart } from '../conformance.ts';
import { type ReleaseFolder, releaseFolder } from '../release_folder.ts';
import { GDA2020_PRJ, square } from '../shapefile_writer.ts';
import { zipBytes } from '../zip_writer.ts';

const SAL = [
  'MB_CODE_2021,SAL_CODE_2021,SAL_NAME_2021,STATE_CODE_2021,STATE_NAME_2021,AUS_CODE_2021,AUS_NAME_2021,AREA_ALBERS_SQKM,ASGS_LOCI_URI_2021',
  '20663970000,20002,Abbotsford (Vic.),2,Victoria,AUS,Australia,0.0209,http://x',
  '20663980000,22170,"Hillside (Melton - Vic.)",2,Victoria,AUS,Australia,0.0209,http://x',
];
const MAIN = [
  'MB_CODE_2021,MB_CATEGORY_2021,CHANGE_FLAG_2021,SA1_CODE_2021,SA2_CODE_2021,SA2_NAME_2021,SA3_CODE_2021,SA3_NAME_2021,SA4_CODE_2021,SA4_NAME_2021,GCCSA_CODE_2021,GCCSA_NAME_2021,STATE_CODE_2021,STATE_NAME_2021,AREA_ALBERS_SQKM',
  '20663970000,Residential,0,20607113901,206071139,Abbotsford,20607,Yarra,206,Melbourne - Inner,2GMEL,Greater Melbourne,2,Victoria,0.0209',
  'ZZZZZZZZZZZ,Other,0,ZZZZZZZZZZZ,ZZZZZZZZZ,Outside Australia,ZZZZZ,Outside Australia,ZZZ,Outside Australia,ZZZZZ,Outside Australia,Z,Outside Australia,',
];

let folder: ReleaseFolder;
beforeAll(async () => {
  folder = await releaseFolder();
});
afterAll(() => folder.remove());

let next = 0;
async function readTable(name: string, content: string | Buffer) {
  const path = await folder.write(`${next++}/${name}`, content);
  const dataset = {
    id: 'asgs',
    files: [{ path, bytes: 1, sha256: '0' }],
    release: null,
    crs: null,
    options: {},
  };
  const { release, parts } = await asgsAdapter.discover(dataset);
  const { rows, accounts, rejects } = await readPart(asgsAdapter, release, parts[0]!);
  return { release, parts, rows: rows.get(meshBlockAllocationRecord) ?? [], accounts, rejects };
}

describe('mesh-block allocation', () => {
  it('reads the suburb from a table of suburbs, and not its state', async () => {
    const { release, parts, rows, accounts } = await readTable('SAL_2021_AUST.csv', SAL.join('\r\n'));
    expect(release).toMatchObject({ id: '2021', crs: { applied: 'EPSG:7844' } });
    expect(parts.map(({ id }) => id)).toEqual(['allocation SAL_2021_AUST.csv']);
    expect(rows).toEqual([
      {
        load_id: 0,
        source_no: 2,
        edition: 3,
        mesh_block: '20663970000',
        level: 'SAL',
        year: 2021,
        code: '20002',
        name: 'Abbotsford (Vic.)',
      },
      {
        load_id: 0,
        source_no: 3,
        edition: 3,
        mesh_block: '20663980000',
        level: 'SAL',
        year: 2021,
        code: '22170',
        name: 'Hillside (Melton - Vic.)',
      },
    ]);
    expect(accounts).toEqual([
      {
        file: 'SAL_2021_AUST.csv',
        table: 'mesh_block_allocation',
        rows_in: 2,
        records: 2,
        rejects: 0,
        drops: {},
      },
    ]);
  });

  it('reads a row for each level of the main structure', async () => {
    const { rows, accounts } = await readTable('MB_2021_AUST.csv', MAIN.join('\n'));
    expect(rows.slice(0, 6).map(({ level, code, name }) => [level, code, name])).toEqual([
      ['SA1', '20607113901', null],
      ['SA2', '206071139', 'Abbotsford'],
      ['SA3', '20607', 'Yarra'],
      ['SA4', '206', 'Melbourne - Inner'],
      ['GCCSA', '2GMEL', 'Greater Melbourne'],
      ['STE', '2', 'Victoria'],
    ]);
    expect(rows).toHaveLength(12);
    expect(accounts.map(({ file }) => file)).toContain('MB_2021_AUST.csv › GCCSA');
  });

  it('is the same from a workbook, below a title, and from a zip', async () => {
    const cells = [
      ['Australian Bureau of Statistics'],
      ...SAL.map((line) => line.replaceAll('"', '').split(',')),
    ];
    const workbook = await writeXlsxFile(cells.map((row) => row.map((value) => ({ value })))).toBuffer();
    const expected = (await readTable('SAL_2021_AUST.csv', SAL.join('\n'))).rows;
    const plain = (rows: readonly Record<string, unknown>[]) => rows.map(({ source_no: _, ...row }) => row);
    expect(plain((await readTable('SAL_2021_AUST.xlsx', workbook)).rows)).toEqual(plain(expected));
    const zip = await zipBytes([{ name: 'x/SAL_2021_AUST.csv', bytes: Buffer.from(SAL.join('\n')) }]);
    const zipped = await readTable('SAL.zip', zip);
    expect(zipped.rows).toEqual(expected);
    expect(zipped.parts[0]!.id).toBe('allocation SAL.zip › x/SAL_2021_AUST.csv');
  });

  it.each([
    ['MB_CODE_2021,LGA_CODE_2024,LGA_NAME_2024,STATE_CODE_2021', 3, [['LGA', 2024]]],
    ['MB_CODE_2026,SAL_CODE_2026,SAL_NAME_2026', 4, [['SAL', 2026]]],
    [
      'mb_code_26,s1_code_26,s2_code_26,s2_name_26,gc_code_26',
      4,
      [
        ['SA1', 2026],
        ['SA2', 2026],
        ['GCCSA', 2026],
      ],
    ],
    ['mb21_code,sa1_21code,sa2_21name', 3, [['SA1', 2021]]],
  ])('takes edition and years from the names of columns: %s', (header, edition, levels) => {
    const found = recogniseAllocation(header.split(','), 'x.csv');
    expect(found.edition).toBe(edition);
    expect(found.levels.map(({ level, year }) => [level, year])).toEqual(levels);
  });

  it('sets bad rows aside, for each level', async () => {
    const { rows, rejects, accounts } = await readTable(
      'POA.csv',
      'MB_CODE_2021,POA_CODE_2021\n20663970000,3067\n2.06640E+10,3067\n20663980000,\n20663990000\n\n20664000000,3068,x\n20664010000,0800\n',
    );
    expect(rows.map(({ code }) => code)).toEqual(['3067', '0800']);
    expect(rejects.map(({ code, at }) => [code, at])).toEqual([
      ['bad_mesh_block', 'line 3'],
      ['missing_value', 'line 4'],
      ['short_row', 'line 5'],
      ['long_row', 'line 7'],
    ]);
    expect(accounts[0]).toMatchObject({ rows_in: 6, records: 2, rejects: 4 });
  });

  it.each([
    ['CED_2021_AUST.csv', 'MB_CODE_2021,CED_CODE_2021\n1,2\n', 'unknown_region_level'],
    ['RA_2021_AUST.csv', 'SA1_CODE_2021,RA_CODE_2021\n1,2\n', 'no_mesh_blocks'],
    ['Mesh Block Counts.csv', 'MB_CODE_2021,Dwelling,Person\n1,2,3\n', 'unknown_region_level'],
    ['empty.csv', '', 'missing_column'],
    ['not.xlsx', 'text', 'bad_archive'],
  ])('refuses %s', async (name, content, code) => {
    await expect(readTable(name, content)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(name),
    });
  });
});

adapterConformance('asgs, boundaries and allocations', async () => {
  const release = await releaseFolder();
  await release.write('SAL_2021_AUST.csv', SAL.join('\n'));
  await release.write(
    'MB_2021_AUST.zip',
    await zipBytes([{ name: 'MB_2021_AUST.csv', bytes: Buffer.from(`${MAIN.join('\n')}\nx`) }]),
  );
  await release.shapefile('LGA_2024_AUST', {
    shapeType: 5,
    fields: [
      ['LGA_CODE24', 'C', 5],
      ['LGA_NAME24', 'C', 50],
      ['STE_CODE21', 'C', 1],
    ],
    rows: [['27350', 'Yarra', '2']],
    shapes: [[square(145, -37.8, 0.02)]],
    prj: GDA2020_PRJ,
  });
  expect(asgsAdapter.tables).toContain(regionRecord);
  return { adapter: asgsAdapter, dataset: await release.dataset(), remove: release.remove };
});
