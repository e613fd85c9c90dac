import { classIn } from '../../fields/column_filter.ts';
import { type HazardFieldMap, hazardMap } from '../field_map.ts';
import { saOverlay } from './sa_overlays.ts';
import { vicmapOverlay } from './shared_columns.ts';
import { tasCodeOverlay } from './tas_code_overlays.ts';

const layer = 'bushfire';

/** NSW Rural Fire Service, Bush Fire Prone Land: vegetation categories and their buffer, in words or as numbers. */
const nsw_bushfire = hazardMap({
  layer,
  name: ['d_category', 'Category'],
  label: 'Bush fire prone land',
  words: {
    0: 'Vegetation Buffer',
    1: 'Vegetation Category 1',
    2: 'Vegetation Category 2',
    3: 'Vegetation Category 3',
  },
  severity: {
    'Vegetation Category 1': 4,
    'Vegetation Category 2': 3,
    'Vegetation Category 3': 2,
    'Vegetation Buffer': 1,
  },
  statewide: true,
});

/** Victoria, Designated Bushfire Prone Area. The Bushfire Management Overlay is narrower and cannot replace it. */
const vic_bushfire = hazardMap({ layer, label: 'Designated bushfire prone area', statewide: true });

/** Vicmap Planning, Bushfire Management Overlay. It is narrower than the designated area, so land outside it is unknown. */
const vic_bushfire_overlay = vicmapOverlay(['BMO', 'WMO'], { layer, label: 'Bushfire Management Overlay' });

/** Queensland Fire Department, Bushfire Prone Area; councils ship the class as OVL2_DESC. */
const qld_bushfire = hazardMap({
  layer,
  name: ['CLASS', 'OVL2_DESC', 'RANK', 'CATEGORY', 'SUB_TYPE'],
  label: 'Bushfire prone area',
  words: Object.fromEntries(
    ['Very High', 'High', 'Medium'].map((band) => [band, `${band} Potential Bushfire Intensity`]),
  ),
  phrase: 'Bushfire prone area: {}',
  severity: {
    'Very High Potential Bushfire Intensity': 4,
    'High Potential Bushfire Intensity': 3,
    'Medium Potential Bushfire Intensity': 2,
    'Potential Impact Buffer': 1,
  },
  statewide: true,
});

const SA_UNASSESSED = ['Hazards (Bushfire - Regional)', 'Hazards (Bushfire - Outback)'];
/** South Australian Planning and Design Code. Regional and Outback are precautionary: nobody assessed them. */
const sa_bushfire = saOverlay(
  [
    'Hazards (Bushfire - High Risk)',
    'Hazards (Bushfire - Medium Risk)',
    // the layer's title has General Risk, its rows General
    'Hazards (Bushfire - General)',
    'Hazards (Bushfire - General Risk)',
    'Hazards (Bushfire - Urban Interface)',
    ...SA_UNASSESSED,
  ],
  {
    layer,
    label: 'Hazards (Bushfire)',
    severity: {
      'Hazards (Bushfire - High Risk)': 3,
      'Hazards (Bushfire - Medium Risk)': 2,
      'Hazards (Bushfire - General)': 1,
      'Hazards (Bushfire - General Risk)': 1,
      'Hazards (Bushfire - Urban Interface)': 1,
    },
    unassessed: SA_UNASSESSED,
    statewide: true,
  },
);

/** Western Australia, Map of Bush Fire Prone Areas (OBRM): few multipart polygons over the whole state. */
const wa_bushfire = hazardMap({
  layer,
  name: ['designation'],
  phrase: 'Bush fire prone area: {}',
  label: 'Bush fire prone area',
  code: ['type'],
  filters: [classIn(['type'], ['BPA', 'Bush fire prone area'], ['EXCLUDED', 'Not BPA', 'Removed'])],
  statewide: true,
});

/** Tasmanian Planning Scheme code overlay. */
const tas_bushfire = tasCodeOverlay(layer, ['Bushfire-prone Areas'], 'Bushfire-prone area');

/** ACT, Bushfire Prone Area overview. */
const act_bushfire = hazardMap({ layer, label: 'Bushfire prone area', statewide: true });

export const BUSHFIRE_MAPS: Readonly<Record<string, HazardFieldMap>> = {
  nsw_bushfire,
  vic_bushfire,
  vic_bushfire_overlay,
  qld_bushfire,
  sa_bushfire,
  wa_bushfire,
  tas_bushfire,
  act_bushfire,
};
