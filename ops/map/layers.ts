import { BOX_READERS } from '../../contract/map/box_shapes.ts';
import { DRAWN_LEVELS, type DrawnLevel } from '../../contract/map/region_shapes.ts';
import { HAZARD_LAYERS, HAZARDS } from '../../schema/records/hazard.ts';
import { REGION_ZOOM } from '../../transforms/geo/region_zoom.ts';
import { isPlanning } from './planning_shapes.ts';

export interface MapLayer {
  name: string;
  title: string;
  group: 'Ground' | 'Regions' | 'Property' | 'Planning' | 'Hazards' | 'Surroundings';
  /** Zooms that have tiles; beyond the last one they are enlarged. */
  min_zoom: number;
  max_zoom: number;
}

/** Minimum zoom at which the screen covers few enough grid cells. */
export const CELLS_FROM = 11;
const LAST = 17;

const REGION_TITLES: Record<DrawnLevel, string> = {
  SAL: 'Suburbs',
  SA2: 'SA2',
  SA3: 'SA3',
  SA4: 'SA4',
  LGA: 'Local government areas',
  POA: 'Postal areas',
};

const regions = DRAWN_LEVELS.map(
  (level): MapLayer => ({
    name: level,
    title: REGION_TITLES[level],
    group: 'Regions',
    // Suburbs are dots at smaller zooms.
    min_zoom: level === 'SAL' ? 0 : REGION_ZOOM[level],
    max_zoom: 14,
  }),
);

const cells: readonly [string, string, MapLayer['group'], number][] = [
  ['parcel', 'Parcels', 'Property', 15],
  ['address', 'Addresses', 'Property', 16],
  ['zone', 'Zones', 'Planning', 12],
  ['overlay', 'Overlays', 'Planning', 12],
  ...HAZARD_LAYERS.map((layer): [string, string, MapLayer['group'], number] => [
    layer,
    HAZARDS[layer].title,
    'Hazards',
    CELLS_FROM,
  ]),
  ['place', 'Places', 'Surroundings', 12],
  ['stop', 'Stops and stations', 'Surroundings', 13],
  ['school', 'Schools', 'Surroundings', CELLS_FROM],
];

const ground: typeof cells = [
  ['park_water', 'Parks and water', 'Ground', 12],
  ['street', 'Street names', 'Ground', 15],
];
const layersOf = (list: typeof cells): MapLayer[] =>
  list.map(([name, title, group, min_zoom]) => ({ name, title, group, min_zoom, max_zoom: LAST }));

/** All layers of the map, in the order of the list. */
export const LAYERS: readonly MapLayer[] = [...layersOf(ground), ...regions, ...layersOf(cells)];

export const isRegionLevel = (name: string): name is DrawnLevel =>
  (DRAWN_LEVELS as readonly string[]).includes(name);
/** True if the layer has earlier states. Zones and overlays have none: only the loaded records are kept. */
export const hasPast = (name: string): boolean => !isPlanning(name);
export const boxReader = (name: string) => BOX_READERS[name];
