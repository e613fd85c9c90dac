import { butNot, NOT_LISTED, present } from '../../fields/column_filter.ts';
import { type HazardFieldMap, hazardMap } from '../field_map.ts';
import { saOverlay } from './sa_overlays.ts';
import { EPI_CLASS, EPI_CODE, EPI_HERITAGE, vicmapOverlay, vicmapZone } from './shared_columns.ts';
import { tasBands, tasCodeOverlay } from './tas_code_overlays.ts';

const layer = 'flood';

/** NSW planning instruments. Few still map flood (councils have kept it since 2021), so absence means nothing. */
const nsw_flood = hazardMap({
  layer,
  name: EPI_CLASS,
  code: EPI_CODE,
  label: 'Flood planning area',
  filters: [butNot(EPI_CLASS, EPI_HERITAGE, 'other_class')],
  // The probable maximum flood is far rarer than the 1 % flood that plans use.
  severity: {
    'Flood Planning Area': 2,
    'Flood Prone and Major Creeks Land': 2,
    '1 in 100 AEP Flood Extent': 2,
    'Probable Maximum Flood Line': 1,
  },
});

/** Vicmap Planning: inundation and special building overlays, and the floodways; vic_flood_zone has the floodway that is also a zone. */
const vic_flood = vicmapOverlay(['LSIO', 'SBO', 'FO', 'RFO'], {
  layer,
  label: 'Flood overlay',
  severity: { FO: 3, RFO: 3, LSIO: 2, SBO: 2 },
  statewide: true,
});

/**
 * Vicmap Planning, Urban Floodway Zone of PLAN_ZONE: a zone and a floodway in one. It is a separate dataset from the overlays, which state
 * the coverage.
 */
const vic_flood_zone = vicmapZone(['UFZ'], {
  layer,
  label: 'Urban Floodway Zone',
  severity: { UFZ: 3 },
});

/** Likelihoods in the spelling of Queensland councils, and in readable words. Combined means overland flow. */
const QLD_RISKS = Object.fromEntries(
  ['High', 'Medium', 'Low', 'Very low'].flatMap((risk) => [
    [risk, `${risk} likelihood of flooding`],
    [`${risk} likelihood`, `${risk} likelihood of flooding`],
  ]),
);

/** Columns in which councils state the likelihood or the class of a flood. */
const QLD_CLASSES = [
  'FLOOD_RISK',
  'LIKELIHOOD',
  'RISK',
  'CLASS',
  'CLASSIFICATION',
  'CATEGORY',
  'OVL2_DESC',
  'SUB_TYPE',
];

/**
 * Queensland: flood layers of councils by likelihood or class, and the state's floodplain assessment overlay by sub-basin, which is an
 * interim overlay and not an extent. Land that a council calls free of floods is not a flood.
 */
const qld_flood = hazardMap({
  layer,
  name: [...QLD_CLASSES, 'SUB_NAME'],
  words: { ...QLD_RISKS, Combined: 'Overland flow' },
  phrase: 'Floodplain: {}',
  label: 'Flood awareness area',
  filters: [butNot(QLD_CLASSES, ['None', 'Nil', 'No *', 'Not flood*'], 'other_class')],
  severity: {
    High: 4,
    'High likelihood': 4,
    Medium: 3,
    'Medium likelihood': 3,
    Low: 2,
    'Low likelihood': 2,
    'Very low': 1,
    'Very low likelihood': 1,
  },
});

const qld_flood_brisbane = qld_flood;

const SA_UNKNOWN = ['Hazards (Flooding - Evidence Required)', 'Hazards (Flooding Evidence Required)'];
/** South Australian Planning and Design Code. Evidence Required means not assessed. */
const sa_flood = saOverlay(
  [
    'Hazards (Flooding)',
    'Hazards (Flooding High)',
    'Hazards (Flooding - General)',
    'Hazards (Flooding General)',
    'Coastal Flooding',
    ...SA_UNKNOWN,
  ],
  {
    layer,
    label: 'Hazards (Flooding)',
    severity: {
      'Hazards (Flooding)': 3,
      'Hazards (Flooding High)': 3,
      'Hazards (Flooding - General)': 2,
      'Hazards (Flooding General)': 2,
      'Coastal Flooding': 2,
    },
    unassessed: SA_UNKNOWN,
    statewide: true,
  },
);

/**
 * Western Australia, floodway and flood fringe of the floodplain mapping; its licence must be accepted by name. Events (DWER-124) use
 * wa_historical_flood.
 */
const wa_flood = hazardMap({
  layer,
  feature_id: ['UFI'],
  name: ['EXT_TYPE'],
  label: 'Floodplain',
  filters: [present(['EXT_TYPE']), butNot(['STATUS'], NOT_LISTED, 'not_gazetted')],
  severity: { Floodway: 3, 'Flood fringe': 2, 'Flood Fringe Area': 2, Fringe: 2 },
});

/** Tasmanian Planning Scheme code overlay. It lacks some councils, so its coverage is a list of councils. */
const tas_flood = tasCodeOverlay(
  layer,
  ['Flood-prone Hazard Areas', 'Flood-prone Areas Hazard', 'Coastal Inundation Hazard'],
  'Flood-prone area',
  tasBands('coastal inundation', 'flood'),
);

/** ACT: one dissolved extent of the 1 % flood, urban areas only. */
const act_flood = hazardMap({
  layer,
  name: ['DESCRIPTION', 'EVENT'],
  label: '1% AEP flood extent',
  severity: { '1% AEP flood extent': 2 },
});

/** Names and dates of recorded events; extents of modelled floods are other layers and must not be configured here. */
const recorded = (ownFields: Partial<HazardFieldMap> = {}): HazardFieldMap =>
  hazardMap({
    layer: 'historical_flood',
    name: ['EVENT_NAME', 'EVENT', 'FLOOD_NAME', 'NAME', 'TITLE'],
    label: 'Recorded flood extent',
    event_date: {
      fields: ['EVENT_DATE', 'FLOOD_DATE', 'DATE_', 'DATE', 'START_DATE', 'EVENT_DT'],
      format: 'iso',
    },
    ...ownFields,
  });

/** Victoria, historic extents since 1870; some events have no date. The EXTENT_nY_ARI layers in the same release are modelled. */
const vic_historical_flood = recorded({ feature_id: ['PFI'] });
/** Brisbane and other publishers of one file per event: the option event states its name and date. */
const qld_historical_flood = recorded();
const nsw_historical_flood = recorded();
const tas_historical_flood = recorded();
/** Western Australia, historical floodplain: the recurrence of an event is an estimate. */
const wa_historical_flood = recorded({ feature_id: ['UFI'], code: ['EST_ARI'] });

export const FLOOD_MAPS: Readonly<Record<string, HazardFieldMap>> = {
  nsw_flood,
  vic_flood,
  vic_flood_zone,
  qld_flood,
  qld_flood_brisbane,
  sa_flood,
  wa_flood,
  tas_flood,
  act_flood,
  vic_historical_flood,
  qld_historical_flood,
  nsw_historical_flood,
  tas_historical_flood,
  wa_historical_flood,
};
