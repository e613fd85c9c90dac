import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { viewFiles } from '../../../pipelines/recognise/file_view.ts';
import type { InspectedLayer } from '../../../pipelines/recognise/layer_view.ts';
import { isRowNumber, lotColumn, parcelSigns } from '../../../pipelines/recognise/parcel_signs.ts';
import { recognise } from '../../../pipelines/recognise/recognise.ts';
import { FIGURES } from '../../../sources/census/figures.ts';
import { listedInRegister, verdictsOf } from '../../../sources/fields/column_filter.ts';
import { xlsxBytes } from '../../sources/workbook_fixture.ts';
import { zipBytes } from '../../sources/zip_writer.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'foreign-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function problemOf(name: string, text = ''): Promise<string | null> {
  writeFileSync(join(folder, name), text);
  const [view] = await viewFiles([join(folder, name)]);
  rmSync(join(folder, name));
  return view!.problem;
}

describe('a file that no adapter reads', () => {
  it.each([
    ['a.kml', 'KML', 'ogr2ogr'],
    ['a b.KMZ', 'KMZ', 'ogr2ogr'],
    ['a.tab', 'MapInfo', 'ogr2ogr'],
    ['a.7z', '7-Zip', '7z x'],
    ['a.tar.gz', 'tar', 'tar -xf'],
    ['a.xls', 'spreadsheet', 'soffice'],
    ['a.xlsm', 'spreadsheet', 'soffice'],
    ['a.mdb', 'Access', 'ogr2ogr'],
    ['depth.tif', 'raster', 'gdal_polygonize.py'],
    ['a.osm.bz2', 'OpenStreetMap XML', 'osmium'],
    ['a.csv.bz2', 'bzip2', 'bunzip2'],
    ['a.gml', 'GML', 'ogr2ogr'],
  ])('%s: its format and the command that converts it are named', async (name, format, command) => {
    const problem = await problemOf(name);
    for (const word of [format, command, `'${name}'`]) expect(problem).toContain(word);
  });

  it.each([
    [['doc.kml'], 'KML'],
    [['zones.tab', 'zones.dat', 'zones.map', 'zones.id'], 'MapInfo'],
    [['depth/depth.tif', 'depth/depth.tfw'], 'raster'],
  ])('is named in its zip: %j', async (members, format) => {
    const path = join(folder, 'delivery.zip');
    writeFileSync(path, await zipBytes(members.map((name) => ({ name, bytes: Buffer.from('x') }))));
    const [view] = await viewFiles([path]);
    rmSync(path);
    expect(view!.proposals).toEqual([]);
    expect(view!.problem).toContain(`Unpack it (unzip 'delivery.zip'). ${members[0]}: It is`);
    expect(view!.problem).toContain(format);
  });

  it('is reported with its delimiter if it is a table with an unusual one', async () => {
    expect(await problemOf('a.csv', 'suburb;weekly rent\nKew;520\n')).toContain('the delimiter ";"');
  });

  it('is reported with its columns, and those that a table needs', async () => {
    for (const head of [
      'address,suburb,weekly_cost,SA2_CODE21',
      'address,weekly_cost,latitude,longitude,LGA_CODE21',
    ]) {
      const problem = await problemOf('rents.csv', `${head}\n1 High St,Kew,400,207011148,1\n`);
      expect(problem).toContain('weekly_cost');
      expect(problem).toContain('event_type');
    }
  });
});

describe('a workbook that no adapter reads', () => {
  const problem = async (sheets: Parameters<typeof xlsxBytes>[0]) => {
    const path = join(folder, 'rents.xlsx');
    writeFileSync(path, await xlsxBytes(sheets));
    const [view] = await viewFiles([path]);
    rmSync(path);
    expect(view!.proposals).toEqual([]);
    return view!.problem;
  };

  it('has its sheets and columns named, and what another table needs', async () => {
    const text = await problem([
      { name: 'Notes', rows: [['Rents of the council']] },
      {
        name: 'Rents',
        rows: [['Rents 2026'], [], ['Suburb', 'Weekly rent', 'Bonds held'], ['Kew', 520, 31]],
      },
    ]);
    expect(text).toContain('(Notes: no table; Rents, row 3: Suburb, Weekly rent, Bonds held)');
    expect(text).toContain('event_type');
  });

  it('is reported with the number of sheets that are not listed', async () => {
    const sheets = Array.from({ length: 7 }, (_, i) => ({
      name: `S${i}`,
      rows: [
        ['a', 'b'],
        [1, i],
      ],
    }));
    expect(await problem(sheets)).toContain('S4, row 1: a, b; and 2 more)');
  });
});

const columnOf = (name: string, texts: readonly string[]) => ({
  name,
  values: new Map(texts.map((text) => [text, 1])),
});
const numbers = (from: number): string[] => Array.from({ length: 20 }, (_, i) => String(from + i));

describe('the identifier of a parcel', () => {
  it.each(['fid', 'OBJECTID', 'objectid_1', 'ogc_fid', 'gid', 'OGC_FID', 'row_id'])('is no %s', (name) => {
    expect(isRowNumber(columnOf(name, numbers(4001)))).toBe(true);
  });

  it('is no column that counts the rows of its file', () => {
    expect(isRowNumber(columnOf('id', numbers(1)))).toBe(true);
    expect(isRowNumber(columnOf('id', numbers(0)))).toBe(true);
    expect(isRowNumber(columnOf('id', numbers(4001)))).toBe(false);
    expect(isRowNumber(columnOf('parcel_id', ['a1', 'a2']))).toBe(false);
  });

  it('is a column of the publisher before a row number', () => {
    const layer: InspectedLayer = {
      file: 'parcels.shp',
      crs: 'EPSG:7844',
      names_datum: true,
      families: ['polygon'],
      looked: 20,
      columns: [
        columnOf('fid', numbers(1)),
        columnOf('land_id', numbers(7001)),
        columnOf('address', numbers(1)),
      ],
      states: ['VIC'],
      median_sqm: 600,
    };
    expect(parcelSigns(layer, true)?.id).toBe('land_id');
  });
});

describe('a column of lots on plan', () => {
  it.each([
    ['LotPlan', ['225/1003549', 'CK2585/202', '1/RP123', '12/755']],
    ['LOT_PLAN', ['1//1003549', '2//1003549', '3//1003550']],
  ])('is recognised by its name and form: %s %j', (name, texts) => {
    expect(lotColumn([columnOf('fid', ['1', '2', '3']), columnOf(name, texts)], texts.length)?.column).toBe(
      name,
    );
  });

  it.each([
    [['Lot 1 DP 70000', 'Lot 22 DP 70001'], 'NSW', ['1/DP70000', '22/DP70001']],
    [['1 on SP12345', 'A on RP1234'], 'QLD', ['1/SP12345', 'A/RP1234']],
    [['5 DP12345', '6 DP12345'], 'NSW', ['5/DP12345', '6/DP12345']],
    [['Lot 3 PS 804455', '4 PS 804455'], 'VIC', ['3\\PS804455', '4\\PS804455']],
    [['DP70000//1', 'DP70001//22'], 'NSW', ['1/DP70000', '22/DP70001']],
  ])('is written as the state does: %j of %s', (texts, state, written) => {
    const { field_map } = lotColumn([columnOf('Description', texts)], texts.length, [state])!;
    const { patterns } = field_map.lot_plan as { patterns: { match: string; write: string }[] };
    const rewritten = texts.map((text) => {
      const { match, write } = patterns.find((each) => new RegExp(each.match, 'i').test(text))!;
      return text.replace(new RegExp(match, 'i'), write);
    });
    expect(rewritten).toEqual(written);
  });

  it('is not proposed for suburbs with state and postcode', () => {
    const texts = ['Kew VIC 3101', 'K VIC 3102', 'A1 NSW 2000'];
    expect(lotColumn([columnOf('Locality', texts)], texts.length, ['VIC'])).toBeNull();
  });

  it('is written as lot/plan if the plan comes first', () => {
    const { field_map } = lotColumn([columnOf('LotPlan', ['225/1003549', 'CK2585/202', '1/RP123'])], 3)!;
    const [{ match, write }] = (field_map.lot_plan as { patterns: { match: string; write: string }[] })
      .patterns as [{ match: string; write: string }];
    const turned = ['225/1003549', 'CK2585/202', '1/RP123'].map((text) =>
      text.replace(new RegExp(match, 'i'), write),
    );
    expect(turned).toEqual(['225/1003549', '202/CK2585', '1/RP123']);
  });
});

it('a cadastre of several files with row numbers alone is a question', async () => {
  const square = (x: number, y: number) => [
    [x, y],
    [x + 0.0002, y],
    [x + 0.0002, y + 0.0002],
    [x, y + 0.0002],
    [x, y],
  ];
  for (const [name, shift] of [
    ['parcels_a.geojson', 0],
    ['parcels_b.geojson', 0.1],
  ] as const)
    writeFileSync(
      join(folder, name),
      JSON.stringify({
        type: 'FeatureCollection',
        features: Array.from({ length: 20 }, (_, i) => ({
          type: 'Feature',
          properties: { fid: i + 1, address: `${i} High St`, land_area: 400 + i },
          geometry: { type: 'Polygon', coordinates: [square(144 + shift + i * 0.001, -37)] },
        })),
      }),
    );
  const { datasets } = await recognise(folder);
  expect(datasets.map(({ adapter, question }) => [adapter, question])).toEqual([
    ['cadastre', expect.stringContaining('fid numbers the rows of each file')],
  ]);
});

describe('an unzipped DataPack of the Census', () => {
  const medians = Object.values(FIGURES)
    .filter(({ table }) => table === 'G02')
    .flatMap(({ columns }) => columns.map(([name]) => name!));
  const pack = '2021 GCP for VIC';
  const FILES: Record<string, string> = {
    [`${pack}/SA2/VIC/2021Census_G02_VIC_SA2.csv`]: `SA2_CODE_2021,${medians}\n206041122,${medians.map(() => 5)}\n`,
    [`${pack}/LGA/VIC/2021Census_G02_VIC_LGA.csv`]: `LGA_CODE_2021,${medians}\nLGA24600,${medians.map(() => 5)}\n`,
    'old/2016Census_G01_VIC_SSC.csv': 'SSC_CODE_2016,Tot_P_P\nSSC20001,5\n',
    'work/2021Census_W01A_VIC_POW_SA2.csv': 'SA2_CODE_2021,M_Tot\n206041122,5\n',
    'long/2021Census_G02_VIC_SA2.csv': 'SA2_CODE_2021,Median age of persons\n206041122,5\n',
  };

  it('is one dataset, and files of other years, profiles and headers say why they are left out', async () => {
    const census = join(folder, 'census');
    for (const [name, text] of Object.entries(FILES)) {
      mkdirSync(dirname(join(census, name)), { recursive: true });
      writeFileSync(join(census, name), text);
    }
    const { datasets, unrecognised } = await recognise(census);
    rmSync(census, { recursive: true });
    expect(datasets.map(({ adapter, path }) => [adapter, path])).toEqual([
      ['census', Object.keys(FILES).slice(0, 2).sort()],
    ]);
    expect(unrecognised.map(({ file, why, proposed }) => [file.split('/')[0], why, proposed])).toEqual([
      ['long', expect.stringMatching(/no column Median_age_persons.*short-header/), null],
      ['old', expect.stringContaining('DataPacks of 2016 number their tables otherwise'), null],
      ['work', expect.stringContaining('General Community Profile'), null],
    ]);
  });
});

describe('parcels of several files whose identifiers are the same', () => {
  const parcels = async (columns: (file: number, i: number) => Record<string, unknown>) => {
    const tiles = join(folder, 'tiles');
    mkdirSync(tiles);
    for (const file of [0, 1]) {
      const features = Array.from({ length: 20 }, (_, i) => {
        const [x, y, d] = [144 + file / 10 + i * 0.001, -37, 0.0002];
        const ring = [
          [x, y],
          [x + d, y],
          [x + d, y + d],
          [x, y + d],
          [x, y],
        ];
        return {
          type: 'Feature',
          properties: { address: `${i} High St`, land_area: 400 + i, ...columns(file, i) },
          geometry: { type: 'Polygon', coordinates: [ring] },
        };
      });
      writeFileSync(
        join(tiles, `parcels_${file}.geojson`),
        JSON.stringify({ type: 'FeatureCollection', features }),
      );
    }
    const { datasets } = await recognise(tiles);
    rmSync(tiles, { recursive: true });
    return datasets.map(({ options, question }) => [
      (options.field_map as { parcel_id: string }).parcel_id,
      question,
    ]);
  };

  it('have their lots as identifiers', async () => {
    expect(await parcels((file, i) => ({ parcel_id: 7001 + i, lotplan: `${i}/RP${2000 + file}` }))).toEqual([
      ['lotplan', null],
    ]);
  });

  it('are a question without lots', async () => {
    expect(await parcels((_, i) => ({ parcel_id: 7001 + i }))).toEqual([
      ['parcel_id', expect.stringContaining('same values of parcel_id')],
    ]);
  });

  it('keep an identifier that differs by file, or that repeats with its lot', async () => {
    const kept = [['parcel_id', null]];
    expect(
      await parcels((file, i) => ({ parcel_id: 7001 + 100 * file + i, lotplan: `${i}/RP${2000 + file}` })),
    ).toEqual(kept);
    expect(await parcels((_, i) => ({ parcel_id: 7001 + i, lotplan: `${i}/RP2000` }))).toEqual(kept);
  });
});

describe('a layer of few features with zones', () => {
  const zones = async (rows: (i: number) => Record<string, string>, lon: number) => {
    const path = join(folder, 'land.geojson');
    const features = Array.from({ length: 12 }, (_, i) => {
      const [x, y, d] = [lon + i * 0.001, lon > 150 ? -27.4 : -34.9, 0.0008];
      const ring = [
        [x, y],
        [x + d, y],
        [x + d, y + d],
        [x, y + d],
        [x, y],
      ];
      return { type: 'Feature', properties: rows(i), geometry: { type: 'Polygon', coordinates: [ring] } };
    });
    writeFileSync(path, JSON.stringify({ type: 'FeatureCollection', features }));
    const [view] = await viewFiles([path]);
    rmSync(path);
    expect(view!.proposals.map(({ adapter }) => adapter)).toEqual(['zoning']);
    return view!.proposals[0]!.doubt;
  };
  const NAMES = ['Rural Living', 'Urban Corridor (Living)', 'Employment'];

  it.each([
    ['titles', (i: number) => ({ Title: `CT ${5000 + i}/12`, Owner: 'Renewal', Zone: NAMES[i % 3]! })],
    ['locations', (i: number) => ({ Location: `${i} Port Road`, Zoning: NAMES[i % 3]! })],
  ])('that name %s may be a list of lots: it is a question', async (_facts, rows) => {
    expect(await zones(rows, 138.6)).toContain('a list of lots');
  });

  it('is a layer of zones without such facts, also where a zone has an "and" in its name', async () => {
    const names = ['Sport and recreation', 'Low density residential', 'Open space'];
    expect(await zones((i) => ({ LVL1_ZONE: names[i % 3]!, ZONE_PREC: '' }), 153)).toBeUndefined();
  });
});

describe('the status of an entry of a register', () => {
  const verdict = verdictsOf(listedInRegister(), true);
  it.each(['Historic', 'Removed', 'Not a site', 'Nominated', 'Lapsed', 'Delisted', 'Withdrawn', 'Refused'])(
    '%s is no listing',
    (text) => expect(verdict(text)).toBe('drop'),
  );
  it.each(['Registered', 'Entered in the register', 'Listed', 'Current', 'provisional'])(
    '%s is one',
    (text) => expect(verdict(text)).toBe('take'),
  );
  it('that is unknown is counted as unknown', () => expect(verdict('Zebra')).toBe('unknown'));
  it('is asked about where a word is unknown, and only then', async () => {
    for (const [word, question] of [
      ['Zebra', expect.stringContaining('STATUS is "Zebra"')],
      ['Nominated', null],
    ]) {
      const features = ['Listed', word, null].map((STATUS, i) => ({
        type: 'Feature',
        properties: { NAME: `Hall ${i}`, STATUS },
        geometry: { type: 'Point', coordinates: [144.9 + i / 100, -37.8] },
      }));
      const register = join(folder, 'register');
      mkdirSync(register);
      writeFileSync(
        join(register, 'heritage_places.geojson'),
        JSON.stringify({ type: 'FeatureCollection', features }),
      );
      const { datasets } = await recognise(register);
      rmSync(register, { recursive: true });
      expect(datasets.map(({ options }) => options.layer)).toEqual(['heritage']);
      expect(datasets[0]!.question).toEqual(question);
    }
  });
  it('that is blank keeps the entry', () => expect(verdict('')).toBe('take'));
});
