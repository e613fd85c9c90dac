import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hazardPieceRecord } from '../../schema/records/hazard.ts';
import { overlayPieceRecord } from '../../schema/records/overlay.ts';
import type { DatasetResult } from './read_dataset.ts';
import { type PublishedRow, readRows } from './read_rows.ts';
import { type ReleaseFolder, releaseFolder } from './release_folder.ts';

// Other forms of hazards than those that maps were held against: other councils, years and products of the same publishers.

let folder: ReleaseFolder;
beforeEach(async () => {
  folder = await releaseFolder();
});
afterEach(() => folder.remove());

const hazards = (options: PublishedRow, rows: readonly PublishedRow[]) =>
  readRows(folder, 'hazards', options, rows);
const named = (result: DatasetResult) =>
  result.rowsOf(hazardPieceRecord).map(({ name, severity, is_assessed }) => [name, severity, is_assessed]);

describe('Queensland', () => {
  it('the class of a flood is read from the columns of several councils', async () => {
    const options = { state: 'QLD', layer: 'flood' };
    const of = async (column: string, values: readonly (string | null)[]) =>
      hazards(
        options,
        values.map((value) => ({ [column]: value })),
      );
    const townsville = await of('Classification', ['High', 'Medium hazard - further investigation area']);
    expect(named(townsville)).toEqual([
      ['High likelihood of flooding', 4, true],
      ['Floodplain: Medium hazard - further investigation area', null, false],
    ]);
    expect(named(await of('SUB_TYPE', ['Flood hazard - H5']))).toEqual([['Flood hazard - H5', null, true]]);
    const free = await of('FLOOD_RISK', ['None', 'No flood risk', 'Not assessed', null]);
    expect([named(free), free.drops]).toEqual([
      [
        ['Floodplain: Not assessed', null, false],
        ['Flood awareness area', null, true],
      ],
      { other_class: 2 },
    ]);
  });

  it('the rank of a bushfire hazard becomes its intensity', async () => {
    const rows = [
      { Name: 'Bushfire hazard area', Rank: 'High' },
      { CLASS: 'Potential Impact Buffer' },
      { CLASS: 5 },
    ];
    expect(named(await hazards({ state: 'QLD', layer: 'bushfire' }, rows))).toEqual([
      ['High Potential Bushfire Intensity', 3, true],
      ['Bushfire prone area: Potential Impact Buffer', 1, true],
      ['Bushfire prone area: 5', null, true],
    ]);
  });

  it('a heritage place has its site name, or a generic name without one', async () => {
    const rows = [{ Site_Name: 'Old house', STATUS: null }, { Site_Name: ' ' }];
    expect(named(await hazards({ state: 'QLD', layer: 'heritage' }, rows)).map(([name]) => name)).toEqual([
      'Old house',
      'Heritage place',
    ]);
  });
});

describe('Western Australia', () => {
  it('floodways are in force with an active, blank or unlisted status, and not as superseded or draft', async () => {
    const rows = ['Active', 'Approved', 'Current ', null, 'Superseded', 'Draft'].map((status) => ({
      ext_type: 'Flood Fringe',
      status,
    }));
    const result = await hazards({ state: 'WA', layer: 'flood' }, rows);
    expect([named(result).length, result.drops]).toEqual([4, { not_gazetted: 2 }]);
  });

  it('the name of a designation is not repeated', async () => {
    const rows = ['Bush Fire Prone Area 2021', '2019', null].map((designatio) => ({
      type: 'BPA',
      designatio,
    }));
    expect(named(await hazards({ state: 'WA', layer: 'bushfire' }, rows)).map(([name]) => name)).toEqual([
      'Bush Fire Prone Area 2021',
      'Bush fire prone area: 2019',
      'Bush fire prone area',
    ]);
  });

  it('acid sulfate soils are read from either column of risk', async () => {
    const options = { state: 'WA', layer: 'environment' };
    expect(named(await hazards(options, [{ risk_category: 'High to moderate risk', riskclass: 1 }]))).toEqual(
      [['Acid sulfate soils: High to moderate risk', 3, true]],
    );
    expect(named(await hazards(options, [{ riskclass: 4 }]))).toEqual([['Acid sulfate soils', null, true]]);
  });

  it('a place under assessment is dropped from the register', async () => {
    const rows = ['State Register Place', 'Assessment Program'].map((her_record) => ({
      place_no: 841,
      place_name: 'Hall',
      her_record,
    }));
    const result = await hazards({ state: 'WA', layer: 'heritage' }, rows);
    expect([named(result).length, result.drops]).toEqual([1, { not_gazetted: 1 }]);
  });
});

describe('a status in a register', () => {
  const own = { label: 'Place', name: 'NAME' };
  const rows = ['Listed', 'Removed', 'Nominated', null, 'Zebra'].map((Status, i) => ({
    NAME: `H${i}`,
    Status,
  }));

  it.each([
    ['NSW', 'nsw_heritage'],
    ['NT', 'generic'],
    ['VIC', own],
  ])(
    'leaves out what is not listed, in a register without a rule of its own: %s %j',
    async (state, field_map) => {
      const result = await hazards({ state, layer: 'heritage', field_map, coverage: 'none' }, rows);
      expect(result.rowsOf(hazardPieceRecord)).toHaveLength(2);
      expect(result.drops).toEqual({ not_gazetted: 2, unknown_class: 1 });
      expect(result.notes.join()).toContain('Zebra (1)');
    },
  );

  it('is read by the words of a field map where it lists them', async () => {
    const filters = [{ fields: 'status', keep: ['Zebra', 'Nominated'], other: ['*'], drop: 'not_gazetted' }];
    const field_map = { ...own, filters };
    const result = await hazards({ state: 'VIC', layer: 'heritage', field_map, coverage: 'none' }, rows);
    expect(result.rowsOf(hazardPieceRecord)).toHaveLength(2);
    expect(result.drops).toEqual({ not_gazetted: 3 });
  });

  it.each(['epa_sites', 'generic'])(
    'excludes contaminated sites that were removed: %s',
    async (field_map) => {
      const sites = ['Active', 'Removed', 'Historic', 'Under assessment', 'Revoked'].map((STATUS, i) => ({
        SITE_ID: i,
        STATUS,
      }));
      const result = await hazards({ state: 'SA', layer: 'environment', field_map, coverage: 'none' }, sites);
      expect(result.rowsOf(hazardPieceRecord)).toHaveLength(3);
      expect(result.drops).toEqual({ not_gazetted: 2 });
    },
  );
});

describe('records that must not be shown', () => {
  const RESTRICTED: readonly PublishedRow[] = [
    { NAME: 'Camp', LAY_CLASS: 'Aboriginal Object' },
    { NAME: 'Camp', DataRestrictions: 'Restricted' },
    { NAME: 'Camp', restricted: 'Yes', boundary_r: 'No' },
    { NAME: 'Camp', restricted: 'No', boundary_r: 'Yes' },
    { NAME: 'Hall', restricted: 'No', boundary_r: 'No', DataRestrictions: null, LAY_CLASS: 'Item - General' },
  ];

  it.each([
    ['NSW', 'nsw_heritage'],
    ['WA', 'wa_heritage'],
    ['ACT', 'act_heritage'],
    ['NT', 'generic'],
    ['QLD', { label: 'Place', name: 'NAME' }],
  ])('are dropped by every map: %s %s', async (state, field_map) => {
    for (const row of RESTRICTED) {
      const result = await hazards({ state, layer: 'heritage', field_map, coverage: 'none' }, [row]);
      const isOpen = row.NAME === 'Hall';
      expect([result.rowsOf(hazardPieceRecord).length, result.drops]).toEqual(
        isOpen ? [1, {}] : [0, { sensitive: 1 }],
      );
    }
  });

  it('are dropped as overlays too', async () => {
    const result = await readRows(folder, 'overlays', { state: 'ACT' }, RESTRICTED);
    expect(result.rowsOf(overlayPieceRecord).map(({ value }) => value)).toEqual(['Hall']);
    expect(result.drops).toEqual({ sensitive: 4 });
  });
});

it('uninformative names are replaced by a generic name', async () => {
  const rows = ['Hazard', 'HAZARDS', 'Yes', 'n/a', 'Steep land'].map((CLASS) => ({ CLASS }));
  expect(named(await hazards({ state: 'NT', layer: 'erosion' }, rows)).map(([name]) => name)).toEqual([
    ...Array(4).fill('Erosion prone area'),
    'Steep land',
  ]);
});

it('New South Wales: sites that need no regulation are dropped, however the Act is named', async () => {
  const rows = [
    'Regulation under the CLM Act not required',
    'Contamination formerly regulated',
    'Under assessment',
  ];
  const result = await hazards(
    { state: 'NSW', field_map: 'epa_sites' },
    rows.map((managementclass) => ({ contaminationactivitytype: 'Landfill', managementclass })),
  );
  expect([named(result).length, result.drops]).toEqual([1, { not_regulated: 2 }]);
});
