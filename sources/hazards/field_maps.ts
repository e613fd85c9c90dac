import type { HazardLayer } from '../../schema/records/hazard.ts';
import { type HazardFieldMap, hazardMap } from './field_map.ts';
import { BUSHFIRE_MAPS } from './maps/bushfire.ts';
import { FLOOD_MAPS } from './maps/flood.ts';
import { GROUND_MAPS } from './maps/ground.ts';
import { HERITAGE_MAPS } from './maps/heritage.ts';
import { NETWORK_MAPS } from './maps/networks.ts';

/** Council and other layers: the usual column names, any kind of shape, no ranks. */
const generic = hazardMap({
  layer: null,
  kinds: ['polygon', 'line', 'point'],
  name: [
    'CLASS',
    'CATEGORY',
    'HAZARD',
    'RISK',
    'OVL2_DESC',
    'LABEL',
    'DESCRIPT',
    'DESCRIPTION',
    'TYPE',
    'NAME',
  ],
  code: ['OVL2_CAT', 'CODE'],
  label: '',
});

/**
 * Field maps by name: state and layer, `au_` for national layers, others by publisher. `tools/scripts/field_maps_seen.ts` lists the files
 * that each was tested against.
 */
export const HAZARD_FIELD_MAPS: Readonly<Record<string, HazardFieldMap>> = {
  ...BUSHFIRE_MAPS,
  ...FLOOD_MAPS,
  ...HERITAGE_MAPS,
  ...GROUND_MAPS,
  ...NETWORK_MAPS,
  generic,
};

/** Returns the name of the map for a state and a layer if the dataset names none. */
export function defaultFieldMap(state: string, layer: HazardLayer): string {
  const names = [`${state.toLowerCase()}_${layer}`, `au_${layer}`];
  return names.find((name) => name in HAZARD_FIELD_MAPS) ?? 'generic';
}
