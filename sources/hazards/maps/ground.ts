import { butNot, type ColumnFilter, stillListed } from '../../fields/column_filter.ts';
import { type HazardFieldMap, hazardMap } from '../field_map.ts';
import { saOverlay } from './sa_overlays.ts';
import { EPI_CLASS, EPI_CODE, EPI_HERITAGE, vicmapOverlay } from './shared_columns.ts';
import { tasBands, tasCodeOverlay } from './tas_code_overlays.ts';

/** Leaves out heritage features that were filed under another layer. */
const NO_HERITAGE: readonly ColumnFilter[] = [butNot(EPI_CLASS, EPI_HERITAGE, 'other_class')];

/** NSW planning instruments: landslide risk. */
const nsw_landslide = hazardMap({
  layer: 'landslide',
  name: EPI_CLASS,
  code: EPI_CODE,
  label: 'Landslide risk',
  filters: NO_HERITAGE,
});

/** Vicmap Planning Erosion Management Overlay, which covers landslip. Few councils apply it. */
const vic_landslide = vicmapOverlay(['EMO'], { layer: 'landslide', label: 'Erosion Management Overlay' });

const tas_landslide = tasCodeOverlay(
  'landslide',
  ['Landslip Hazard'],
  'Landslip hazard area',
  tasBands('landslip'),
);

/** NSW planning instruments: coastal erosion. */
const nsw_erosion = hazardMap({
  layer: 'erosion',
  name: EPI_CLASS,
  code: EPI_CODE,
  label: 'Erosion prone land',
  filters: NO_HERITAGE,
});

/** Queensland, erosion prone area of the coastal management plan. */
const qld_erosion = hazardMap({
  layer: 'erosion',
  name: ['CLASS', 'TYPE', 'DESCRIPT', 'OVL2_DESC', 'SUB_TYPE', 'NAME'],
  label: 'Erosion prone area',
});

const tas_erosion = tasCodeOverlay(
  'erosion',
  ['Coastal Erosion Hazard'],
  'Coastal erosion hazard area',
  tasBands('coastal erosion'),
);

/** NSW planning instruments: acid sulfate soils, class 1 the worst. */
const nsw_environment = hazardMap({
  layer: 'environment',
  name: EPI_CLASS,
  phrase: 'Acid sulfate soils: {}',
  code: EPI_CODE,
  label: 'Acid sulfate soils',
  filters: NO_HERITAGE,
  severity: { 'Class 1': 4, 'Class 2': 3, 'Class 3': 2, 'Class 4': 1, 'Class 5': 1 },
});

/** Management classes of the NSW EPA for a notified site that is not contaminated, or no longer. */
const NOT_REGULATED = [
  'Regulation *not required*',
  'Contamination formerly *',
  'Contamination was addressed*',
  'Not contaminated*',
  'Decontaminated*',
  'Report not substantiated*',
];

/** A list of contaminated sites with coordinates, in the format of environment protection authorities. */
const epa_sites = hazardMap({
  layer: 'environment',
  kinds: ['point', 'polygon'],
  feature_id: ['SITE_ID', 'SITEID', 'EPA_ID', 'NOTICE_NO', 'REFERENCE', 'OBJECTID'],
  name: [
    'CONTAMINATION_ACTIVITY_TYPE',
    'CONTAMINATIONACTIVITYTYPE',
    'ACTIVITY',
    'SITE_TYPE',
    'CATEGORY',
    'STATUS',
  ],
  code: ['MANAGEMENT_CLASS', 'MANAGEMENTCLASS', 'SITE_CLASS'],
  words: { Unclassified: 'Contaminated site', Other: 'Contaminated site' },
  label: 'Contaminated site',
  filters: [
    butNot(['MANAGEMENT_CLASS', 'MANAGEMENTCLASS', 'SITE_CLASS'], NOT_REGULATED, 'not_regulated'),
    stillListed,
  ],
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
  ['Potentially Contaminated Land'],
  'Potentially contaminated land',
);

const RISK_CATEGORY: readonly string[] = ['RISK_CATEG', 'RISK_CATEGORY'];

/** Western Australia, acid sulfate soil risk (DWER); another product lacks this column. */
const wa_environment = hazardMap({
  layer: 'environment',
  name: RISK_CATEGORY,
  class: [...RISK_CATEGORY, 'RISKCLASS'],
  phrase: 'Acid sulfate soils: {}',
  code: ['RISKCLASS'],
  label: 'Acid sulfate soils',
  filters: [
    {
      ...butNot([...RISK_CATEGORY, 'RISKCLASS'], ['No known*', 'Nil*', 'No risk*'], 'other_class'),
      optional: false,
    },
  ],
  severity: { 'High to moderate risk': 3, 'Moderate to low risk': 2 },
});

/** Western Australia, contaminated sites (DWER-059), by their classification. */
const wa_contaminated_sites = hazardMap({
  layer: 'environment',
  kinds: ['polygon', 'point'],
  name: ['CLASSIFICATION', 'CLASSIFICA'],
  phrase: 'Contaminated site: {}',
  label: 'Contaminated site',
  filters: [
    { ...butNot(['CLASSIFICATION', 'CLASSIFICA'], NOT_REGULATED, 'not_regulated'), optional: false },
    stillListed,
  ],
});

/** Contamination, acid sulfate soils and unstable ground. None is statewide: each publisher maps part of its subject. */
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
  wa_environment,
  wa_contaminated_sites,
};
