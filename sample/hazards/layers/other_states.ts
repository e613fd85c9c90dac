import { SAMPLE_CRS } from '../../crs.ts';
import { number, text } from '../../formats/dbf_writer.ts';
import type { SampleDataset, SampleLayer } from '../layer.ts';

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

const SA_OVERLAYS = 'overlays/sa/PDCodeOverlays.shp';
const SA: readonly SampleLayer[] = [
  {
    state: 'SA',
    path: SA_OVERLAYS,
    crs: SAMPLE_CRS.gda2020,
    fields: [text('name', 60), text('value', 60)],
    rows: {
      forest: () => ['Hazards (Bushfire – High Risk)', null],
      forest_edge: () => ['Hazards (Bushfire - General Risk)', null],
      bush: () => ['Hazards (Bushfire - Outback)', null],
      creek: () => ['Hazards (Flooding)', null],
      old_flood: () => ['Hazards (Flooding - Evidence Required)', null],
      shore: () => ['Hazards (Acid Sulfate Soils)', null],
      shops: () => ['Local Heritage Place', null],
      dense: () => ['Building Height', '3 levels'],
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
];

const TAS_OVERLAYS = 'overlays/tas/TPS_CODE_OVERLAYS.shp';
const TAS: readonly SampleLayer[] = [
  {
    state: 'TAS',
    path: TAS_OVERLAYS,
    crs: SAMPLE_CRS.mga94_55,
    fields: [text('CODE', 60), text('OV_CAT', 60), text('LPS', 40)],
    rows: {
      forest: ({ lga }) => ['Bushfire-prone Areas Code', 'Bushfire-prone area', lga],
      bush: ({ lga }) => ['Bushfire-prone Areas Code', 'Bushfire-prone area', lga],
      creek: ({ lga }) => ['Flood-prone Hazard Areas Code', 'Flood-prone hazard area', lga],
      slip: ({ lga }) => ['Landslip Hazard Code', 'Medium', lga],
      shore: ({ lga }) => ['Coastal Erosion Hazard Code', 'High', lga],
      shops: ({ lga }) => ['Local Historic Heritage Code', 'Local heritage precinct', lga],
      industrial: ({ lga }) => ['Potentially Contaminated Land Code', 'Potentially contaminated land', lga],
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
export const OTHER_LAYERS: readonly SampleLayer[] = [...QLD, ...SA, ...WA, ...TAS, ...ACT, ...NT];

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
  tas('erosion', ['shore']),
  tas('heritage', ['shops'], { shops: () => ['heritage', 'heritage', 'Local heritage precinct'] }),
  tas('environment', ['industrial'], {
    industrial: () => ['environment', 'environment', 'Potentially contaminated land'],
  }),
  tas('overlays', ['forest', 'bush', 'creek', 'slip', 'shore', 'shops', 'industrial'], {
    shops: () => ['overlay', 'Local Historic Heritage Code', 'Local heritage precinct'],
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
  of('NT', ['overlays/nt/NTPS_OVERLAYS.shp'], 'overlays', ['shore'], { coverage: { lga: ['71000'] } }),
];
