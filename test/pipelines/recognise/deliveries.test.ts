import { describe, expect, it } from 'vitest';
import { viewFiles } from '../../../pipelines/recognise/file_view.ts';
import type { InspectedLayer } from '../../../pipelines/recognise/layer_view.ts';
import { proposeMaps } from '../../../pipelines/recognise/propose_map.ts';
import { proposeOwn } from '../../../pipelines/recognise/propose_own.ts';
import { recognise } from '../../../pipelines/recognise/recognise.ts';
import { fileUnits } from '../../../pipelines/recognise/units.ts';
import { hasSharedData, sharedPath } from '../../shared_data.ts';

type Values = Readonly<Record<string, readonly string[]>>;

/** A layer whose rows have these values, column by column. */
function layer(file: string, values: Values, own: Partial<InspectedLayer> = {}): InspectedLayer {
  const columns = Object.entries(values).map(([name, all]) => {
    const counts = new Map<string, number>();
    for (const text of all) counts.set(text, (counts.get(text) ?? 0) + 1);
    return { name, values: counts };
  });
  return {
    file,
    crs: 'EPSG:7844',
    names_datum: true,
    families: ['polygon'],
    looked: Object.values(values)[0]!.length,
    columns,
    states: ['VIC'],
    median_sqm: 50_000,
    ...own,
  };
}

const repeated = (text: string, n = 20): string[] => Array.from({ length: n }, () => text);
const numbered = (write: (i: number) => string, n = 20): string[] =>
  Array.from({ length: n }, (_, i) => write(i));

/** Adapter, and hazard layer, of every proposal; of none, the map to be completed. */
function told(of: InspectedLayer): string[] {
  const { proposals } = proposeMaps(of);
  const own = proposals.length > 0 ? null : proposeOwn(of);
  return [...proposals, ...(own === null ? [] : [own])].map(({ adapter, options }) =>
    adapter === 'hazards' ? `${options.layer}` : adapter,
  );
}

describe('recognition does not rely on one kind of evidence', () => {
  const council = (title: string): Values => ({
    DATASET: repeated(title),
    LAYER: repeated(title),
    CODE: numbered((i) => `A${i % 4}`),
    DESCRIPTION: numbered((i) => ['River', 'Creek', 'Park', 'Rural'][i % 4]!),
  });
  const qld = { states: ['QLD'] };

  it('distinguishes overlays of a council from its zones', () => {
    expect(told(layer('layer_58.geojson', council('Flood Hazard'), qld))).toEqual(['flood']);
    expect(told(layer('layer_62.geojson', council('Heritage Place'), qld))).toEqual(['heritage']);
    expect(told(layer('layer_68.geojson', council('Koala habitat'), qld))).toEqual([]);
    expect(told(layer('layer_1.geojson', council('Scheme Zones'), qld))).toEqual(['zoning']);
  });

  it('recognises a power line by its name, not by its columns', () => {
    const columns = {
      FEATURETYPE: repeated('Main'),
      STATUS: repeated('Operational'),
      CLASS: repeated('Overhead'),
      OWNER: repeated('Company'),
    };
    const line = { families: ['line'] };
    expect(told(layer('Electricity_Transmission_Lines.geojson', columns, line))).toEqual(['hv_power_line']);
    for (const file of ['Rail.geojson', 'network_7.geojson', 'Gas_Transmission_Pipelines.geojson'])
      expect(told(layer(file, columns, line))).toEqual([]);
  });

  it('asks a question if only the name fits', () => {
    const columns = { OBJECTID: numbered(String), REMARK: repeated('x') };
    const { proposals } = proposeMaps(layer('Flood_Study_Boundaries.geojson', columns));
    expect(proposals.map(({ doubt }) => doubt)).toEqual(['Is it a layer of flood? Only its name says so.']);
    const known = {
      ...columns,
      ZONE_CODE: repeated('LSIO'),
      ZONE_DESC: repeated('LAND SUBJECT TO INUNDATION'),
    };
    expect(proposeMaps(layer('PLAN_OVERLAY.shp', known)).proposals.every(({ doubt }) => !doubt)).toBe(true);
  });

  it('does not take huge shapes with numbers like lots on plan for parcels', () => {
    const columns = { Number: numbered((i) => `QI20${10 + i}/0${10 + i}`), OBJECTID: numbered(String) };
    expect(told(layer('agreements.shp', columns, { median_sqm: 1e8 }))).toEqual([]);
    expect(told(layer('determinations_7.shp', columns, { median_sqm: 1e8 }))).toEqual([]);
    const lots = { lotplan_text: numbered((i) => `${i + 1}/RP${10_000 + i}`), OBJECTID: numbered(String) };
    expect(told(layer('base_7.shp', lots, { median_sqm: 800 }))).toEqual(['cadastre']);
  });

  it('does not take localities for a hazard', () => {
    const columns = {
      LOC_PID: numbered((i) => `locf${i}`),
      NAME: numbered((i) => `Town ${i}`),
      LOC_CLASS: repeated('Gazetted Locality'),
      DT_CREATE: repeated('2020-01-01'),
      STATE: repeated('VIC'),
    };
    expect(told(layer('vic_localities.shp', columns, { median_sqm: 3e7 }))).toEqual([]);
    expect(told(layer('LOCALITY_POLYGON.shp', columns, { median_sqm: 3e7 }))).toEqual([]);
  });

  it('takes the column with codes for the code of a zone', () => {
    const columns = {
      'Zoned / Rezone': repeated('Zoned'),
      'Current Zone': numbered((i) => ['UGZ1', 'GRZ2', 'PPRZ'][i % 3]!),
    };
    expect(proposeOwn(layer('Zoned.geojson', columns))).toEqual({
      adapter: 'zoning',
      options: {
        state: 'VIC',
        field_map: { code: 'Current Zone', name: 'Current Zone', scheme: 'vic' },
      },
    });
    const { 'Zoned / Rezone': single } = columns;
    expect(proposeOwn(layer('Zoned.geojson', { 'Zoned / Rezone': single }))!.options.field_map).toEqual({
      code: '…',
      name: '…',
    });
  });
});

describe('files that are one delivery', () => {
  const named = (files: string[]): string[] => fileUnits(files).map(({ name }) => name);

  it('are a geodatabase, an unzipped G-NAF, a feed', () => {
    expect(named(['x/a.gdb/a1.gdbtable', 'x/a.gdb/gdb', 'x/b.gdb/gdb', 'x/c.shp'])).toEqual([
      'x/a.gdb',
      'x/b.gdb',
      'x/c.shp',
    ]);
    const gnaf = ['Standard/VIC_STATE_psv.psv', 'Authority Code/Authority_Code_FLAT_TYPE_AUT_psv.psv'];
    expect(named(gnaf.map((file) => `G-NAF/G-NAF MAY 2026/${file}`))).toEqual(['G-NAF/G-NAF MAY 2026']);
    expect(fileUnits(gnaf)).toEqual([{ name: '.', files: gnaf, is_folder: false, adapter: 'gnaf' }]);
    expect(named(['bus/stops.txt', 'bus/routes.txt', 'train/stops.txt', 'notes.txt'])).toEqual([
      'bus/stops.txt',
      'train/stops.txt',
      'notes.txt',
    ]);
  });
});

/** What `init` makes of a delivery: each dataset that is read as adapter, hazard layer and files, and each question as `?`. */
async function written(name: string): Promise<string[]> {
  const { datasets } = await recognise(sharedPath(`deliveries/${name}`), (file) => /\.ya?ml$/.test(file));
  return datasets.map(({ adapter, options, path, question }) =>
    [question === null ? [] : ['?'], adapter, options.layer ?? [], path.join(' ')].flat().join(' '),
  );
}

describe.skipIf(!hasSharedData('recognition of deliveries'))('deliveries that misled', () => {
  it.each([
    [
      'overlays_as_zones',
      [
        'hazards flood FloodplainInvestigationArea_58.geojson',
        'hazards heritage HeritagePlace_62.geojson',
        'zoning Openspace_8.geojson Township_15.geojson',
      ],
    ],
    ['rail_as_hv', []],
    ['ilua_as_cadastre', []],
    ['zoned_code', ['zoning Zoned.geojson']],
    [
      'bmo',
      [
        'hazards bushfire BMOBushfireManagementOverlay.geojson',
        'overlays BMOBushfireManagementOverlay.geojson',
      ],
    ],
    // trains and ferries of a feed without stop_times
    ['gtfs_bus', []],
    ['gnaf_unzipped', ['gnaf g-naf_feb26_gda2020/G-NAF/G-NAF FEBRUARY 2026']],
    ['gnaf_no_datum', ['? gnaf G-NAF/G-NAF FEBRUARY 2026']],
    ['gdb_folder', ['zoning vmplan.gdb']],
    ['two_digit_year', []],
  ])('%s', { timeout: 120_000 }, async (name, wanted) => {
    expect(await written(name)).toEqual(wanted);
  });

  it('a question says what is missing, and a person can check what is read', async () => {
    const of = (name: string) => recognise(sharedPath(`deliveries/${name}`), (file) => /ya?ml$/.test(file));
    const { unrecognised } = await of('gtfs_bus');
    expect(unrecognised).toEqual([
      {
        file: 'stops.txt',
        why: expect.stringMatching(/routes of bus, ferry, train, tram/),
        proposed: expect.stringMatching(/gtfs_bus: …/),
      },
    ]);
    const [gnaf] = (await of('gnaf_no_datum')).datasets;
    expect(gnaf).toMatchObject({ crs: '…', question: expect.stringMatching(/GDA2020 or GDA94/) });
    const [zoned] = (await of('zoned_code')).datasets;
    expect(zoned!.notes).toContain('code from Current Zone: GRZ1, UGZ, UGZ2');
  });

  it('init and inspect propose one map of a table that cannot be read', async () => {
    const folder = sharedPath('deliveries/two_digit_year');
    const { unrecognised } = await recognise(folder, (file) => /ya?ml$/.test(file));
    const [view] = await viewFiles([`${folder}/sales.csv`]);
    expect(unrecognised[0]!.proposed).toBe(view!.proposed);
    expect(view!.proposals[0]!.options.field_map).toMatchObject({
      columns: { event_date: 'Date', price: 'Price' },
      filters: [{ column: 'Method', keep: ['Property sold', 'Property sold prior'] }],
    });
  });
});
