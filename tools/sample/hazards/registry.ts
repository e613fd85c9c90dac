import type { StateCode } from '../geography/places.ts';
import type { SampleDataset, SampleLayer } from './layer.ts';
import { NSW_DATASETS, NSW_LAYERS } from './layers/nsw.ts';
import { OTHER_DATASETS, OTHER_LAYERS } from './layers/other_states.ts';
import { VIC_DATASETS, VIC_LAYERS } from './layers/vic.ts';

const LAYERS: readonly SampleLayer[] = [...NSW_LAYERS, ...VIC_LAYERS, ...OTHER_LAYERS];

/** Files of hazards and overlays that a state publishes. */
export const layersOf = (state: StateCode): readonly SampleLayer[] =>
  LAYERS.filter((layer) => layer.state === state);

/** National files: transmission lines and places without mobile coverage. */
export const POWER_LINES = 'hazards/au/Foundation_Electricity_Transmission_Lines.shp';
export const BLACK_SPOTS = 'hazards/au/Mobile_Black_Spots.shp';

/** All datasets of hazards and overlays of the sample; several may read one file. */
export const PLANNING_DATASETS: readonly SampleDataset[] = [
  ...NSW_DATASETS,
  ...VIC_DATASETS,
  ...OTHER_DATASETS,
  {
    id: 'hv_power_line_au',
    adapter: 'hazards',
    path: [POWER_LINES],
    options: { state: 'AU', layer: 'hv_power_line' },
    takes: [],
  },
  {
    id: 'mobile_black_spot_au',
    adapter: 'hazards',
    path: [BLACK_SPOTS],
    options: { state: 'AU', layer: 'mobile_black_spot' },
    takes: [],
  },
];
