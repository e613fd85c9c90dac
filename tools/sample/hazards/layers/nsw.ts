import { SAMPLE_CRS } from '../../crs.ts';
import { type DbfField, type DbfValue, date, number, text } from '../../formats/dbf_writer.ts';
import type { FeatureFacts, SampleDataset, SampleLayer } from '../layer.ts';

/** Columns that every layer of the planning instruments has. */
const EPI: readonly DbfField[] = [
  text('EPI_NAME', 120),
  text('LGA_NAME', 60),
  date('PUBLISHED_'),
  date('COMMENCED_'),
  text('LAY_CLASS', 60),
  text('SYM_CODE', 10),
];
const epi = (layClass: string | null, code: string | null, ...more: DbfValue[]) => {
  return ({ lga }: FeatureFacts): DbfValue[] => [
    `${lga} Local Environmental Plan 2012`,
    lga.toUpperCase(),
    '20230426',
    '20230426',
    layClass,
    code,
    ...more,
  ];
};
const layer = (name: string, fields: readonly DbfField[], rows: SampleLayer['rows']): SampleLayer => ({
  state: 'NSW',
  path: `overlays/nsw/${name}.shp`,
  crs: SAMPLE_CRS.gda94,
  fields,
  rows,
});

const units = [number('MAX_B_H', 8, 2), text('UNITS', 10)];
const lots = [number('LOT_SIZE', 12, 2), text('UNITS', 10)];
const heritage = [text('H_ID', 10), text('H_NAME', 80), text('SIG', 20)];

export const NSW_LAYERS: readonly SampleLayer[] = [
  {
    state: 'NSW',
    path: 'hazards/nsw/BFPL_NSW.shp',
    crs: SAMPLE_CRS.gda94,
    fields: [number('Category', 4), text('d_Category', 30), text('d_guidelin', 20)],
    rows: {
      forest: () => [1, 'Vegetation Category 1', 'v5b'],
      // the text is not always there beside its number
      forest_edge: () => [0, null, 'v5b'],
      bush: () => [3, 'Vegetation Category 3', 'v5b'],
    },
  },
  layer('EPI_Flood', EPI, {
    creek: epi('Flood Planning Area', 'FPA'),
    // filed under the wrong layer
    shops: epi('Item - General', '<Null>'),
  }),
  layer('EPI_Acid_Sulfate_Soils', EPI, { shore: epi('Class 2', '2') }),
  layer('EPI_Landslide_Risk', EPI, { slip: epi('Landslide Risk Land', 'LR') }),
  layer('EPI_Height_of_Building', [...EPI, ...units], {
    dense: epi(null, 'T', 24, 'm'),
    shops: epi(null, 'S', 45.2, 'm (RL)'),
    industrial: epi(null, 'N', 13.5, 'm'),
  }),
  layer('EPI_Floor_Space_Ratio', [...EPI, number('FSR', 6, 2)], {
    dense: epi(null, 'V', 3),
    industrial: epi(null, 'D', 0.5),
  }),
  layer('EPI_Lot_Size', [...EPI, ...lots], {
    dense: epi(null, 'M', 600, 'm2'),
    bush: epi(null, 'AB', 40, 'ha'),
  }),
  layer('EPI_Heritage', [...EPI, ...heritage], {
    // an en dash, as the publisher mixes them
    shops: (facts) =>
      epi('Item – General', 'I', `I${facts.serial}`, `Shop row ${facts.serial}`, 'Local')(facts),
    // where an object is must not be shown
    bush: epi('Aboriginal Object', 'AO', 'A1', 'Scarred tree', 'State'),
  }),
  {
    state: 'NSW',
    path: 'hazards/nsw/Flood_Extent_2022.geojson',
    crs: SAMPLE_CRS.gda2020,
    fields: [text('SOURCE', 40)],
    rows: { old_flood: () => ['aerial survey'] },
  },
  {
    state: 'NSW',
    path: 'hazards/nsw/EPA_contaminated_sites.csv',
    crs: SAMPLE_CRS.gda94,
    fields: [
      number('objectid', 8),
      text('sitename', 60),
      text('contaminationactivitytype', 40),
      text('managementclass', 80),
    ],
    rows: {
      industrial: ({ serial, lga }) => [
        serial,
        `Works, ${lga}`,
        'Service Station',
        'Regulation under CLM Act not required ',
      ],
      dense: ({ serial, lga }) => [
        serial,
        `Former gasworks, ${lga}`,
        'Gasworks',
        'Contamination currently regulated under CLM Act ',
      ],
    },
  },
];

const dataset = (
  id: string,
  adapter: SampleDataset['adapter'],
  path: string,
  takes: SampleDataset['takes'],
  options: Readonly<Record<string, unknown>>,
  truth: SampleDataset['truth'] = {},
): SampleDataset => ({ id, adapter, path: [path], takes, options: { state: 'NSW', ...options }, truth });

export const NSW_DATASETS: readonly SampleDataset[] = [
  dataset('bushfire_nsw', 'hazards', 'hazards/nsw/BFPL_NSW.shp', ['forest', 'forest_edge', 'bush'], {
    layer: 'bushfire',
  }),
  // Few instruments map flood, so nothing is said of the rest of the state.
  dataset('flood_nsw', 'hazards', 'overlays/nsw/EPI_Flood.shp', ['creek'], {
    layer: 'flood',
    coverage: 'none',
  }),
  dataset('historical_flood_nsw', 'hazards', 'hazards/nsw/Flood_Extent_2022.geojson', ['old_flood'], {
    layer: 'historical_flood',
    event: { name: 'Flood of February 2022', date: '2022-02-28' },
    coverage: 'none',
  }),
  dataset('environment_nsw', 'hazards', 'overlays/nsw/EPI_Acid_Sulfate_Soils.shp', ['shore'], {
    layer: 'environment',
    coverage: 'state',
  }),
  {
    id: 'contaminated_sites_nsw',
    adapter: 'hazards',
    path: ['hazards/nsw/EPA_contaminated_sites.csv'],
    takes: ['dense'],
    options: { state: 'NSW', field_map: 'epa_sites', coverage: 'none' },
    crs: SAMPLE_CRS.gda94.id,
  },
  dataset('landslide_nsw', 'hazards', 'overlays/nsw/EPI_Landslide_Risk.shp', ['slip'], {
    layer: 'landslide',
    coverage: 'state',
  }),
  dataset(
    'heritage_nsw',
    'hazards',
    'overlays/nsw/EPI_Heritage.shp',
    ['shops'],
    { layer: 'heritage' },
    { shops: ({ serial }) => ['heritage', 'heritage', `Shop row ${serial}`] },
  ),
  dataset(
    'height_nsw',
    'overlays',
    'overlays/nsw/EPI_Height_of_Building.shp',
    ['dense', 'shops', 'industrial'],
    { field_map: 'nsw_height', coverage: 'state' },
    {
      shops: () => ['overlay', 'Height of Building', '45.2 m RL (elevation above datum)'],
      industrial: () => ['overlay', 'Height of Building', '13.5 m'],
      dense: () => ['overlay', 'Height of Building', '24 m'],
    },
  ),
  dataset(
    'fsr_nsw',
    'overlays',
    'overlays/nsw/EPI_Floor_Space_Ratio.shp',
    ['dense', 'industrial'],
    { field_map: 'nsw_fsr', coverage: 'none' },
    { industrial: () => ['overlay', 'Floor Space Ratio', '0.5:1'] },
  ),
  dataset('lot_size_nsw', 'overlays', 'overlays/nsw/EPI_Lot_Size.shp', ['dense', 'bush'], {
    field_map: 'nsw_lot_size',
    coverage: 'none',
  }),
  dataset(
    'heritage_overlay_nsw',
    'overlays',
    'overlays/nsw/EPI_Heritage.shp',
    ['shops'],
    { field_map: 'nsw_heritage', coverage: 'none' },
    {
      shops: ({ serial }) => ['overlay', 'Heritage', `Item – General: I${serial} Shop row ${serial}`],
    },
  ),
];
