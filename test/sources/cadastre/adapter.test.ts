import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cellBbox, cellOf } from '../../../schema/grid.ts';
import { parcelRecord, parcelSpillRecord } from '../../../schema/records/parcel.ts';
import type { DatasetConfig } from '../../../sources/adapter.ts';
import { cadastreAdapter } from '../../../sources/cadastre/adapter.ts';
import { adapterConformance, readPart } from '../conformance.ts';
import { datasetOf, type ReleaseFolder, releaseFolder, YARRA } from '../release_folder.ts';
import { type FieldSpec, GDA2020_PRJ, type ShapeSpec, square, WGS84_PRJ } from '../shapefile_writer.ts';

const HERE = square(145.01, -37.81, 0.001);
const NEXT_TO_IT = square(145.011, -37.81, 0.001);

const VIC_FIELDS: FieldSpec[] = [
  ['PARCEL_PFI', 'C', 12],
  ['PARCEL_SPI', 'C', 30],
  ['PARCEL_STA', 'C', 1],
  ['PARV_STATU', 'C', 1],
  ['PARV_Z_LEV', 'C', 1],
  ['PARCEL_ROA', 'C', 1],
];
const row = (id: string, ...rest: string[]) => [id, ...rest];

/** One row per fate. */
const FATES: readonly (readonly [string[], ShapeSpec, string])[] = [
  [row('1', ' 1008\\PS908944', 'A', 'A', 'G', ''), [HERE], 'record'],
  [row('2', '2\\PS908944', 'P', 'A', 'G', ''), [HERE], 'proposed'],
  [row('3', '3\\PS908944', 'A', 'P', 'G', ''), [HERE], 'proposed'],
  [row('4', '4\\PS908944', 'A', 'A', '3', ''), [HERE], 'stacked_strata'],
  [row('5', '5\\PS908944', 'A', 'A', 'S', ''), [NEXT_TO_IT], 'record'],
  [row('6', '', 'A', 'A', 'G', 'Y'), [HERE], 'road'],
  [row('', '7\\PS908944', 'A', 'A', 'G', ''), [HERE], 'missing_key'],
  [row('8', '8\\PS908944', 'A', 'A', 'G', ''), null, 'no_geometry'],
  [row('9', '9\\PS908944', 'A', 'A', 'G', ''), [[145, -37, 145.1, -37, 145, -37]], 'zero_area'],
  [row('10', '10\\PS908944', 'A', 'A', 'G', ''), [square(-0.1, 51.5, 0.01)], 'outside_australia'],
  [
    row('11', '11\\PS908944', 'A', 'A', 'G', ''),
    [[145, -37, Number.NaN, -37, 145.1, -37.1, 145, -37]],
    'bad_coordinate',
  ],
  [row('12', '', '', '', '', ''), [square(145.0495, -37.8005, 0.001)], 'record'],
];

async function writeFates(folder: ReleaseFolder): Promise<void> {
  await folder.shapefile('PARCEL_VIEW', {
    shapeType: 5,
    fields: VIC_FIELDS,
    rows: FATES.map(([values]) => values),
    shapes: FATES.map(([, shape]) => shape),
    prj: GDA2020_PRJ,
  });
}

adapterConformance('cadastre, generated Vicmap parcels', async () => {
  const folder = await releaseFolder();
  await writeFates(folder);
  return {
    adapter: cadastreAdapter,
    dataset: await folder.dataset({ options: { state: 'VIC' } }),
    remove: folder.remove,
  };
});

describe('cadastre adapter', () => {
  let folder: ReleaseFolder;
  beforeAll(async () => {
    folder = await releaseFolder();
  });
  afterAll(() => folder.remove());

  async function readDataset(dataset: DatasetConfig) {
    const { release, parts } = await cadastreAdapter.discover(dataset);
    const result = await readPart(cadastreAdapter, release, parts[0]!);
    return {
      release,
      parts,
      ...result,
      parcels: result.rows.get(parcelRecord)!,
      spills: result.rows.get(parcelSpillRecord)!,
    };
  }

  it('keeps current ground lots, names every drop, and sets bad shapes aside', async () => {
    await writeFates(folder);
    const { release, parcels, spills, rejects, accounts } = await readDataset(
      await folder.dataset({ options: { state: 'VIC' } }),
    );
    expect(release.notes).toEqual([]);
    const wanted = (fate: string) =>
      FATES.flatMap(([, , is], i) => (is === fate ? [`feature ${i + 1}`] : []));
    expect(parcels.map((parcel) => `feature ${parcel.source_no}`)).toEqual(wanted('record'));
    for (const reject of rejects) expect(wanted(reject.code), reject.code).toEqual([reject.at]);
    expect(accounts[0]).toMatchObject({
      rows_in: 12,
      records: 3,
      rejects: 5,
      drops: { proposed: 2, stacked_strata: 1, road: 1 },
    });
    expect(parcels[0]).toMatchObject({
      parcel_id: 'VIC:1',
      state: 'VIC',
      lot_plan: '1008\\PS908944',
      repaired: null,
    });
    expect(parcels[0]!.area_sqm).toBeCloseTo(9774, -1);
    expect([parcels[0]!.min_lon, parcels[0]!.max_lat]).toEqual([145.01, -37.81 + 0.001]);
    expect(parcels[2]).toMatchObject({ lot_plan: null });
    // The last one lies over a corner of four cells.
    const home = parcels[2]!.cell as number;
    expect(spills.filter((spill) => spill.parcel_id === 'VIC:12')).toHaveLength(3);
    for (const spill of spills) expect(spill).toMatchObject({ source_no: 12, home_cell: home });
  });

  it('spills a parcel that only touches the edge of its cell', async () => {
    const [west, south] = cellBbox(cellOf(145.01, -37.81));
    await folder.shapefile('edge/parcels', {
      shapeType: 5,
      fields: [['ID', 'C', 4]],
      rows: [['1'], ['2']],
      shapes: [[square(west, south + 0.01, 0.001)], [square(west + 0.01, south + 0.01, 0.001)]],
      prj: GDA2020_PRJ,
    });
    const { spills } = await readDataset(
      await datasetOf(join(folder.path, 'edge'), {
        options: { state: 'VIC', field_map: { parcel_id: 'id' } },
      }),
    );
    expect(spills).toMatchObject([{ parcel_id: 'VIC:1', cell: cellOf(west - 0.001, south + 0.01) }]);
  });

  it.each([
    [
      'NSW',
      [
        ['CADID', 'N', 12],
        ['LOTIDSTRIN', 'C', 30],
        ['STRATUMLEV', 'N', 4],
        ['ENDDATE', 'D', 8],
      ],
      [
        ['107', '1//DP1048011', '0', '30000101'],
        ['108', '2//SP1', '1', ''],
        ['109', '3//DP1', '0', '20200101'],
      ],
      ['NSW:107', '1//DP1048011'],
      { stacked_strata: 1, retired: 1 },
    ],
    [
      'QLD',
      [
        ['SEG_PAR', 'N', 12],
        ['LOTPLAN', 'C', 20],
        ['COVER_TYP', 'C', 20],
      ],
      [
        ['5', '47SP317615', 'Base'],
        ['6', '', 'Base'],
        ['7', '1AP1', 'Easement'],
        ['8', '2BUP1', 'Strata'],
      ],
      ['QLD:47SP317615', '47SP317615'],
      { no_lot_plan: 1, easement: 1, stacked_strata: 1 },
    ],
    ['SA', [['PARCEL_ID', 'C', 20]], [['C21367   F1']], ['SA:C21367   F1', 'C21367 F1'], {}],
    [
      'TAS',
      [
        ['CID', 'N', 10],
        ['VOLUME', 'C', 8],
        ['FOLIO', 'N', 8],
        ['CAD_TYPE1', 'C', 20],
        ['CAD_TYPE2', 'C', 20],
        ['STRATA_LEV', 'C', 20],
      ],
      [
        ['12', '123456', '1', 'Private Parcel', '', 'Not Applicable'],
        ['13', '', '0', 'Casement', '', 'Not Applicable'],
        ['14', '5', '1', 'Private Parcel', '', 'Level 2'],
        ['15', '', '0', 'Authority Land', 'Casement', 'Not Applicable'],
      ],
      ['TAS:12', '123456/1'],
      { road: 2, stacked_strata: 1 },
    ],
    [
      'ACT',
      [
        ['BLOCK_KEY', 'C', 12],
        ['CURRENT_LI', 'C', 20],
      ],
      [
        ['11080190044', 'REGISTERED'],
        ['2', 'RETIRED'],
        ['3', 'PROPOSED'],
      ],
      ['ACT:11080190044', null],
      { retired: 1, proposed: 1 },
    ],
    [
      'WA',
      [
        ['OBJECTID', 'N', 9],
        ['VIEW_SCALE', 'N', 9],
      ],
      [['77', '0']],
      ['WA:77', null],
      {},
    ],
    [
      'NT',
      [
        ['LAISKEY', 'C', 12],
        ['LOT', 'C', 5],
        ['PLAN', 'C', 10],
      ],
      [['100 05571', '5571', 'S 79/1']],
      ['NT:100 05571', '5571/S 79/1'],
      {},
    ],
  ] as const)('%s has a field map', async (state, fields, rows, [id, lotPlan], drops) => {
    const shapes = rows.map((_, i) => [square(145 + i / 100, -30, 0.001)]);
    await folder.shapefile(`${state}/parcels`, {
      shapeType: 5,
      fields: fields as unknown as FieldSpec[],
      rows,
      shapes,
      prj: GDA2020_PRJ,
    });
    const { parcels, accounts } = await readDataset(
      await datasetOf(join(folder.path, state), { options: { state } }),
    );
    expect(parcels).toMatchObject([{ parcel_id: id, lot_plan: lotPlan }]);
    expect(accounts[0]!.drops).toEqual(drops);
  });

  it('keeps lots of NSW that end in the year 3000 however it is written', async () => {
    const ends = ['3000-01-01', '32503680000000', '32503640400000', '1577836800000', ''];
    await folder.shapefile('nsw_ends/lots', {
      shapeType: 5,
      fields: [
        ['CADID', 'N', 12],
        ['ENDDATE', 'C', 20],
      ],
      rows: ends.map((end, i) => [`${i}`, end]),
      shapes: ends.map((_, i) => [square(145 + i / 100, -30, 0.001)]),
      prj: GDA2020_PRJ,
    });
    const { parcels, accounts } = await readDataset(
      await datasetOf(join(folder.path, 'nsw_ends'), { options: { state: 'NSW' } }),
    );
    expect(parcels.map(({ parcel_id }) => parcel_id)).toEqual(['NSW:0', 'NSW:1', 'NSW:2', 'NSW:4']);
    expect(accounts[0]!.drops).toEqual({ retired: 1 });
  });

  it('unites the rows of a Queensland lot: apart, adjoining, overlapping, told twice', async () => {
    const at = (dx: number) => square(145 + dx, -27, 0.001);
    const lots: [string, ShapeSpec][] = [
      ['1RP1', [at(0)]],
      ['2RP1', [at(0.01)]],
      ['1RP1', [at(0.02)]],
      ['', [at(0.5)]],
      ['2RP1', [at(0.011)]],
      ['3RP1', [at(0.04)]],
      ['1 RP1', [at(0)]],
      ['4RP1', [at(0.06)]],
      ['4RP1', [at(0.0605)]],
      ['5RP1', [at(0.08)]],
      ['5RP1', null],
      ['6RP1', null],
      ['6RP1', [at(0.09)]],
    ];
    await folder.shapefile('qld_rows/parcels', {
      shapeType: 5,
      fields: [['LOTPLAN', 'C', 20]],
      rows: lots.map(([lot]) => [lot]),
      shapes: lots.map(([, shape]) => shape),
      prj: GDA2020_PRJ,
    });
    const { parcels, accounts, rejects } = await readDataset(
      await datasetOf(join(folder.path, 'qld_rows'), { options: { state: 'QLD' } }),
    );
    const one = parcels.find(({ lot_plan }) => lot_plan === '3RP1')!.area_sqm as number;
    const found = parcels
      .map(({ parcel_id, lot_plan, source_no, area_sqm }) => [
        parcel_id,
        lot_plan,
        source_no,
        Math.round(((area_sqm as number) / one) * 100) / 100,
      ])
      .sort();
    expect(found).toEqual([
      ['QLD:1RP1', '1RP1', 1, 2],
      ['QLD:2RP1', '2RP1', 2, 2],
      ['QLD:3RP1', '3RP1', 6, 1],
      ['QLD:4RP1', '4RP1', 8, 1.5],
      ['QLD:5RP1', '5RP1', 10, 1],
      ['QLD:6RP1', '6RP1', 13, 1],
    ]);
    expect(rejects.map(({ at: place, code }) => [place, code])).toEqual([
      ['feature 11', 'no_geometry'],
      ['feature 12', 'no_geometry'],
    ]);
    expect(accounts).toMatchObject([
      { table: 'parcel', rows_in: 9, records: 6, rejects: 2, drops: { no_lot_plan: 1 } },
      { table: null, rows_in: 4, records: 4 },
    ]);
  });

  it('rejects each piece of a lot whose pieces cross too often to be united, and keeps the other lots', async () => {
    // Two combs across each other: 150 teeth each, so that their edges cross 90,000 times.
    const comb = (place: (along: number, tooth: number) => [number, number]): number[] => {
      const [teeth, step] = [150, 1e-5];
      const size = 2 * teeth * step;
      const points: [number, number][] = [place(-step, 0)];
      for (let i = 0; i < size / step; i += 2)
        points.push(
          place(i * step, 0),
          place(i * step, size),
          place((i + 1) * step, size),
          place((i + 1) * step, 0),
        );
      return [...points, place(size, 0), place(size, -step), place(-step, -step), place(-step, 0)].flat();
    };
    const lots: [string, ShapeSpec][] = [
      ['1RP1', [comb((a, b) => [145 + a, -27 + b])]],
      ['1RP1', [comb((a, b) => [145 + b, -27 + a])]],
      ['2RP1', [square(145.1, -27, 0.001)]],
    ];
    await folder.shapefile('qld_combs/parcels', {
      shapeType: 5,
      fields: [['LOTPLAN', 'C', 20]],
      rows: lots.map(([lot]) => [lot]),
      shapes: lots.map(([, shape]) => shape),
      prj: GDA2020_PRJ,
    });
    const { parcels, accounts, rejects } = await readDataset(
      await datasetOf(join(folder.path, 'qld_combs'), { options: { state: 'QLD' } }),
    );
    expect(parcels.map(({ lot_plan }) => lot_plan)).toEqual(['2RP1']);
    expect(
      rejects.map(({ at, code, message, extent }) => [at, code, message, extent!.map(Math.round)]),
    ).toEqual(
      ['feature 1', 'feature 2'].map((at) => [
        at,
        'parts_not_united',
        'parcel 1RP1: the pieces of its lot overlap and cannot be united.',
        [145, -27, 145, -27],
      ]),
    );
    expect(accounts).toMatchObject([{ rows_in: 3, records: 1, rejects: 2 }]);
  });

  it('puts a lot on plan together from the columns that the configuration names', async () => {
    await folder.shapefile('sa_bulk/x', {
      shapeType: 5,
      fields: [
        ['ID', 'N', 9],
        ['PLAN_T', 'C', 3],
        ['PLAN', 'C', 9],
        ['PARCEL_T', 'C', 3],
        ['PARCEL', 'C', 9],
      ],
      rows: [['1', 'D', '12345', 'A', '1']],
      shapes: [[HERE]],
      prj: GDA2020_PRJ,
    });
    const field_map = { parcel_id: 'id', lot_plan: { parts: ['plan_t', 'plan', 'parcel_t', 'parcel'] } };
    const { parcels } = await readDataset(
      await datasetOf(join(folder.path, 'sa_bulk'), { options: { state: 'SA', field_map } }),
    );
    expect(parcels).toMatchObject([{ lot_plan: 'D12345A1' }]);
  });

  it('applies rules written in the configuration', async () => {
    await folder.shapefile('own/x', {
      shapeType: 5,
      fields: [
        ['KEY', 'C', 4],
        ['KIND', 'C', 9],
      ],
      rows: [
        ['1', 'Lot'],
        ['2', 'ROAD RES'],
        ['3', ''],
      ],
      shapes: [[HERE], [HERE], [HERE]],
      prj: GDA2020_PRJ,
    });
    const field_map = {
      parcel_id: ['nope', 'key'],
      drops: [
        { name: 'road', fields: ['kind'], drop: ['road*'] },
        { name: 'no_kind', fields: ['kind'], blank: true },
      ],
    };
    const { accounts } = await readDataset(
      await datasetOf(join(folder.path, 'own'), { options: { state: 'VIC', field_map } }),
    );
    expect(accounts[0]).toMatchObject({ records: 1, drops: { road: 1, no_kind: 1 } });
  });

  it('says which columns it did not find, and refuses a file without identifiers', async () => {
    await folder.shapefile('lean/x', {
      shapeType: 5,
      fields: [['PFI', 'C', 4]],
      rows: [['1']],
      shapes: [[HERE]],
      prj: WGS84_PRJ,
    });
    const dataset = await datasetOf(join(folder.path, 'lean'), { options: { state: 'VIC' } });
    const { release } = await readDataset(dataset);
    expect(release.notes).toEqual([
      expect.stringMatching(
        /^x\.shp: no column parcel_status \(proposed\), parv_status \(proposed\), parcel_road \(road\), parv_z_level/,
      ),
      expect.stringContaining('no column for the lot on plan'),
    ]);
    const other = { ...dataset, options: { state: 'VIC', field_map: { parcel_id: 'stock' } } };
    await expect(cadastreAdapter.discover(other)).rejects.toMatchObject({
      code: 'missing_column',
      message: expect.stringMatching(/x\.shp.*stock.*PFI/),
    });
  });

  it.each([
    [{}, /state/],
    [{ state: 'Victoria' }, /state/],
    [{ state: 'VIC', field_map: 'vik' }, /vik.*vic, nsw/],
    [{ state: 'VIC', field_map: 'constructor' }, /unknown cadastre field map constructor/],
    [{ state: 'OT' }, /ot/],
    [{ state: 'VIC', fieldmap: 'vic' }, /fieldmap/],
    [{ state: 'VIC', field_map: { lot_plan: 'x' } }, /parcel_id/],
  ])('refuses the options %j', async (options, message) => {
    await expect(cadastreAdapter.discover({ ...(await folder.dataset()), options })).rejects.toMatchObject({
      code: 'bad_option',
      message: expect.stringMatching(message),
    });
  });

  it('labels the release from a date in a file name, else from the .dbf', async () => {
    const spec = {
      shapeType: 5,
      fields: [['PFI', 'C', 4]] as FieldSpec[],
      rows: [['1']],
      shapes: [[HERE]],
      prj: GDA2020_PRJ,
    };
    for (const [name, id] of [
      ['parcels_20240131', '2024-01-31'],
      ['Parcels-NOV25', '2025-11'],
      ['Parcels August 2026', '2026-08'],
      ['market12', '2024-05-17'],
    ] as const) {
      await folder.shapefile(`label_${id}/${name}`, spec);
      const dataset = await datasetOf(join(folder.path, `label_${id}`), { options: { state: 'VIC' } });
      expect((await cadastreAdapter.discover(dataset)).release.id).toBe(id);
      expect((await cadastreAdapter.discover({ ...dataset, release: 'stated' })).release.id).toBe('stated');
    }
  });

  it('notes files that are read but not configured', async () => {
    const dataset = await datasetOf(join(folder.path, 'lean'), { options: { state: 'VIC' } }, /\.shp$/);
    expect((await cadastreAdapter.discover(dataset)).release.notes).toContainEqual(
      expect.stringMatching(/^x\.shp: x\.dbf, x\.prj is read/),
    );
  });

  it('tells files of the same name apart', async () => {
    const spec = {
      shapeType: 5,
      fields: [['PFI', 'C', 4]] as FieldSpec[],
      rows: [['1']],
      shapes: [[HERE]],
      prj: GDA2020_PRJ,
    };
    await folder.shapefile('twins/north/parcels', spec);
    await folder.shapefile('twins/south/parcels', spec);
    const { parts } = await cadastreAdapter.discover(
      await datasetOf(join(folder.path, 'twins'), { options: { state: 'VIC' } }),
    );
    expect(parts.map((part) => part.id)).toEqual(['north/parcels', 'south/parcels']);
  });
});

const present = existsSync(join(YARRA, 'cadastre'));
if (!present) console.warn('City of Yarra data not found: real parcels are not tested.');

describe.skipIf(!present)('cadastre adapter, City of Yarra', () => {
  const dataset = () =>
    datasetOf(join(YARRA, 'cadastre'), {
      crs: 'EPSG:7844',
      options: { state: 'VIC', field_map: { parcel_id: 'id_stock' } },
    });
  adapterConformance('cadastre, City of Yarra', async () => ({
    adapter: cadastreAdapter,
    dataset: await dataset(),
  }));

  it('keeps every parcel, reports the overridden CRS, and measures the expected areas', async () => {
    const { release, parts } = await cadastreAdapter.discover(await dataset());
    expect(release.crs).toEqual({ applied: 'EPSG:7844', stated: 'EPSG:4326', overridden: true });
    expect(release.notes).toEqual([
      'CRS of yarra_parcels.shp: the file states EPSG:4326; the configured EPSG:7844 applies.',
    ]);
    const { rows, rejects } = await readPart(cadastreAdapter, release, parts[0]!);
    const parcels = rows.get(parcelRecord)!;
    expect([parcels.length, rejects.length]).toEqual([19_858, 0]);
    const areas = new Map(parcels.map((parcel) => [parcel.parcel_id, parcel.area_sqm as number]));
    expect(areas.size).toBe(19_858);
    const text = await readFile(join(YARRA, 'expected/parcel_area.csv'), 'utf8');
    const [header, ...lines] = text.trim().split(/\r?\n/);
    const [id, area] = ['id_stock', 'ellipsoidal_m2'].map((name) => header!.split(',').indexOf(name));
    let compared = 0;
    for (const line of lines) {
      const cells = line.split(',');
      expect(Math.abs(areas.get(`VIC:${cells[id!]}`)! - Number(cells[area!])), line).toBeLessThan(0.05);
      compared++;
    }
    expect(compared).toBe(300);
  });
});
