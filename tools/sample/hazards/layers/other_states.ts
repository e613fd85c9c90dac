import { SAMPLE_CRS } from '../../crs.ts';
import type { DbfValue } from '../../formats/dbf_writer.ts';
import { date, number, text } from '../../formats/dbf_writer.ts';
import type { FeatureFacts, SampleDataset, SampleLayer } from '../layer.ts';

const qldFlood = 'hazards/qld/Flood_Awareness.geojson';
const qldOverlays = 'overlays/qld/City_Plan_Overlays.geojson';
const QLD: readonly SampleLayer[] = [
  {
    state: 'QLD',
    path: 'hazards/qld/Bushfire_Prone_Area.shp',
    crs: SAMPLE_CRS.gda94,
    fields: [text('CLASS', 60), text('LGA', 40)],
    rows: {
      forest: ({ lga }) => ['Very High Potential Bushfire Intensity', lga],
      forest_edge: ({ lga }) => ['Potential Impact Buffer', lga],
      bush: ({ lga }) => ['Medium Potential Bushfire Intensity', lga],
    },
  },
  {
    state: 'QLD',
    path: qldFlood,
    crs: SAMPLE_CRS.gda2020,
    fields: [text('FLOOD_RISK', 20)],
    rows: { creek: () => ['Medium'], floodway: () => ['High'] },
  },
  {
    state: 'QLD',
    path: 'hazards/qld/Heritage_Register.geojson',
    crs: SAMPLE_CRS.gda2020,
    fields: [text('placename', 60), number('place_id', 8), text('entrydate', 10), text('status', 40)],
    rows: {
      shops: ({ serial }) => [`Shop row ${serial}`, 600_000 + serial, '21/10/1992', 'State heritage place'],
      slip: ({ serial }) => [`Works ${serial}`, 600_000 + serial, '', 'Removed from the register'],
    },
  },
  {
    state: 'QLD',
    path: 'hazards/qld/Erosion_Prone_Area.shp',
    crs: SAMPLE_CRS.gda2020,
    fields: [text('CLASS', 30)],
    rows: { shore: () => ['Erosion prone area'] },
  },
  {
    state: 'QLD',
    path: qldOverlays,
    crs: SAMPLE_CRS.gda2020,
    fields: [text('CAT_DESC', 40), text('OVL2_CAT', 12), text('OVL2_DESC', 60)],
    rows: {
      shops: () => ['Heritage overlay', 'HER_LOC', 'Local heritage place'],
      dense: () => ['Building height overlay', 'HGT_3', '3 storeys'],
    },
  },
];

/** A row of the Code's overlays: `id` names the kind, the description is prose, and the value is mostly null. */
const sa =
  (id: string, name: string, value: string | null = null, end: string | null = null) =>
  (): DbfValue[] => [
    id,
    name,
    `The ${name} Overlay seeks to show what a description of an overlay looks like.`,
    value,
    '20210319',
    end,
    null,
  ];

const SA_OVERLAYS = 'overlays/sa/PDCodeOverlays.shp';
const SA: readonly SampleLayer[] = [
  {
    state: 'SA',
    path: SA_OVERLAYS,
    crs: SAMPLE_CRS.gda2020,
    fields: [
      text('id', 5),
      text('name', 60),
      text('descriptio', 250),
      text('value', 60),
      date('legalstart'),
      date('legalendda'),
      number('status', 4),
    ],
    rows: {
      forest: sa('O2409', 'Hazards (Bushfire – High Risk)'),
      // the title of the layer says General Risk, its rows General
      forest_edge: sa('O2408', 'Hazards (Bushfire - General)', 'General'),
      bush: sa('O2410', 'Hazards (Bushfire - Outback)', 'Outback'),
      creek: sa('O2416', 'Hazards (Flooding)'),
      old_flood: sa('O2417', 'Hazards (Flooding - Evidence Required)'),
      shore: sa('O2401', 'Hazards (Acid Sulfate Soils)'),
      shops: sa('O3606', 'Local Heritage Place'),
      dense: sa('O0601', 'Building Height', '3 levels'),
      // what is over, of a name that is still in use
      slip: sa('O2409', 'Hazards (Bushfire - High Risk)', null, '20230630'),
    },
  },
];

const WA: readonly SampleLayer[] = [
  {
    state: 'WA',
    path: 'hazards/wa/OBRM_026.shp',
    crs: SAMPLE_CRS.mga2020_50,
    fields: [text('type', 10), text('designatio', 40), text('lga', 40)],
    rows: {
      forest: ({ lga }) => ['BPA', 'Area 2', lga],
      bush: ({ lga }) => ['BPA', 'Area 1', lga],
      shore: ({ lga }) => ['EXCLUDED', null, lga],
    },
  },
  {
    state: 'WA',
    path: 'overlays/wa/RCODES_DPLH_070.shp',
    crs: SAMPLE_CRS.gda2020,
    fields: [text('rcode_no', 10), text('scheme_nam', 40)],
    rows: { dense: ({ lga }) => ['R80', lga], shops: ({ lga }) => ['R-AC3', lga] },
  },
  {
    state: 'WA',
    path: 'hazards/wa/DPLH_006_State_Register.shp',
    crs: SAMPLE_CRS.gda2020,
    fields: [
      number('objectid', 10),
      number('place_no', 8),
      text('place_name', 60),
      text('lga', 40),
      text('her_record', 40),
    ],
    rows: {
      shops: ({ serial, lga }) => [
        serial,
        800 + serial,
        `Bank of the West (fmr) ${serial}`,
        lga,
        'State Register Place',
      ],
    },
  },
  {
    state: 'WA',
    path: 'hazards/wa/DWER_Acid_Sulfate_Soil_Risk.shp',
    crs: SAMPLE_CRS.gda2020,
    fields: [text('risk_categ', 40), number('riskclass', 4)],
    rows: { shore: () => ['High to moderate risk', 1], creek: () => ['Moderate to low risk', 2] },
  },
  {
    state: 'WA',
    path: 'hazards/wa/DWER_Floodplain.shp',
    crs: SAMPLE_CRS.gda2020,
    fields: [text('ext_type', 20), text('status', 12), number('ufi', 10)],
    rows: {
      floodway: ({ serial }) => ['Floodway', 'Active', 900 + serial],
      creek: ({ serial }) => ['Flood Fringe', 'Active', 900 + serial],
      old_flood: ({ serial }) => ['Floodway', 'Superseded', 900 + serial],
    },
  },
];

const INVESTIGATION = 'Coastal erosion investigation area';
const tasRow =
  (code: string, name: string, category: string | null, abbreviation: string | null) =>
  ({ lga }: FeatureFacts): DbfValue[] => [lga, code, name, category, abbreviation];

const TAS_OVERLAYS = 'overlays/tas/TPS_CODE_OVERLAYS.shp';
const TAS: readonly SampleLayer[] = [
  {
    state: 'TAS',
    path: TAS_OVERLAYS,
    crs: SAMPLE_CRS.mga94_55,
    fields: [text('LPS', 40), text('CODE', 60), text('OV_NAME', 60), text('OV_CAT', 40), text('OV_ABB', 12)],
    rows: {
      forest: tasRow('Bushfire-prone Areas Code', 'Bushfire-prone area', null, '114.13.1'),
      bush: tasRow('Bushfire-prone Areas Code', 'Bushfire-prone area', null, '114.13.1'),
      creek: tasRow('Flood-prone Hazard Areas Code', 'Flood-prone hazard area', null, '114.12.1'),
      old_flood: tasRow(
        'Coastal Erosion Hazard Code',
        'Coastal erosion investigation area',
        INVESTIGATION,
        null,
      ),
      slip: tasRow('Landslip Hazard Code', 'Medium landslip hazard band', 'Medium', '114.15.2'),
      shore: tasRow('Coastal Erosion Hazard Code', 'High coastal erosion hazard band', 'High', '114.10.3'),
      // Historical, where the scheme says Historic; the category is blank, and the name alone tells a precinct from a place
      shops: tasRow('Local Historical Heritage Code', 'Local heritage precinct', ' ', '114.6.14'),
      industrial: tasRow('Potentially Contaminated Land Code', 'Potentially contaminated land', null, null),
    },
  },
];

const ACT: readonly SampleLayer[] = [
  {
    state: 'ACT',
    path: 'hazards/act/Bushfire_Prone_Area_Overview.shp',
    crs: SAMPLE_CRS.mga2020_55,
    fields: [number('OBJECTID', 10)],
    rows: { forest: ({ serial }) => [serial], forest_edge: ({ serial }) => [serial] },
  },
  {
    state: 'ACT',
    path: 'hazards/act/ACTGOV_FLOOD_EXTENT.geojson',
    crs: SAMPLE_CRS.gda2020,
    fields: [number('OBJECTID', 10)],
    rows: { creek: ({ serial }) => [serial] },
  },
  {
    state: 'ACT',
    path: 'overlays/act/ACTGOV_TP_OVERLAYS.shp',
    crs: SAMPLE_CRS.mga2020_55,
    fields: [text('OVERLAY', 40), text('DESCRIPTIO', 60)],
    rows: { shops: () => ['Heritage', 'Heritage precinct'], dense: () => ['Height', '6 storeys'] },
  },
];

/** The heritage register of the ACT: what is restricted, and what is only nominated, is not shown. */
const ACT_HERITAGE = 'hazards/act/ACT_Heritage_Register.geojson';
const ACT_REGISTER: readonly SampleLayer[] = [
  {
    state: 'ACT',
    path: ACT_HERITAGE,
    crs: SAMPLE_CRS.gda2020,
    fields: [
      text('NAME', 60),
      text('HeritageID', 12),
      text('HRcategory', 30),
      text('HRstatus', 30),
      text('DataRestrictions', 30),
    ],
    rows: {
      shops: ({ serial }) => [`Shops ${serial}`, `H${serial}`, 'Place', 'Registered', null],
      forest: ({ serial }) => [`Scarred trees ${serial}`, `H${serial}`, 'Object', 'Registered', 'Restricted'],
      dense: ({ serial }) => [`Flats ${serial}`, `H${serial}`, 'Place', 'Nominated', null],
    },
  },
];

const NT: readonly SampleLayer[] = [
  {
    state: 'NT',
    path: 'overlays/nt/NTPS_OVERLAYS.shp',
    crs: SAMPLE_CRS.gda94,
    fields: [text('OVERLAY', 40), text('DESCRIPTIO', 60)],
    rows: { shore: () => ['Coastal Reclamation', 'Land subject to storm surge'] },
  },
];

/** The other states; the Northern Territory publishes no hazards, and few of the others publish all layers. */
export const OTHER_LAYERS: readonly SampleLayer[] = [
  ...QLD,
  ...SA,
  ...WA,
  ...TAS,
  ...ACT,
  ...ACT_REGISTER,
  ...NT,
];

const of = (
  state: string,
  path: readonly string[],
  layer: string,
  takes: SampleDataset['takes'],
  options: Readonly<Record<string, unknown>> = {},
  truth: SampleDataset['truth'] = {},
): SampleDataset => {
  const adapter = layer === 'overlays' ? ('overlays' as const) : ('hazards' as const);
  const own = adapter === 'hazards' ? { state, layer } : { state };
  return {
    id: `${layer}_${state.toLowerCase()}`,
    adapter,
    path,
    takes,
    options: { ...own, ...options },
    truth,
  };
};

/** Outline of the councils of Tasmania that are in the scheme. */
export const TAS_OUTLINE = 'overlays/tas/TPS_councils.geojson';
const tas = (
  layer: string,
  takes: SampleDataset['takes'],
  truth: SampleDataset['truth'] = {},
): SampleDataset =>
  of(
    'TAS',
    [TAS_OVERLAYS, TAS_OUTLINE],
    layer,
    takes,
    { coverage: { file: 'TPS_councils.geojson' }, layers: 'TPS_CODE_OVERLAYS' },
    truth,
  );

export const OTHER_DATASETS: readonly SampleDataset[] = [
  of('QLD', ['hazards/qld/Bushfire_Prone_Area.shp'], 'bushfire', ['forest', 'forest_edge', 'bush']),
  // One council, by a box around it.
  of('QLD', [qldFlood], 'flood', ['creek', 'floodway'], {
    field_map: 'qld_flood_brisbane',
    coverage: { bbox: [152.7, -27.8, 153.3, -27.2] },
  }),
  of('QLD', ['hazards/qld/Erosion_Prone_Area.shp'], 'erosion', ['shore'], { coverage: 'state' }),
  of(
    'QLD',
    [qldOverlays],
    'overlays',
    ['shops', 'dense'],
    { coverage: 'state' },
    {
      shops: () => ['overlay', 'Heritage overlay', 'Local heritage place'],
      dense: () => ['overlay', 'Building height overlay', '3 storeys'],
    },
  ),
  of(
    'QLD',
    ['hazards/qld/Heritage_Register.geojson'],
    'heritage',
    ['shops'],
    {},
    { shops: ({ serial }) => ['heritage', 'heritage', `Shop row ${serial}`] },
  ),
  of('SA', [SA_OVERLAYS], 'bushfire', ['forest', 'forest_edge', 'bush']),
  of('SA', [SA_OVERLAYS], 'flood', ['creek', 'old_flood']),
  of('SA', [SA_OVERLAYS], 'environment', ['shore'], { coverage: 'state' }),
  of(
    'SA',
    [SA_OVERLAYS],
    'heritage',
    ['shops'],
    {},
    {
      shops: () => ['heritage', 'heritage', 'Local Heritage Place'],
    },
  ),
  of(
    'SA',
    [SA_OVERLAYS],
    'overlays',
    ['forest', 'forest_edge', 'bush', 'creek', 'old_flood', 'shore', 'shops', 'dense'],
    {},
    {
      shops: () => ['overlay', 'Local Heritage Place', 'Local Heritage Place'],
      dense: () => ['overlay', 'Building Height', '3 levels'],
    },
  ),
  of('WA', ['hazards/wa/OBRM_026.shp'], 'bushfire', ['forest', 'bush']),
  of(
    'WA',
    ['hazards/wa/DPLH_006_State_Register.shp'],
    'heritage',
    ['shops'],
    {},
    { shops: ({ serial }) => ['heritage', 'heritage', `Bank of the West (fmr) ${serial}`] },
  ),
  of('WA', ['hazards/wa/DWER_Acid_Sulfate_Soil_Risk.shp'], 'environment', ['shore', 'creek']),
  of('WA', ['hazards/wa/DWER_Floodplain.shp'], 'flood', ['floodway', 'creek']),
  of(
    'WA',
    ['overlays/wa/RCODES_DPLH_070.shp'],
    'overlays',
    ['dense', 'shops'],
    { field_map: 'wa_rcodes' },
    {
      shops: () => ['overlay', 'Residential Design Codes', 'R-AC3'],
    },
  ),
  tas('bushfire', ['forest', 'bush']),
  tas('flood', ['creek']),
  tas('landslide', ['slip']),
  tas('erosion', ['shore', 'old_flood']),
  tas('heritage', ['shops'], { shops: () => ['heritage', 'heritage', 'Local heritage precinct'] }),
  tas('environment', ['industrial'], {
    industrial: () => ['environment', 'environment', 'Potentially contaminated land'],
  }),
  tas('overlays', ['forest', 'bush', 'creek', 'old_flood', 'slip', 'shore', 'shops', 'industrial'], {
    shops: () => ['overlay', 'Local Historical Heritage Code', 'Local heritage precinct'],
  }),
  of('ACT', ['hazards/act/Bushfire_Prone_Area_Overview.shp'], 'bushfire', ['forest', 'forest_edge']),
  of('ACT', ['hazards/act/ACTGOV_FLOOD_EXTENT.geojson'], 'flood', ['creek'], { coverage: 'state' }),
  of(
    'ACT',
    ['overlays/act/ACTGOV_TP_OVERLAYS.shp'],
    'overlays',
    ['shops', 'dense'],
    { coverage: 'state' },
    {
      shops: () => ['overlay', 'Heritage', 'Heritage precinct'],
    },
  ),
  of(
    'ACT',
    [ACT_HERITAGE],
    'heritage',
    ['shops'],
    {},
    { shops: ({ serial }) => ['heritage', 'heritage', `Shops ${serial}`] },
  ),
  of('NT', ['overlays/nt/NTPS_OVERLAYS.shp'], 'overlays', ['shore'], { coverage: { lga: ['71000'] } }),
];
