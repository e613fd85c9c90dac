import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cellOf } from '../../../schema/grid.ts';
import { zonePieceRecord } from '../../../schema/records/zone.ts';
import type { DatasetConfig } from '../../../sources/adapter.ts';
import { zoningAdapter } from '../../../sources/zoning/adapter.ts';
import { pointInMultiPolygon } from '../../../transforms/geo/point_in_polygon.ts';
import { decodeWkb } from '../../../transforms/geo/wkb.ts';
import { adapterConformance, readPart } from '../conformance.ts';
import { datasetOf, type ReleaseFolder, releaseFolder, YARRA } from '../release_folder.ts';
import {
  dbfBytes,
  type FieldSpec,
  GDA94_PRJ,
  GDA2020_PRJ,
  shapefileMembers,
  square,
} from '../shapefile_writer.ts';
import { zipBytes } from '../zip_writer.ts';

const HERE = square(145.01, -37.81, 0.001);
const FIELDS: FieldSpec[] = [
  ['PFI', 'N', 12],
  ['ZONESTATUS', 'C', 1],
  ['ZONE_CODE', 'C', 12],
  ['ZONE_DESC', 'C', 100],
];
const CODE_LIST = {
  fields: [
    ['ZONE_CODE', 'C', 12],
    ['ZONE_DESC', 'C', 100],
  ] as FieldSpec[],
  rows: [
    ['C1Z', 'COMMERCIAL 1 ZONE'],
    ['NRZ1', 'OVERRULED BY THE LAYER'],
    ['', 'NO CODE'],
    ['C1Z', 'DELETED'],
  ],
  deleted: [3],
};

async function writeZones(folder: ReleaseFolder): Promise<void> {
  await folder.shapefile('PLAN_ZONE', {
    shapeType: 5,
    fields: FIELDS,
    rows: [
      ['3099431', 'g', 'NRZ1', 'NEIGHBOURHOOD RESIDENTIAL ZONE - SCHEDULE 1'],
      ['3099432', 'p', 'GRZ1', 'GENERAL RESIDENTIAL ZONE'],
      ['3099433', 'G', 'C1Z', ''],
      ['3099431', 'g', 'XYZ9', 'MYSTERY ZONE'],
      ['3099434', 'g', 'PPRZ', ''],
      ['3099435', '', 'PPRZ', ''],
      ['3099431', 'g', 'XYZ9', 'MYSTERY ZONE'],
    ],
    shapes: [[square(145.04, -37.84, 0.02)], [HERE], [HERE], [HERE], null, [HERE], [HERE]],
    prj: GDA2020_PRJ,
  });
  await folder.write('PLAN_CODELIST.dbf', dbfBytes(CODE_LIST));
}

adapterConformance('zoning, generated Vicmap zones', async () => {
  const folder = await releaseFolder();
  await writeZones(folder);
  return {
    adapter: zoningAdapter,
    dataset: await folder.dataset({ options: { state: 'VIC' } }),
    remove: folder.remove,
  };
});

/** A delivery as Vicmap ships it: zones, overlays and the code list in one zip. */
async function writeZip(folder: ReleaseFolder): Promise<void> {
  const layer = (stem: string, code: string) =>
    Object.entries(
      shapefileMembers({
        shapeType: 5,
        fields: FIELDS,
        rows: [['1', 'g', code, '']],
        shapes: [[HERE]],
        prj: GDA94_PRJ,
        cpg: 'UTF-8',
      }),
    ).map(([part, bytes]) => ({ name: `ll_gda94/VMPLAN/${stem}.${part}`, bytes }));
  const list = { name: 'll_gda94/VMPLAN/PLAN_CODELIST.dbf', bytes: dbfBytes(CODE_LIST) };
  await folder.write(
    'order.zip',
    await zipBytes([...layer('PLAN_OVERLAY', 'HO12'), list, ...layer('PLAN_ZONE', 'C1Z')]),
  );
}

adapterConformance('zoning, zipped', async () => {
  const folder = await releaseFolder();
  await writeZip(folder);
  return {
    adapter: zoningAdapter,
    dataset: await folder.dataset({ options: { state: 'VIC' } }),
    remove: folder.remove,
  };
});

describe('zoning adapter', () => {
  let folder: ReleaseFolder;
  beforeAll(async () => {
    folder = await releaseFolder();
  });
  afterAll(() => folder.remove());

  async function readDataset(dataset: DatasetConfig) {
    const { release, parts } = await zoningAdapter.discover(dataset);
    const result = await readPart(zoningAdapter, release, parts[0]!);
    return { release, parts, ...result, pieces: result.rows.get(zonePieceRecord)! };
  }

  it('keeps gazetted zones, counts features and not pieces, and lists unknown codes', async () => {
    await writeZones(folder);
    const { pieces, accounts, rejects, notes } = await readDataset(
      await folder.dataset({ options: { state: 'VIC' } }),
    );
    expect(accounts).toEqual([
      {
        file: 'PLAN_ZONE.shp',
        table: 'zone_piece',
        rows_in: 7,
        records: 4,
        rejects: 1,
        drops: { not_gazetted: 2 },
        uncategorised: { 'XYZ9 MYSTERY ZONE': 2 },
      },
      {
        file: 'PLAN_CODELIST.dbf',
        table: null,
        rows_in: 4,
        records: 2,
        rejects: 0,
        drops: { no_code_or_name: 1, deleted_in_dbf: 1 },
      },
    ]);
    expect(rejects).toMatchObject([{ code: 'no_geometry', at: 'feature 5' }]);
    expect(notes).toEqual(['PLAN_ZONE.shp: 2 of 4 zones (50.00 %) have no category: XYZ9 MYSTERY ZONE (2).']);
    const zones = pieces.map(({ zone_id, code, name, category }) => [zone_id, code, name, category]);
    const first = ['VIC:3099431', 'NRZ1', 'Neighbourhood Residential Zone - Schedule 1', 'residential_low'];
    expect(zones).toEqual([
      first,
      first,
      ['VIC:3099433', 'C1Z', 'Commercial 1 Zone', 'centre_mixed'],
      ['VIC:3099431#2', 'XYZ9', 'Mystery Zone', null],
      ['VIC:3099431#3', 'XYZ9', 'Mystery Zone', null],
    ]);
    expect(pieces[0]!.cell).not.toBe(pieces[1]!.cell);
  });

  it.each([
    [
      'NSW',
      [
        ['SYM_CODE', 'C', 5],
        ['LAY_CLASS', 'C', 50],
      ],
      ['E2', 'Environmental Conservation'],
      { zone_id: 'NSW:zones/1', code: 'E2', name: 'Environmental Conservation', category: 'conservation' },
    ],
    [
      'VIC',
      [
        ['PFI', 'C', 9],
        ['ZONE_STATU', 'C', 1],
        ['ZONE_CODE', 'C', 9],
        ['ZONE_DESCR', 'C', 50],
      ],
      ['7', 'g', 'MUZ', 'MIXED USE ZONE'],
      { zone_id: 'VIC:7', name: 'Mixed Use Zone' },
    ],
    [
      'TAS',
      [
        ['ZONE', 'C', 50],
        ['ZONE_NO', 'N', 5],
      ],
      ['General Residential', '8'],
      { code: '8', name: 'General Residential', category: 'residential_low' },
    ],
    [
      'ACT',
      [
        ['LAND_USE_Z', 'C', 9],
        ['LAND_USE_P', 'C', 50],
      ],
      ['RZ1', 'RZ1: SUBURBAN'],
      { code: 'RZ1', name: 'RZ1: Suburban', category: 'residential_low' },
    ],
    [
      'SA',
      [
        ['NAME', 'C', 50],
        ['VALUE', 'C', 50],
      ],
      ['Hills Face', 'Hills Face'],
      { name: 'Hills Face', category: 'conservation' },
    ],
    [
      'QLD',
      [
        ['ZONE_CODE', 'C', 9],
        ['LVL1_ZONE', 'C', 50],
      ],
      ['LDR', 'Low density residential'],
      { code: 'LDR', name: 'Low density residential', category: 'residential_low' },
    ],
    [
      'QLD',
      [
        ['QPP_Zone', 'C', 9],
        ['QPP_Descri', 'C', 50],
        ['QPP_Precin', 'C', 50],
      ],
      ['MDR', 'Medium density residential', 'MDR1'],
      { code: 'MDR', name: 'Medium density residential', category: 'residential_medium_high' },
    ],
    [
      'QLD',
      [
        ['OBJECTID', 'N', 9],
        ['Zone_prefi', 'C', 9],
        ['Zone_Lable', 'C', 50],
        ['ZONE_SHADE', 'C', 9],
      ],
      ['1', 'LII', 'Low impact industry zone', ''],
      { code: null, name: 'Low impact industry zone', category: 'industrial' },
    ],
    [
      'QLD',
      [
        ['ZONE_CODE', 'C', 9],
        ['EPlan_TxtZ', 'C', 50],
        ['A', 'C', 1],
        ['B', 'C', 1],
        ['D', 'C', 1],
      ],
      ['RUR', 'Rural', '', '', ''],
      { code: 'RUR', name: 'Rural', category: 'rural' },
    ],
    [
      'QLD',
      [
        ['ZONE_CODE', 'C', 9],
        ['TRPS_Zones', 'C', 50],
        ['A', 'C', 1],
        ['B', 'C', 1],
        ['D', 'C', 1],
        ['E', 'C', 1],
      ],
      ['OS', 'Open space', '', '', '', ''],
      { code: 'OS', name: 'Open space', category: 'open_space' },
    ],
    [
      'WA',
      [
        ['zone', 'C', 50],
        ['zone_numbe', 'C', 9],
        ['lga', 'C', 9],
      ],
      // a number of pairs of zone and label, which is no code
      ['Light industry', '12', 'X'],
      { code: null, name: 'Light industry', category: 'industrial' },
    ],
    [
      'NSW',
      [
        ['SYM_CODE', 'C', 5],
        ['LAY_CLASS', 'C', 50],
        ['EPI_NAME', 'C', 90],
        ['EPI_TYPE', 'C', 9],
      ],
      ['SP2', 'Infrastructure', 'State Environmental Planning Policy (Precincts) 2021', ''],
      { code: 'SP2', category: 'infrastructure', prevails: true },
    ],
  ] as const)('%s has a field map', async (state, fields, row, wanted) => {
    const stem = `${state}_${fields.length}/zones`;
    await folder.shapefile(stem, {
      shapeType: 5,
      fields: fields as unknown as FieldSpec[],
      rows: [row],
      shapes: [[HERE]],
      prj: GDA94_PRJ,
    });
    const { pieces, notes } = await readDataset(
      await datasetOf(join(folder.path, stem, '..'), { options: { state } }),
    );
    expect(pieces).toMatchObject([wanted]);
    expect(notes).toEqual([]);
  });

  it('reads one layer of a zip that holds several, and the code list in it', async () => {
    const zipped = await releaseFolder();
    await writeZip(zipped);
    const dataset = await zipped.dataset({ options: { state: 'VIC', layers: 'plan_zone' } });
    const { release, parts, pieces, accounts } = await readDataset(dataset);
    expect(parts.map((part) => part.id)).toEqual(['PLAN_ZONE', '(coverage)']);
    expect(release.notes).toEqual([
      'order.zip › ll_gda94/VMPLAN/PLAN_OVERLAY.shp is not one of the layers; skipped.',
    ]);
    expect(pieces).toMatchObject([{ code: 'C1Z', name: 'Commercial 1 Zone' }]);
    expect(accounts.map((account) => account.file)).toEqual([
      'order.zip › ll_gda94/VMPLAN/PLAN_ZONE.shp',
      'order.zip › ll_gda94/VMPLAN/PLAN_CODELIST.dbf',
    ]);
    const options = { state: 'VIC', layers: ['PLAN_ZONES'] };
    await expect(zoningAdapter.discover({ ...dataset, options })).rejects.toMatchObject({
      code: 'missing_file',
      message: expect.stringMatching(/PLAN_OVERLAY.*PLAN_ZONES/),
    });
    await zipped.remove();
  });

  it('covers a state, councils or a box, and notes a missing coverage', async () => {
    const covered = await releaseFolder();
    await writeZones(covered);
    const read = async (options: Record<string, unknown>) => {
      const { release, parts } = await zoningAdapter.discover(await covered.dataset({ options }));
      const results = [];
      for (const part of parts.slice(1)) results.push(await readPart(zoningAdapter, release, part));
      return { release, rows: results.flatMap(({ rows }) => [...rows.values()].flat()) };
    };
    const theme = 'zoning';
    expect((await read({ state: 'VIC' })).rows).toMatchObject([{ theme, state: 'VIC', area: '*' }]);
    expect((await read({ state: 'VIC', coverage: { lga: ['27350'] } })).rows).toMatchObject([
      { theme, state: 'VIC', area: '27350' },
    ]);
    const box = await read({ state: 'VIC', coverage: { bbox: [145.01, -37.84, 145.02, -37.83] } });
    expect(box.rows).toMatchObject([{ theme, outline_no: 1, dataset: 'fixture' }]);
    const council = await read({ state: 'QLD', field_map: 'generic' });
    expect([council.rows, council.release.notes]).toEqual([
      [],
      [expect.stringMatching(/states no coverage of zoning/)],
    ]);
    await covered.remove();
  });

  it('takes no family of zones for a code, and says where a map gives one code several names', async () => {
    const names = [
      'Low impact industry',
      'Low density residential',
      'Local centre',
      'Limited development',
      'LOW IMPACT INDUSTRY',
    ];
    const council = await releaseFolder();
    await council.shapefile('zones', {
      shapeType: 5,
      fields: [
        ['ZONE_PREFI', 'C', 9],
        ['ZONE_LABEL', 'C', 50],
      ],
      rows: names.map((name) => ['L2', name]),
      shapes: names.map(() => [HERE]),
      prj: GDA2020_PRJ,
    });
    const read = async (options: Record<string, unknown>) => {
      const { release, parts } = await zoningAdapter.discover(await council.dataset({ options }));
      const { rows, notes } = await readPart(zoningAdapter, release, parts[0]!);
      return { zones: rows.get(zonePieceRecord)!, notes: notes.join('\n') };
    };
    const own = await read({ state: 'QLD' });
    expect(own.zones.map(({ code }) => code)).toEqual(names.map(() => null));
    expect(new Set(own.zones.map(({ name }) => String(name).toLowerCase()))).toEqual(
      new Set(names.map((name) => name.toLowerCase())),
    );
    expect(own.notes).not.toContain('several zones');
    const family = await read({ state: 'QLD', field_map: { code: 'ZONE_PREFIX', name: 'ZONE_LABEL' } });
    expect(family.notes).toContain(
      'one code has several zone names: L2 (Low impact industry, Low density residential, Local centre, Limited development). If ZONE_PREFI holds zone families',
    );
    await council.remove();
  });

  it('takes a map from the configuration, and refuses an unknown one', async () => {
    await folder.shapefile('own/x', {
      shapeType: 5,
      fields: [
        ['Z', 'C', 9],
        ['D', 'C', 9],
        ['S', 'C', 9],
      ],
      rows: [
        ['R1', 'X', 'ok'],
        ['R1', 'X', 'no'],
      ],
      shapes: [[HERE], [HERE]],
      prj: GDA2020_PRJ,
    });
    const dataset = await datasetOf(join(folder.path, 'own'));
    const field_map = {
      code: 'z',
      name: ['nope', 'd'],
      status: { fields: ['s'], keep: ['OK'] },
      scheme: 'nsw',
    };
    const { pieces, accounts } = await readDataset({ ...dataset, options: { state: 'NSW', field_map } });
    expect(pieces).toMatchObject([{ code: 'R1', name: 'X', category: 'residential_medium_high' }]);
    expect(accounts[0]!.drops).toEqual({ not_gazetted: 1 });
    const options = { state: 'VIC', field_map: 'vicmap' };
    await expect(zoningAdapter.discover({ ...dataset, options })).rejects.toMatchObject({
      code: 'bad_option',
      message: expect.stringContaining('vicmap'),
    });
    await expect(zoningAdapter.discover({ ...dataset, options: { state: 'VIC' } })).rejects.toMatchObject({
      code: 'missing_column',
      message: expect.stringMatching(/x\.shp.*ZONE_CODE.*Z, D, S/),
    });
  });
});

const present = existsSync(join(YARRA, 'planning'));
if (!present) console.warn('City of Yarra data not found: real zones are not tested.');

describe.skipIf(!present)('zoning adapter, City of Yarra', () => {
  const dataset = () =>
    datasetOf(join(YARRA, 'planning/VMPLAN'), { options: { state: 'VIC' } }, /PLAN_(ZONE|CODELIST)\./);
  adapterConformance('zoning, City of Yarra', async () => ({
    adapter: zoningAdapter,
    dataset: await dataset(),
  }));

  it('knows every code, and finds the expected zone at each address point', async () => {
    const { release, parts } = await zoningAdapter.discover(await dataset());
    expect(release.crs).toEqual({ applied: 'EPSG:4283', stated: 'EPSG:4283', overridden: false });
    const { rows, rejects, notes, accounts } = await readPart(zoningAdapter, release, parts[0]!);
    expect([rejects, notes]).toEqual([[], []]);
    expect(accounts[0]).toMatchObject({ rows_in: 1304, records: 1304 });
    const cells = new Map<number, { code: string; geometry: ReturnType<typeof decodeWkb> }[]>();
    for (const piece of rows.get(zonePieceRecord)!) {
      const held = cells.get(piece.cell as number) ?? [];
      held.push({ code: piece.code as string, geometry: decodeWkb(piece.geom as Uint8Array) });
      cells.set(piece.cell as number, held);
    }
    const [header, ...lines] = (await readFile(join(YARRA, 'expected/zone_by_point.csv'), 'utf8'))
      .trim()
      .split(/\r?\n/);
    const names = header!.split(',');
    let compared = 0;
    for (const line of lines) {
      const values = line.split(',');
      const of = (name: string) => values[names.indexOf(name)]!;
      if (Number(of('margin_to_zone_edge_m')) < 0.05) continue;
      const [lon, lat] = [Number(of('lon')), Number(of('lat'))];
      const found = cells
        .get(cellOf(lon, lat))!
        .filter((zone) => pointInMultiPolygon(lon, lat, zone.geometry));
      expect(
        found.map((zone) => zone.code),
        line,
      ).toContain(of('zone_code'));
      compared++;
    }
    expect(compared).toBeGreaterThan(480);
  });
});
