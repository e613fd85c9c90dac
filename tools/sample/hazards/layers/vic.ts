import { SAMPLE_CRS } from '../../crs.ts';
import { type DbfField, type DbfValue, date, number, text } from '../../formats/dbf_writer.ts';
import type { FeatureFacts, SampleDataset, SampleLayer } from '../layer.ts';
import { PATTERNS } from '../patterns.ts';

const FIELDS: readonly DbfField[] = [
  number('PFI', 12),
  text('SCHEMECODE', 8),
  text('LGA_CODE', 3),
  text('LGA', 45),
  number('ZONE_NUM', 7),
  text('ZONESTATUS', 1),
  text('ZONE_CODE', 12),
  text('ZONE_DESC', 100),
  date('GAZ_B_DATE'),
  date('PFI_CR'),
  number('UFI', 12),
  date('UFI_CR'),
];

const overlay = (codeOf: (serial: number) => string, name: string) => {
  return ({ serial, lga }: FeatureFacts): DbfValue[] => {
    const code = codeOf(serial);
    const description = name.replace('*', code);
    const scheme = code.replace(/\d.*/, '');
    const dates = ['20180621', 15_000_000 + serial, '20181120'];
    return [
      4_000_000 + serial,
      scheme,
      '343',
      lga.toUpperCase(),
      serial % 1000,
      'g',
      code,
      description,
      '20141127',
      ...dates,
    ];
  };
};
const heritageCode = (serial: number): string => `HO${1 + (serial % 900)}`;

export const VIC_LAYERS: readonly SampleLayer[] = [
  {
    state: 'VIC',
    path: 'overlays/vic/PLAN_OVERLAY.shp',
    crs: SAMPLE_CRS.gda94,
    fields: FIELDS,
    rows: {
      creek: overlay(() => 'LSIO1', 'LAND SUBJECT TO INUNDATION OVERLAY - SCHEDULE 1'),
      floodway: overlay(() => 'FO', 'FLOODWAY OVERLAY'),
      slip: overlay(() => 'EMO', 'EROSION MANAGEMENT OVERLAY'),
      shops: overlay(heritageCode, 'HERITAGE OVERLAY (*)'),
      dense: overlay(() => 'DDO5', 'DESIGN AND DEVELOPMENT OVERLAY - SCHEDULE 5'),
      industrial: overlay(() => 'EAO', 'ENVIRONMENTAL AUDIT OVERLAY'),
    },
  },
  {
    state: 'VIC',
    path: 'hazards/vic/BUSHFIRE_PRONE_AREA.shp',
    crs: SAMPLE_CRS.mga2020_55,
    fields: [number('BPA_ID', 8), text('LGA', 45)],
    rows: {
      forest: ({ serial, lga }) => [serial, lga.toUpperCase()],
      forest_edge: ({ serial, lga }) => [serial, lga.toUpperCase()],
      bush: ({ serial, lga }) => [serial, lga.toUpperCase()],
    },
  },
  {
    state: 'VIC',
    path: 'hazards/vic/FLOOD_HISTORIC_EXTENT.shp',
    crs: SAMPLE_CRS.gda94,
    fields: [number('PFI', 12), text('EVENT_NAME', 40), date('EVENT_DATE')],
    // every third event has no date
    rows: {
      old_flood: ({ serial }) => [700 + serial, 'Flood of the creek', serial % 3 === 0 ? null : '19741018'],
    },
  },
];

const PLAN_OVERLAY = ['overlays/vic/PLAN_OVERLAY.shp'];
const hazard = (
  layer: string,
  takes: SampleDataset['takes'],
  more: Partial<SampleDataset> = {},
): SampleDataset => ({
  id: `${layer}_vic`,
  adapter: 'hazards',
  path: PLAN_OVERLAY,
  options: { state: 'VIC', layer },
  takes,
  ...more,
});

export const VIC_DATASETS: readonly SampleDataset[] = [
  {
    id: 'overlays_vic',
    adapter: 'overlays',
    path: PLAN_OVERLAY,
    options: { state: 'VIC' },
    takes: PATTERNS,
    truth: {
      shops: ({ serial }) => ['overlay', 'Heritage Overlay', `${heritageCode(serial)} Heritage Overlay`],
      dense: () => [
        'overlay',
        'Design and Development Overlay',
        'DDO5 Design and Development Overlay - Schedule 5',
      ],
      industrial: () => ['overlay', 'Environmental Audit Overlay', 'EAO Environmental Audit Overlay'],
    },
  },
  hazard('flood', ['creek', 'floodway']),
  hazard('heritage', ['shops'], {
    truth: { shops: ({ serial }) => ['heritage', 'heritage', `Heritage Overlay (${heritageCode(serial)})`] },
  }),
  hazard('landslide', ['slip'], { options: { state: 'VIC', layer: 'landslide', coverage: 'state' } }),
  hazard('environment', ['industrial'], {
    options: { state: 'VIC', layer: 'environment', coverage: 'state' },
    truth: { industrial: () => ['environment', 'environment', 'Environmental Audit Overlay'] },
  }),
  hazard('bushfire', ['forest', 'forest_edge', 'bush'], { path: ['hazards/vic/BUSHFIRE_PRONE_AREA.shp'] }),
  hazard('historical_flood', ['old_flood'], {
    path: ['hazards/vic/FLOOD_HISTORIC_EXTENT.shp'],
    options: { state: 'VIC', layer: 'historical_flood', coverage: 'state' },
  }),
];
