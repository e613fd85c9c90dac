import { type HazardFieldMap, hazardMap } from '../field_map.ts';
import { EPI_CLASS, EPI_CODE, saOverlay, tasCodeOverlay, vicmapOverlay } from './shared_columns.ts';

const layer = 'flood';

/** NSW planning instruments. Few still map flood (councils keep it since 2021), so absence says nothing. */
const nsw_flood = hazardMap({
  layer,
  name: EPI_CLASS,
  code: EPI_CODE,
  label: 'Flood planning area',
  // The probable maximum flood is far rarer than the 1 % flood that plans go by.
  severity: {
    'Flood Planning Area': 2,
    'Flood Prone and Major Creeks Land': 2,
    '1 in 100 AEP Flood Extent': 2,
    'Probable Maximum Flood Line': 1,
  },
});

/** Vicmap Planning: inundation and special building overlays, and the floodways; vic_flood_zone has the floodway that is a zone. */
const vic_flood = vicmapOverlay(['LSIO', 'SBO', 'FO', 'RFO'], {
  layer,
  label: 'Flood overlay',
  severity: { FO: 3, RFO: 3, LSIO: 2, SBO: 2 },
  statewide: true,
});

/**
 * Vicmap Planning, Urban Floodway Zone of PLAN_ZONE: a zone and a floodway in one. A dataset of its own beside that of the overlays, which
 * states the coverage.
 */
const vic_flood_zone = vicmapOverlay(['UFZ'], {
  layer,
  label: 'Urban Floodway Zone',
  severity: { UFZ: 3 },
});

/** Brisbane City Council, flood awareness: likelihood in words. */
const qld_flood_brisbane = hazardMap({
  layer,
  name: ['FLOOD_RISK', 'LIKELIHOOD', 'RISK', 'CLASS'],
  label: 'Flood awareness area',
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

const SA_UNKNOWN = 'Hazards (Flooding - Evidence Required)';
/** South Australian Planning and Design Code. Evidence Required says that nobody knows. */
const sa_flood = saOverlay(['Hazards (Flooding)', 'Hazards (Flooding - General)', SA_UNKNOWN], {
  layer,
  label: 'Hazards (Flooding)',
  severity: { 'Hazards (Flooding)': 3, 'Hazards (Flooding - General)': 2 },
  unassessed: [SA_UNKNOWN],
  statewide: true,
});

/** Western Australia, floodplain mapping; its licence must be accepted by name. */
const wa_flood = hazardMap({
  layer,
  name: ['EVENT', 'FLOOD_TYPE', 'TYPE'],
  code: ['EST_ARI'],
  label: 'Floodplain',
});

/** Tasmanian Planning Scheme code overlay; not all councils are in it, so coverage is a list of them. */
const tas_flood = tasCodeOverlay(
  layer,
  ['Flood-prone Hazard Areas Code', 'Flood-prone Areas Hazard Code'],
  'Flood-prone area',
);

/** ACT: one dissolved extent of the 1 % flood, urban areas only. */
const act_flood = hazardMap({
  layer,
  name: ['DESCRIPTION', 'EVENT'],
  label: '1% AEP flood extent',
  severity: { '1% AEP flood extent': 2 },
});

/** Names and dates of recorded events; extents of modelled floods are other layers and must not be configured here. */
const recorded = (own: Partial<HazardFieldMap> = {}): HazardFieldMap =>
  hazardMap({
    layer: 'historical_flood',
    name: ['EVENT_NAME', 'EVENT', 'FLOOD_NAME', 'NAME', 'TITLE'],
    label: 'Recorded flood extent',
    event_date: {
      fields: ['EVENT_DATE', 'FLOOD_DATE', 'DATE_', 'DATE', 'START_DATE', 'EVENT_DT'],
      format: 'iso',
    },
    ...own,
  });

/** Victoria, historic extents since 1870; some events have no date. The EXTENT_nY_ARI layers beside them are modelled. */
const vic_historical_flood = recorded({ feature_id: ['PFI'] });
/** Brisbane and other publishers of one file per event: the option event states its name and date. */
const qld_historical_flood = recorded();
const nsw_historical_flood = recorded();
const tas_historical_flood = recorded();

export const FLOOD_MAPS: Readonly<Record<string, HazardFieldMap>> = {
  nsw_flood,
  vic_flood,
  vic_flood_zone,
  qld_flood_brisbane,
  sa_flood,
  wa_flood,
  tas_flood,
  act_flood,
  vic_historical_flood,
  qld_historical_flood,
  nsw_historical_flood,
  tas_historical_flood,
};
