import { type HazardFieldMap, hazardMap } from '../field_map.ts';
import { EPI_CLASS, EPI_CODE, saOverlay, tasCodeOverlay, vicmapOverlay } from './shared_columns.ts';

/** Bands of the Tasmanian hazard codes. */
const TAS_BANDS: HazardFieldMap['severity'] = { Low: 1, Medium: 2, 'Medium-active': 3, High: 4 };

/** NSW planning instruments: landslide risk. */
const nsw_landslide = hazardMap({
  layer: 'landslide',
  name: EPI_CLASS,
  code: EPI_CODE,
  label: 'Landslide risk',
});

/** Vicmap Planning Erosion Management Overlay, which is about landslip. Few councils apply it. */
const vic_landslide = vicmapOverlay(['EMO'], { layer: 'landslide', label: 'Erosion Management Overlay' });

const tas_landslide = tasCodeOverlay(
  'landslide',
  ['Landslip Hazard Code'],
  'Landslip hazard area',
  TAS_BANDS,
);

/** NSW planning instruments: coastal erosion. */
const nsw_erosion = hazardMap({
  layer: 'erosion',
  name: EPI_CLASS,
  code: EPI_CODE,
  label: 'Erosion prone land',
});

/** Queensland, erosion prone area of the coastal management plan. */
const qld_erosion = hazardMap({
  layer: 'erosion',
  name: ['CLASS', 'TYPE', 'DESCRIPT'],
  label: 'Erosion prone area',
});

const tas_erosion = tasCodeOverlay(
  'erosion',
  ['Coastal Erosion Hazard Code'],
  'Coastal erosion hazard area',
  TAS_BANDS,
);

/** NSW planning instruments: acid sulfate soils, class 1 the worst. */
const nsw_environment = hazardMap({
  layer: 'environment',
  name: EPI_CLASS,
  code: EPI_CODE,
  label: 'Acid sulfate soils',
  severity: { 'Class 1': 4, 'Class 2': 3, 'Class 3': 2, 'Class 4': 1, 'Class 5': 1 },
});

/** A list of contaminated sites with coordinates, as environment protection authorities publish it. */
const epa_sites = hazardMap({
  layer: 'environment',
  kinds: ['point', 'polygon'],
  feature_id: ['SITE_ID', 'SITEID', 'EPA_ID', 'NOTICE_NO', 'REFERENCE'],
  name: ['CONTAMINATION_ACTIVITY_TYPE', 'CONTAMINAT', 'ACTIVITY', 'SITE_TYPE', 'CATEGORY', 'STATUS'],
  code: ['MANAGEMENT_CLASS', 'MANAGEMENT', 'SITE_CLASS'],
  label: 'Contaminated site',
});

/** Vicmap Planning: environmental audit and potentially contaminated land. */
const vic_environment = vicmapOverlay(['EAO', 'PCLO'], {
  layer: 'environment',
  label: 'Environmental Audit Overlay',
});

/** South Australian Planning and Design Code: acid sulfate soils. */
const sa_environment = saOverlay(['Hazards (Acid Sulfate Soils)'], {
  layer: 'environment',
  label: 'Hazards (Acid Sulfate Soils)',
});

const tas_environment = tasCodeOverlay(
  'environment',
  ['Potentially Contaminated Land Code'],
  'Potentially contaminated land',
);

/** Contamination, acid sulfate soils and unstable ground. None is statewide: each publisher maps a part of its subject. */
export const GROUND_MAPS: Readonly<Record<string, HazardFieldMap>> = {
  nsw_landslide,
  vic_landslide,
  tas_landslide,
  nsw_erosion,
  qld_erosion,
  tas_erosion,
  nsw_environment,
  epa_sites,
  vic_environment,
  sa_environment,
  tas_environment,
};
