import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { overlayPieceRecord } from '../../../schema/records/overlay.ts';
import type { Row } from '../../../schema/table.ts';
import type { DatasetConfig } from '../../../sources/adapter.ts';
import { overlaysAdapter } from '../../../sources/overlays/adapter.ts';
import { OVERLAY_FIELD_MAPS } from '../../../sources/overlays/field_maps.ts';
import { adapterConformance, readPart } from '../conformance.ts';
import { type ReleaseFolder, releaseFolder } from '../release_folder.ts';
import { dbfBytes, type FieldSpec, GDA94_PRJ, square } from '../shapefile_writer.ts';

const HERE = square(145.01, -37.81, 0.001);
let folder: ReleaseFolder;
beforeEach(async () => {
  folder = await releaseFolder();
});
afterEach(() => folder.remove());

/** Writes polygons with text columns. */
const polygons = (
  into: ReleaseFolder,
  stem: string,
  names: readonly string[],
  rows: readonly (readonly (string | null)[])[],
) =>
  into.shapefile(stem, {
    shapeType: 5,
    fields: names.map((name): FieldSpec => [name, 'C', 80]),
    rows,
    shapes: rows.map(() => [HERE]),
    prj: GDA94_PRJ,
    cpg: 'UTF-8',
    encoding: 'utf8',
  });

async function readAll(dataset: DatasetConfig) {
  const { release, parts } = await overlaysAdapter.discover(dataset);
  const results = [];
  for (const part of parts) results.push(await readPart(overlaysAdapter, release, part));
  return {
    release,
    parts,
    pieces: results.flatMap(({ rows }) => rows.get(overlayPieceRecord) ?? []) as Row<
      typeof overlayPieceRecord
    >[],
    accounts: results.flatMap(({ accounts }) => accounts),
    rejects: results.flatMap(({ rejects }) => rejects),
    notes: results.flatMap(({ notes }) => notes),
  };
}

const VIC = ['PFI', 'ZONESTATUS', 'ZONE_CODE', 'ZONE_DESC'];
const VIC_ROWS = [
  ['1', 'g', 'DDO5-2', 'DESIGN AND DEVELOPMENT OVERLAY - SCHEDULE 5-2'],
  ['2', 'g', 'HO12', ''],
  ['3', 'p', 'HO13', 'HERITAGE OVERLAY (HO13)'],
  ['1', 'g', 'XYO3', 'MYSTERY OVERLAY - SCHEDULE 3'],
  ['5', 'g', '', ''],
];

async function writeVic(into: ReleaseFolder): Promise<void> {
  await polygons(into, 'PLAN_OVERLAY', VIC, VIC_ROWS);
  const list = {
    fields: [
      ['ZONE_CODE', 'C', 12],
      ['ZONE_DESC', 'C', 100],
    ] as FieldSpec[],
    rows: [['HO12', 'HERITAGE OVERLAY (HO12)']],
  };
  await into.write('PLAN_CODELIST.dbf', dbfBytes(list));
}

adapterConformance('overlays, generated Vicmap overlays', async () => {
  const own = await releaseFolder();
  await writeVic(own);
  return {
    adapter: overlaysAdapter,
    dataset: await own.dataset({ options: { state: 'VIC' } }),
    remove: own.remove,
  };
});

describe('overlays adapter', () => {
  it('reads Vicmap by family, with names of the code list', async () => {
    await writeVic(folder);
    const { pieces, accounts, rejects, notes } = await readAll(
      await folder.dataset({ options: { state: 'VIC' } }),
    );
    expect(pieces).toMatchObject([
      {
        overlay_id: 'VIC:1',
        layer: 'Design and Development Overlay',
        code: 'DDO5-2',
        value: 'DDO5-2 Design and Development Overlay - Schedule 5-2',
      },
      { overlay_id: 'VIC:2', layer: 'Heritage Overlay', value: 'HO12 Heritage Overlay' },
      { overlay_id: 'VIC:1#2', layer: 'Mystery Overlay', value: 'XYO3 Mystery Overlay - Schedule 3' },
    ]);
    expect(rejects).toMatchObject([{ code: 'missing_value', at: 'feature 5' }]);
    expect(accounts[0]).toMatchObject({ rows_in: 5, records: 3, rejects: 1, drops: { not_gazetted: 1 } });
    expect(accounts[1]).toMatchObject({ file: 'PLAN_CODELIST.dbf', table: null, records: 1 });
    expect(notes).toEqual([expect.stringMatching(/XYO3 \(1\), without code \(1\)/)]);
  });

  it('makes NSW controls of figures and units, and rejects what has none', async () => {
    await polygons(
      folder,
      'hob/EPI_Height',
      ['MAX_B_H', 'UNITS', 'SYM_CODE'],
      [
        ['8.50', 'm', 'I'],
        ['45.2', 'm (RL)', 'RL'],
        ['12', '', 'M'],
        ['', 'm', 'M'],
      ],
    );
    await polygons(
      folder,
      'lsz/EPI_Lot_Size',
      ['LOT_SIZE', 'UNITS'],
      [
        ['450', 'm2'],
        ['2', 'ha'],
      ],
    );
    await polygons(folder, 'fsr/EPI_FSR', ['FSR'], [['0.5']]);
    await polygons(
      folder,
      'her/EPI_Heritage',
      ['LAY_CLASS', 'H_ID', 'H_NAME'],
      [['Item - General', 'I123', 'Cottage']],
    );
    const read = async (part: string, field_map: string) => {
      const all = await folder.dataset({ options: { state: 'NSW', field_map } });
      return readAll({ ...all, files: all.files.filter(({ path }) => path.includes(`/${part}/`)) });
    };
    const height = await read('hob', 'nsw_height');
    expect(height.pieces).toMatchObject([
      { layer: 'Height of Building', value: '8.5 m', code: null, overlay_id: 'NSW:fixture/EPI_Height/1' },
      { value: '45.2 m RL (elevation above datum)' },
    ]);
    expect(height.rejects.map(({ code, at }) => [code, at])).toEqual([
      ['bad_value', 'feature 3'],
      ['missing_value', 'feature 4'],
    ]);
    expect(height.release.notes).toEqual([expect.stringMatching(/states no coverage of overlay/)]);
    expect((await read('lsz', 'nsw_lot_size')).pieces.map(({ value }) => value)).toEqual([
      '450 m2',
      '20000 m2',
    ]);
    expect((await read('fsr', 'nsw_fsr')).pieces.map(({ value }) => value)).toEqual(['0.5:1']);
    expect((await read('her', 'nsw_heritage')).pieces).toMatchObject([
      { value: 'Item - General: I123 Cottage', code: 'I123', layer: 'Heritage' },
    ]);
    await expect(read('fsr', 'nsw_height')).rejects.toMatchObject({
      code: 'missing_column',
      message: expect.stringMatching(/EPI_FSR.*MAX_B_H.*FSR/),
    });
  });

  it('reads South Australia and Tasmania by their columns, and councils by the usual ones', async () => {
    await polygons(
      folder,
      'sa/o',
      ['name', 'value'],
      [
        ['Building Height', '2 levels'],
        ['Affordable Housing', ''],
      ],
    );
    await polygons(folder, 'tas/o', ['CODE', 'OV_CAT'], [['Landslip Hazard Code', 'Low']]);
    await polygons(
      folder,
      'qld/o',
      ['CAT_DESC', 'OVL2_CAT', 'OVL2_DESC'],
      [['Flood', 'FHA_3', 'Flood planning area 3']],
    );
    const read = async (state: string) => {
      const all = await folder.dataset({ options: { state } });
      const files = all.files.filter(({ path }) => path.includes(`/${state.toLowerCase()}/`));
      return (await readAll({ ...all, files })).pieces.map(({ layer, code, value }) => [layer, code, value]);
    };
    expect(await read('SA')).toEqual([
      ['Building Height', null, '2 levels'],
      ['Affordable Housing', null, 'Affordable Housing'],
    ]);
    expect(await read('TAS')).toEqual([['Landslip Hazard Code', null, 'Low']]);
    expect(await read('QLD')).toEqual([['Flood', 'FHA_3', 'Flood planning area 3']]);
  });

  it('takes a map from the configuration', async () => {
    await polygons(
      folder,
      'own',
      ['KEY', 'H', 'U', 'S'],
      [
        ['5', '11', 'metres', 'in force'],
        ['6', '12', 'metres', 'draft'],
      ],
    );
    const field_map = {
      overlay_id: 'KEY',
      layer: { is: 'Building height' },
      value: { rule: 'height', figure: 'H', unit: 'U' },
      filters: [{ fields: ['S'], keep: ['In Force'], drop: 'not_gazetted' }],
    };
    const { pieces, accounts } = await readAll(
      await folder.dataset({ options: { state: 'ACT', field_map } }),
    );
    expect(pieces).toMatchObject([{ overlay_id: 'ACT:fixture/5', layer: 'Building height', value: '11 m' }]);
    expect(accounts[0]!.drops).toEqual({ not_gazetted: 1 });
  });

  it.each([
    [{ state: 'NSW' }, /unknown overlay field map nsw. Use one of vic, nsw_height/],
    [{ state: 'WA' }, /unknown overlay field map wa/],
    [{ state: 'VIC', field_map: 'constructor' }, /unknown overlay field map constructor/],
    [{ state: 'VIC', field_map: { layer: { is: 'x' }, value: { rule: 'magic' } } }, /field_map/],
    [{ state: 'VIC', coverage: 'everywhere' }, /coverage/],
    [{ state: 'AU' }, /state/],
  ])('refuses %j', async (options, message) => {
    await writeVic(folder);
    const thrown = overlaysAdapter.discover(await folder.dataset({ options }));
    await expect(thrown).rejects.toMatchObject({
      code: 'bad_option',
      message: expect.stringMatching(message),
    });
  });

  it('has no map that claims a whole state by one control', () => {
    const statewide = Object.entries(OVERLAY_FIELD_MAPS).filter(([, map]) => map.statewide);
    expect(statewide.map(([name]) => name)).toEqual(['vic', 'sa']);
  });
});
