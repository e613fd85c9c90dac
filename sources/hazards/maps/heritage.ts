import { type HazardFieldMap, hazardMap } from '../field_map.ts';
import { EPI_CLASS, saOverlay, tasCodeOverlay, vicmapOverlay } from './shared_columns.ts';

const layer = 'heritage';

/** NSW planning instruments: items and conservation areas. */
const nsw_heritage = hazardMap({
  layer,
  name: EPI_CLASS,
  code: ['H_ID', 'I_NO'],
  label: 'Heritage',
  statewide: true,
});

/** Vicmap Planning Heritage Overlay. */
const vic_heritage = vicmapOverlay(['HO'], { layer, label: 'Heritage Overlay', statewide: true });

/** South Australian Planning and Design Code. */
const sa_heritage = saOverlay(
  ['State Heritage Place', 'Local Heritage Place', 'State Heritage Area', 'Historic Area'],
  { layer, label: 'Heritage', statewide: true },
);

/** Tasmanian Planning Scheme code overlay. */
const tas_heritage = tasCodeOverlay(layer, ['Local Historic Heritage Code'], 'Local historic heritage');

export const HERITAGE_MAPS: Readonly<Record<string, HazardFieldMap>> = {
  nsw_heritage,
  vic_heritage,
  sa_heritage,
  tas_heritage,
};
