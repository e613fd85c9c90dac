import type { HazardLayer } from '../../../schema/records/hazard.ts';
import { classIn } from '../../fields/column_filter.ts';
import { type HazardFieldMap, hazardMap } from '../field_map.ts';

/** Codes of the Tasmanian Planning Scheme; the layer spells some names differently from the scheme. */
const TAS_CODES: readonly string[] = [
  'Attenuation',
  'Bushfire-prone Areas',
  'Coastal Erosion Hazard',
  'Coastal Inundation Hazard',
  'Electricity Transmission Infrastructure Protection',
  'Flood-prone Areas Hazard',
  'Flood-prone Hazard Areas',
  'Landslip Hazard',
  'Local Historic Heritage',
  'Local Historical Heritage',
  'Natural Assets',
  'Parking and Sustainable Transport',
  'Potentially Contaminated Land',
  'Road and Railway Assets',
  'Safeguarding of Airports',
  'Scenic Protection',
  'Signs',
  'Telecommunications',
];

const asDelivered = (codes: readonly string[]): string[] => codes.flatMap((code) => [`${code} Code`, code]);

const BANDS = { Low: 1, Medium: 2, 'Medium-active': 3, High: 4 } as const;

/** Returns ranks of the bands of a hazard, by category and by name. */
export const tasBands = (...hazards: readonly string[]): HazardFieldMap['severity'] =>
  Object.fromEntries(
    Object.entries(BANDS).flatMap(([band, rank]) => [
      [band, rank],
      ...hazards.map((hazard) => [`${band} ${hazard} hazard band`, rank] as const),
    ]),
  );

/**
 * Builds a hazard map from one code of the Tasmanian Planning Scheme code overlays, which lack councils on an interim scheme. The category
 * is often blank; the name is readable: `Medium landslip hazard band`.
 */
export const tasCodeOverlay = (
  layer: HazardLayer,
  codes: readonly string[],
  label: string,
  severity: HazardFieldMap['severity'] = {},
): HazardFieldMap =>
  hazardMap({
    layer,
    label,
    name: ['OV_NAME', 'OV_CAT', 'CODE'],
    class: ['OV_CAT', 'OV_NAME'],
    code: ['OV_ABB'],
    filters: [
      classIn(['CODE'], asDelivered(codes), asDelivered(TAS_CODES.filter((code) => !codes.includes(code)))),
    ],
    severity,
  });
