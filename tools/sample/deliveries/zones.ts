import { SAMPLE_CRS } from '../crs.ts';
import { number, text } from '../formats/dbf_writer.ts';
import { type DeliveredRow, type Delivery, dropped, record } from './delivery.ts';

/** What a zone is loaded as: code, name and category; `-` for none. */
const zone = (code: string | null, name: string, category: string): string =>
  `${code ?? '-'}|${name}|${category}`;

/** A council of Queensland with a name and no code, one polygon a lot, as GeoJSON. */
const qldNames = [
  ['Low-medium density residential', 'residential_medium_high'],
  ['Low density residential', 'residential_low'],
  ['Centre', 'centre_mixed'],
  ['Specialised centre', 'centre_mixed'],
  ['Low impact industry', 'industrial'],
  ['Community facilities', 'infrastructure'],
  ['Recreation and open space', 'open_space'],
  ['Priority development area', 'other'],
] as const;

const qldCouncil: Delivery = {
  id: 'qld_council_zones',
  state: 'QLD',
  adapter: 'zoning',
  map: 'qld',
  options: { state: 'QLD' },
  datum: 'EPSG:7844',
  files: [
    {
      path: 'Zones.geojson',
      crs: SAMPLE_CRS.gda2020,
      fields: [number('fid', 8), number('OBJECTID', 8), text('Zone', 60), number('Shape_Area', 12, 3)],
      rows: qldNames.map(([name, category], i) =>
        record(zone(null, name, category), i + 1, 100 + i, name, 1200.5),
      ),
    },
  ],
};

/** A council with a code and two levels, of which the second says more where it is filled. */
const qldLevels: Delivery = {
  id: 'qld_council_levels',
  state: 'QLD',
  adapter: 'zoning',
  map: 'qld',
  options: { state: 'QLD' },
  datum: null,
  files: [
    {
      path: 'City_Plan_Zoning.shp',
      crs: SAMPLE_CRS.gda2020,
      fields: [
        number('OBJECTID', 8),
        text('TCC_CODE', 8),
        text('LVL1_ZONE', 60),
        text('LVL2_ZONE', 60),
        text('ZONE_PREFI', 4),
      ],
      rows: (
        [
          ['HDR', 'General residential', 'High density residential', 'residential_medium_high'],
          ['CR', 'General residential', 'Character residential (Infill housing)', 'residential_low'],
          ['GR', 'General residential', null, 'residential_low'],
          ['SPL', 'Strategic port land', null, 'infrastructure'],
          ['MU', 'Mixed use', null, 'centre_mixed'],
          ['EM', 'Environmental management and conservation', null, 'conservation'],
        ] as const
      ).map(([code, first, second, category], i) =>
        record(zone(code, second ?? first, category), i + 1, code, first, second, 'L2'),
      ),
    },
  ],
};

const saFields = [
  number('fid', 8),
  number('objectid', 8),
  text('id', 8),
  text('name', 60),
  text('value', 12),
  text('status', 12),
];
/** South Australian Planning and Design Code: `id` is that of the kind of zone, so it repeats. */
const sa: Delivery = {
  id: 'sa_code_zones',
  state: 'SA',
  adapter: 'zoning',
  map: 'sa',
  options: { state: 'SA' },
  datum: 'EPSG:7844',
  files: [
    {
      path: 'NeighbourhoodZones.geojson',
      crs: SAMPLE_CRS.gda2020,
      fields: saFields,
      rows: (
        [
          ['Z2102', 'General Neighbourhood', 'GN', 'residential_medium_high'],
          ['Z2102', 'General Neighbourhood', 'GN', 'residential_medium_high'],
          ['Z0905', 'Caravan and Tourist Park', 'CTP', 'centre_mixed'],
          ['Z5404', 'Rural Settlement', 'RuSe', 'residential_low'],
          ['Z1502', 'Employment (Bulk Handling)', 'EBH', 'industrial'],
          ['Z6306', 'Suburban Business', 'SB', 'centre_mixed'],
          ['Z6905', 'Urban Corridor (Main Street)', 'UC(MS)', 'centre_mixed'],
        ] as const
      ).map(([id, name, value, category], i) =>
        record(zone(value, name, category), i + 1, 500 + i, id, name, value, null),
      ),
    },
  ],
};

const WA_FIELDS = [
  number('objectid', 8),
  text('zone_numbe', 6),
  text('zone', 60),
  text('add_label', 20),
  text('special_la', 20),
  text('label', 12),
  text('label_desc', 60),
  text('scheme_nam', 40),
  text('lga', 40),
  text('scheme_no', 6),
];
/** Zones of a local planning scheme of Western Australia: blank text is one space, names of before the model scheme, a triangle without area. */
const waRow = (i: number, name: string, label: string, detail: string): (string | number)[] => [
  i,
  `${i % 5}`,
  name,
  ' ',
  ' ',
  label,
  detail,
  'LAKEVIEW LPS 4',
  'LAKEVIEW, SHIRE OF',
  '4',
];
const wa: Delivery = {
  id: 'wa_local_schemes',
  state: 'WA',
  adapter: 'zoning',
  map: 'wa',
  options: { state: 'WA' },
  datum: null,
  files: [
    {
      path: 'LPS_Zones_and_Reserves_DPLH_071.shp',
      crs: SAMPLE_CRS.gda2020,
      fields: WA_FIELDS,
      rows: [
        ...(
          [
            ['Special rural', ' ', ' ', null, 'Special rural', 'residential_low'],
            ['Residential development', ' ', ' ', null, 'Residential development', 'residential_low'],
            [
              'Public recreation / conservation',
              ' ',
              ' ',
              null,
              'Public recreation / conservation',
              'open_space',
            ],
            [
              'Public purposes',
              'PS',
              'Primary school',
              'PS',
              'Public purposes: Primary school',
              'infrastructure',
            ],
            ['Major highway', ' ', ' ', null, 'Major highway', 'infrastructure'],
            [
              'Private clubs and institutions',
              ' ',
              ' ',
              null,
              'Private clubs and institutions',
              'centre_mixed',
            ],
            ['Rural 1 - general farming', 'R1', ' ', 'R1', 'Rural 1 - general farming', 'rural'],
            ['Hills landscape protection', ' ', ' ', null, 'Hills landscape protection', 'conservation'],
            ['Caravan / chalet park', 'CCP', ' ', 'CCP', 'Caravan / chalet park', 'centre_mixed'],
            ['Canal development', ' ', ' ', null, 'Canal development', 'other'],
          ] as const
        ).map(([name, label, detail, code, called, category], i) =>
          record(zone(code, called, category), ...waRow(i + 1, name, label, detail)),
        ),
        dropped('no_zone', ...waRow(11, 'No zone', ' ', ' ')),
        {
          values: waRow(12, 'Residential', ' ', ' '),
          fate: { reject: 'zero_area' },
          wide: 0,
        },
      ],
    },
  ],
};

/** A region scheme of Western Australia, which lies over the local ones. */
const waRegion: Delivery = {
  id: 'wa_region_schemes',
  state: 'WA',
  adapter: 'zoning',
  map: 'wa_region',
  options: { state: 'WA', field_map: 'wa_region' },
  datum: null,
  files: [
    {
      path: 'Region_Scheme_DPLH_023.shp',
      crs: SAMPLE_CRS.gda2020,
      fields: [
        number('objectid', 8),
        text('rs_code', 8),
        text('descriptio', 60),
        text('rs_class', 12),
        text('reg_scheme', 12),
      ],
      rows: (
        [
          ['URB', 'Urban', 'Zone', 'residential_low'],
          ['UDF', 'Urban deferred', 'Zone', 'other'],
          ['PR', 'Parks and recreation', 'Reserve', 'open_space'],
          ['PRR', 'Primary regional roads', 'Reserve', 'infrastructure'],
          ['RUR', 'Rural', 'Zone', 'rural'],
        ] as const
      ).map(
        ([code, name, kind, category], i): DeliveredRow =>
          record(zone(code, name, category), i + 1, code, name, kind, 'LAKE'),
      ),
    },
  ],
};

/** Tasmanian Planning Scheme: ZONE_ABB has the council's number before that of the zone. */
const tas: Delivery = {
  id: 'tas_scheme_zones',
  state: 'TAS',
  adapter: 'zoning',
  map: 'tas',
  options: { state: 'TAS' },
  datum: null,
  files: [
    {
      path: 'TPS_ZONES.shp',
      crs: SAMPLE_CRS.mga94_55,
      fields: [
        text('LPS', 40),
        text('ZONE', 40),
        text('ZONE_ABB', 8),
        text('ZONE_NO', 4),
        text('UPDATED', 10),
      ],
      rows: (
        [
          ['8', 'General Residential', 'residential_low'],
          ['9', 'Inner Residential', 'residential_medium_high'],
          ['16', 'Central Business', 'centre_mixed'],
          ['18', 'Light Industrial', 'industrial'],
          ['20', 'Rural', 'rural'],
          ['22', 'Landscape Conservation', 'conservation'],
          ['26', 'Utilities', 'infrastructure'],
          ['32', 'Particular Purpose', 'other'],
        ] as const
      ).map(([no, name, category]) =>
        record(
          zone(no, name, category),
          'Lakeview Local Provisions Schedule',
          name,
          `114.${no}`,
          no,
          '2026-05-01',
        ),
      ),
    },
  ],
};

export const ZONE_DELIVERIES: readonly Delivery[] = [qldCouncil, qldLevels, sa, wa, waRegion, tas];
