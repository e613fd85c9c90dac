import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { regionPieceRecord, regionRecord } from '../../../schema/records/region.ts';
import { asgsAdapter } from '../../../sources/asgs/adapter.ts';
import { adapterConformance, readPart } from '../conformance.ts';
import { datasetOf, type ReleaseFolder, releaseFolder, YARRA } from '../release_folder.ts';
import { type FieldSpec, GDA94_PRJ, GDA2020_PRJ, square } from '../shapefile_writer.ts';

const HERE = square(145, -37.8, 0.02);

const text = (name: string, length = 50): FieldSpec => [name, 'C', length];
const SA2_FIELDS = [
  text('SA2_CODE21', 9),
  text('SA2_NAME21'),
  text('CHG_FLAG21', 1),
  text('SA3_CODE21', 5),
  text('SA3_NAME21'),
  text('SA4_CODE21', 3),
  text('SA4_NAME21'),
  text('GCC_CODE21', 5),
  text('GCC_NAME21'),
  text('STE_CODE21', 1),
  text('STE_NAME21'),
  text('AUS_CODE21', 3),
  ['AREASQKM21', 'N', 19, 4] as FieldSpec,
];
const SA2_ROW = [
  '206071139',
  'Abbotsford',
  '0',
  '20607',
  'Yarra',
  '206',
  'Melbourne - Inner',
  '2GMEL',
  'Greater Melbourne',
  '2',
  'Victoria',
  'AUS',
  '1.7400',
];
const OUTSIDE_ROW = [
  'ZZZZZZZZZ',
  'Outside Australia',
  '0',
  'ZZZZZ',
  'Outside Australia',
  'ZZZ',
  'Outside Australia',
  'ZZZZZ',
  'Outside Australia',
  'Z',
  'Outside Australia',
  'ZZZ',
  '',
];

async function writeRelease(folder: ReleaseFolder): Promise<void> {
  await folder.shapefile('SA2_2021_AUST_GDA2020', {
    shapeType: 5,
    fields: SA2_FIELDS,
    rows: [SA2_ROW, OUTSIDE_ROW, ['', ...SA2_ROW.slice(1)], ['206071140', ...SA2_ROW.slice(1)], SA2_ROW],
    shapes: [[HERE], null, [HERE], [[10, 10, 11, 11, 12, 10, 10, 10]], [HERE]],
    deleted: [4],
    prj: GDA2020_PRJ,
    cpg: 'UTF-8',
  });
  await folder.shapefile('LGA_2024_AUST_GDA2020', {
    shapeType: 15,
    fields: [text('LGA_CODE24', 5), text('LGA_NAME24'), text('STE_CODE21', 1), ['AREASQKM', 'N', 19, 4]],
    rows: [['27350', 'Yarra', '2', '19.5400']],
    shapes: [[square(144.98, -37.82, 0.2)]],
    prj: GDA94_PRJ,
  });
}

adapterConformance('asgs, generated shapefiles', async () => {
  const folder = await releaseFolder();
  await writeRelease(folder);
  return { adapter: asgsAdapter, dataset: await folder.dataset(), remove: folder.remove };
});

describe('asgs adapter', () => {
  let folder: ReleaseFolder;
  beforeAll(async () => {
    folder = await releaseFolder();
  });
  afterAll(() => folder.remove());

  async function readAll(pattern: RegExp) {
    const { release, parts } = await asgsAdapter.discover(await datasetOf(folder.path, {}, pattern));
    const results = [];
    for (const part of parts) results.push(await readPart(asgsAdapter, release, part));
    return { release, parts, results };
  }

  it('fills parents, keeps special codes without a shape, and sets bad rows aside', async () => {
    await writeRelease(folder);
    const { release, parts, results } = await readAll(/AUST_GDA2020/);
    expect(parts.map((part) => part.id)).toEqual(['LGA_2024_AUST_GDA2020', 'SA2_2021_AUST_GDA2020']);
    expect(release.id).toBe('2021, 2024');
    expect(release.crs).toEqual({
      applied: 'EPSG:4283, EPSG:7844',
      stated: 'EPSG:4283, EPSG:7844',
      overridden: false,
    });
    const [lga, sa2] = results;
    expect(lga!.rows.get(regionRecord)).toMatchObject([
      {
        edition: 3,
        year: 2024,
        level: 'LGA',
        code: '27350',
        name: 'Yarra',
        ste: '2',
        sa2: null,
        area_sqkm: 19.54,
      },
    ]);
    // 0.2° wide from 144.98, so five columns of cells, and five rows.
    expect(lga!.rows.get(regionPieceRecord)).toHaveLength(25);
    expect(sa2!.rows.get(regionRecord)).toMatchObject([
      {
        source_no: 1,
        level: 'SA2',
        code: '206071139',
        name: 'Abbotsford',
        sa1: null,
        sa2: '206071139',
        sa2_name: 'Abbotsford',
        sa3: '20607',
        sa4_name: 'Melbourne - Inner',
        gccsa: '2GMEL',
        gccsa_name: 'Greater Melbourne',
        ste: '2',
        mb_category: null,
        area_sqkm: 1.74,
        has_geometry: true,
      },
      { source_no: 2, code: 'ZZZZZZZZZ', ste: null, area_sqkm: null, has_geometry: false },
    ]);
    expect(sa2!.accounts[0]).toMatchObject({
      rows_in: 5,
      records: 2,
      rejects: 2,
      drops: { deleted_in_dbf: 1 },
    });
    expect(sa2!.rejects).toMatchObject([
      { code: 'missing_key', at: 'feature 3', file: 'SA2_2021_AUST_GDA2020.shp' },
      { code: 'outside_australia', at: 'feature 4' },
    ]);
  });

  const mb = (year: string) => [
    text(`MB_CODE${year}`, 11),
    text(`MB_CAT${year}`),
    text(`SA1_CODE${year}`, 11),
    text(`SA2_CODE${year}`, 9),
    text(`STE_CODE${year}`, 1),
  ];
  it.each([
    [
      'mesh blocks',
      mb('21'),
      ['20663330000', 'Residential', '20607113901', '206071139', '2'],
      {
        level: 'MB',
        edition: 3,
        year: 2021,
        sa1: '20607113901',
        sa2: '206071139',
        mb_category: 'Residential',
        name: null,
      },
    ],
    [
      'edition 4',
      mb('26'),
      ['20663330000', 'Parkland', '20607113901', '206071139', '2'],
      { level: 'MB', edition: 4, year: 2026, mb_category: 'Parkland' },
    ],
    [
      'GeoPackage names that a conversion cut',
      [text('SA1_CODE_2', 11), text('SA1_CODE_2021'.slice(0, 10), 11)],
      ['1', '2'],
      null,
    ],
    [
      'postcodes',
      [text('POA_CODE21', 4), text('POA_NAME21')],
      ['3067', '3067'],
      { level: 'POA', code: '3067', ste: null },
    ],
    [
      'suburbs',
      [text('SAL_CODE21', 5), text('SAL_NAME21'), text('STE_CODE21', 1)],
      ['20002', 'Abbotsford (Vic.)', '2'],
      { level: 'SAL', name: 'Abbotsford (Vic.)', ste: '2' },
    ],
    [
      'capital city areas',
      [text('GCC_CODE21', 5), text('GCC_NAME21'), text('STE_CODE21', 1)],
      ['2GMEL', 'Greater Melbourne', '2'],
      { level: 'GCCSA', gccsa: '2GMEL', ste: '2' },
    ],
    [
      'states',
      [text('STE_CODE21', 1), text('STE_NAME21')],
      ['2', 'Victoria'],
      { level: 'STE', code: '2', ste: '2' },
    ],
    [
      'Geoscape 2021',
      [text('MB21_CODE', 11), text('MB_CAT'), text('SA1_21CODE', 11), text('SA2_21NAME')],
      ['2066', 'Other', '20607', 'Abbotsford'],
      { level: 'MB', year: 2021, sa1: '20607', sa2_name: 'Abbotsford', mb_category: 'Other' },
    ],
    [
      'Geoscape 2026',
      [
        text('mb_code_26', 11),
        text('mb_cat_26'),
        text('s1_code_26', 11),
        ['mb_ar_sqkm', 'N', 12, 4] as FieldSpec,
      ],
      ['2066', 'Other', '20607', '0.5'],
      { level: 'MB', edition: 4, sa1: '20607', area_sqkm: 0.5 },
    ],
    [
      'electorates',
      [text('CED_CODE21', 3), text('CED_NAME21'), text('STE_CODE21', 1)],
      ['201', 'X', '2'],
      null,
    ],
    [
      'destination zones',
      [text('DZN_CODE21', 9), text('SA2_CODE21', 9), text('STE_CODE21', 1)],
      ['1', '2', '2'],
      null,
    ],
    ['something else', [text('PFI', 9)], ['1'], null],
  ] as const)('recognises %s', async (name, fields, row, wanted) => {
    const stem = `level/${name.replaceAll(' ', '_')}`;
    await folder.shapefile(stem, { shapeType: 5, fields, rows: [row], shapes: [[HERE]], prj: GDA2020_PRJ });
    const read = readAll(new RegExp(`${stem}\\.`));
    if (wanted === null)
      await expect(read).rejects.toMatchObject({
        code: 'unknown_region_level',
        message: expect.stringContaining(name.replaceAll(' ', '_')),
      });
    else expect((await read).results[0]!.rows.get(regionRecord)![0]).toMatchObject(wanted);
  });

  it.each([
    ['GDA94 is moved north-east', GDA94_PRJ, null, [5.93e-6, 1.316e-5], 0],
    ['GDA2020 stays', GDA2020_PRJ, null, [0, 0], 0],
    ['the configured CRS wins and is reported', GDA94_PRJ, 'EPSG:7844', [0, 0], 1],
  ] as const)('%s', async (_name, prj, crs, [dLon, dLat], notes) => {
    await folder.shapefile('shift/SAL', {
      shapeType: 5,
      fields: [text('SAL_CODE21', 5)],
      rows: [['20002']],
      shapes: [[HERE]],
      prj,
    });
    const { release, parts } = await asgsAdapter.discover(
      await datasetOf(join(folder.path, 'shift'), { crs }),
    );
    const { rows } = await readPart(asgsAdapter, release, parts[0]!);
    const geom = rows.get(regionPieceRecord)![0]!.geom as Uint8Array;
    const view = new DataView(geom.buffer, geom.byteOffset);
    // The first vertex of the first ring of the first polygon; which corner that is does not matter for the shift.
    const lon = view.getFloat64(9 + 9 + 4, true);
    const lat = view.getFloat64(9 + 9 + 12, true);
    const off = (value: number, corners: number[]) =>
      corners.map((corner) => value - corner).sort((a, b) => Math.abs(a) - Math.abs(b))[0]!;
    expect(off(lon, [145, 145.02])).toBeCloseTo(dLon, 7);
    expect(off(lat, [-37.8, -37.78])).toBeCloseTo(dLat, 7);
    expect(release.notes).toHaveLength(notes);
    expect(release.crs.overridden).toBe(notes === 1);
  });

  it('refuses a missing .prj unless the configuration states the CRS', async () => {
    const spec = { shapeType: 5, fields: [text('SAL_CODE21', 5)], rows: [['20002']], shapes: [[HERE]] };
    await folder.shapefile('noprj/SAL_2021', spec);
    const dataset = await datasetOf(join(folder.path, 'noprj'));
    await expect(asgsAdapter.discover(dataset)).rejects.toMatchObject({
      code: 'missing_crs',
      message: expect.stringContaining('SAL_2021.shp'),
    });
    const { release } = await asgsAdapter.discover({ ...dataset, crs: 'EPSG:7844' });
    expect(release.crs).toEqual({ applied: 'EPSG:7844', stated: null, overridden: true });
    expect(release.notes).toEqual([
      'CRS of SAL_2021.shp: the file states none; the configured EPSG:7844 applies.',
    ]);
  });

  it('refuses points', async () => {
    await folder.shapefile('points/SAL_2021', {
      shapeType: 1,
      fields: [text('SAL_CODE21', 5)],
      rows: [['20002']],
      shapes: [[[145, -37]]],
      prj: GDA2020_PRJ,
    });
    const { release, parts } = await asgsAdapter.discover(await datasetOf(join(folder.path, 'points')));
    await expect(readPart(asgsAdapter, release, parts[0]!)).rejects.toMatchObject({
      code: 'wrong_shape_type',
    });
  });
});

const present = existsSync(join(YARRA, 'asgs'));
if (!present) console.warn('City of Yarra data not found: real ABS boundaries are not tested.');

describe.skipIf(!present)('asgs adapter, City of Yarra', () => {
  adapterConformance('asgs, City of Yarra', async () => ({
    adapter: asgsAdapter,
    dataset: await datasetOf(join(YARRA, 'asgs')),
  }));

  it('reads every level that is there', async () => {
    const { release, parts } = await asgsAdapter.discover(await datasetOf(join(YARRA, 'asgs')));
    const counts: Record<string, number[]> = {};
    for (const part of parts) {
      const { rows, rejects } = await readPart(asgsAdapter, release, part);
      const regions = rows.get(regionRecord)!;
      expect(rejects).toEqual([]);
      counts[regions[0]!.level as string] = [
        regions.length,
        regions.filter((row) => row.has_geometry === false).length,
      ];
    }
    expect(counts).toEqual({
      LGA: [2, 1],
      POA: [9, 1],
      SA1: [165, 1],
      SA2: [44, 1],
      SA3: [2, 1],
      SA4: [2, 1],
      SAL: [16, 1],
    });
  });
});
