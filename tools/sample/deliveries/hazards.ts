import { SAMPLE_CRS } from '../crs.ts';
import { number, text } from '../formats/dbf_writer.ts';
import { type DeliveredRow, type Delivery, dropped, record } from './delivery.ts';

/** What a hazard is loaded as: its name, its rank and whether somebody looked; `-` for none. */
const hazard = (name: string, severity: number | null = null, isAssessed = true): string =>
  `${name}|${severity ?? '-'}|${isAssessed ? 'assessed' : 'not assessed'}`;

const floodplain: Delivery = {
  id: 'qld_floodplain_overlay',
  state: 'QLD',
  adapter: 'hazards',
  map: 'qld_flood',
  options: { state: 'QLD', layer: 'flood' },
  datum: null,
  files: [
    {
      path: 'Floodplain_Assessment_Overlay.shp',
      crs: SAMPLE_CRS.gda2020,
      fields: [number('objectid', 8), text('sub_name', 40), number('sub_number', 6), text('version', 8)],
      rows: [
        record(hazard('Floodplain: Lake Creek'), 1, 'Lake Creek', 12, '1.0'),
        record(hazard('Floodplain: Upper Lake River'), 2, 'Upper Lake River', 13, '1.0'),
        record(hazard('Flood awareness area'), 3, null, 14, '1.0'),
      ],
    },
  ],
};

/** A council's study, whose classes are in a column of its own. */
const council: Delivery = {
  id: 'qld_council_flood_study',
  state: 'QLD',
  adapter: 'hazards',
  map: 'qld_flood',
  options: { state: 'QLD', layer: 'flood' },
  datum: 'EPSG:7844',
  files: [
    {
      path: 'Flood_Hazard.geojson',
      crs: SAMPLE_CRS.gda2020,
      fields: [number('OBJECTID', 8), text('Flood_Study', 40), text('Classification', 60)],
      rows: [
        record(hazard('High likelihood of flooding', 4), 1, 'Lake River 2021', 'High'),
        record(hazard('Low likelihood of flooding', 2), 2, 'Lake River 2021', 'Low'),
        record(
          hazard('Floodplain: Medium hazard - further investigation area', null, false),
          3,
          'Lake River 2021',
          'Medium hazard - further investigation area',
        ),
        dropped('other_class', 4, 'Lake River 2021', 'None'),
      ],
    },
  ],
};

const historical: Delivery = {
  id: 'wa_historical_floodplain',
  state: 'WA',
  adapter: 'hazards',
  map: 'wa_historical_flood',
  options: { state: 'WA', layer: 'historical_flood' },
  datum: null,
  files: [
    {
      path: 'Historical_Floodplain_DWER_124.shp',
      crs: SAMPLE_CRS.gda2020,
      fields: [number('OBJECTID', 8), number('UFI', 8), text('EVENT', 40), text('EST_ARI', 12)],
      rows: [
        record(hazard('June 1964'), 1, 501, 'June 1964', '100'),
        // a year alone
        record(hazard('Recorded flood extent 1926'), 2, 502, '1926', null),
      ],
    },
  ],
};

const contaminated: Delivery = {
  id: 'wa_contaminated_sites',
  state: 'WA',
  adapter: 'hazards',
  map: 'wa_contaminated_sites',
  options: { state: 'WA', field_map: 'wa_contaminated_sites' },
  datum: null,
  files: [
    {
      path: 'Contaminated_Sites_DWER_059.shp',
      crs: SAMPLE_CRS.gda2020,
      fields: [number('objectid', 8), text('classification', 60)],
      rows: [
        ...['Contaminated - remediation required', 'Remediated for restricted use'].map((name, i) =>
          record(hazard(`Contaminated site: ${name}`), i + 1, name),
        ),
        dropped('not_regulated', 3, 'Decontaminated'),
        dropped('not_regulated', 4, 'Not contaminated - unrestricted use'),
      ],
    },
  ],
};

const HERITAGE_FIELDS = [
  text('id', 8),
  text('ach_identifier', 12),
  text('name', 60),
  text('place_status', 20),
  text('restricted', 4),
  text('boundary_restricted', 4),
];
const place = (i: number, name: string, restricted: string, boundary: string): (string | number)[] => [
  `${i}`,
  `ACH-${i}`,
  name,
  'Register',
  restricted,
  boundary,
];
/** Places of which some must not be shown. */
const restricted: Delivery = {
  id: 'wa_restricted_places',
  state: 'WA',
  adapter: 'hazards',
  map: 'wa_heritage',
  options: { state: 'WA', layer: 'heritage' },
  datum: null,
  files: [
    {
      path: 'Aboriginal_Cultural_Heritage_Register_DPLH_099.shp',
      crs: SAMPLE_CRS.gda2020,
      fields: HERITAGE_FIELDS,
      rows: [
        record(hazard('Lake Camp'), ...place(1, 'Lake Camp', 'No', 'No')),
        dropped('sensitive', ...place(2, 'Place A', 'Yes', 'No')),
        dropped('sensitive', ...place(3, 'Place B', 'No', 'Yes')),
      ] satisfies DeliveredRow[],
    },
  ],
};

export const HAZARD_DELIVERIES: readonly Delivery[] = [
  floodplain,
  council,
  historical,
  contaminated,
  restricted,
];
