/** How the layers of the map are drawn, by day and by night. */
import { changedLayers } from './changed_style.mjs';

const HAZARDS = {
  bushfire: '#d9480f',
  flood: '#1c7ed6',
  historical_flood: '#3b5bdb',
  heritage: '#9c36b5',
  landslide: '#a0652f',
  erosion: '#c99a2e',
  environment: '#2b8a3e',
  hv_power_line: '#e03131',
  mobile_black_spot: '#6a7683',
  public_housing: '#c2255c',
};
const ZONES = {
  residential_low: '#f2c14e',
  residential_medium_high: '#e8873a',
  centre_mixed: '#4b7bd1',
  industrial: '#9a7bc4',
  rural: '#b7c98a',
  conservation: '#3f8f5f',
  open_space: '#7cc47f',
  infrastructure: '#8d99a6',
  water: '#69b5d8',
  other: '#c8a9a0',
};
const MODES = { train: '#d6336c', tram: '#2b8a3e', bus: '#e8590c', ferry: '#1971c2' };
const PLACES = {
  supermarket: '#e8590c',
  green_space: '#2f9e44',
  restaurant: '#c2255c',
  beach: '#f08c00',
  railway_station: '#5f3dc4',
};
const SCHOOL = '#6741d9';
const OVERLAY = '#7048e8';
const REGION_LINES = { SAL: 1, SA2: 1, SA3: 1.6, SA4: 2, LGA: 2, POA: 1 };

export const isNight = () => matchMedia('(prefers-color-scheme: dark)').matches;

/** Colours that differ by day and by night. */
export const tones = (night) =>
  night
    ? {
        ground: '#161d24',
        land: '#1f2932',
        line: '#8fa3b5',
        parcel: '#7d93a8',
        ink: '#e4eaf0',
        halo: '#12181f',
        mark: '#ffd43b',
      }
    : {
        ground: '#e9eef2',
        land: '#fbfbf8',
        line: '#6b7f92',
        parcel: '#8a9aa9',
        ink: '#22303c',
        halo: '#ffffff',
        mark: '#c92a2a',
      };

const REGION_TONES = { SA2: '#5c7cfa', SA3: '#4263eb', SA4: '#3b5bdb', LGA: '#9c5a00', POA: '#0b7285' };

/** What stands for a layer in the list: a colour, whether it is a dot, and names of its parts. */
export function keyOf(name, night) {
  const tone = tones(night);
  if (name === 'SAL') return { line: tone.line };
  if (name in REGION_LINES) return { line: REGION_TONES[name] };
  if (name === 'parcel') return { line: tone.parcel };
  if (name === 'address') return { fill: tone.line, dot: true };
  if (name === 'zone') return { fill: ZONES.residential_low, parts: ZONES };
  if (name === 'overlay') return { fill: OVERLAY };
  if (name === 'place') return { fill: PLACES.green_space, dot: true, parts: PLACES };
  if (name === 'stop') return { fill: MODES.bus, dot: true, parts: MODES };
  if (name === 'school') return { fill: SCHOOL, dot: true };
  return { fill: HAZARDS[name] };
}

const byWord = (property, colours, other) => [
  'match',
  ['get', property],
  ...Object.entries(colours).flat(),
  other,
];
const isPolygon = ['==', ['geometry-type'], 'Polygon'];
const isLine = ['==', ['geometry-type'], 'LineString'];
const isPoint = ['==', ['geometry-type'], 'Point'];
const FONT = ['sans-serif'];

function regionLayers(name, tone) {
  const colour = name === 'SAL' ? tone.line : REGION_TONES[name];
  const layers = [
    {
      id: `${name}-line`,
      type: 'line',
      filter: isPolygon,
      paint: {
        'line-color': colour,
        'line-width': REGION_LINES[name],
        'line-opacity': name === 'SAL' ? 0.8 : 0.9,
      },
    },
    {
      id: `${name}-label`,
      type: 'symbol',
      filter: isPoint,
      minzoom: { SA2: 11, POA: 11 }[name] ?? 0,
      maxzoom: { SAL: 17, SA4: 9, SA3: 12 }[name] ?? 16,
      layout: {
        'text-field': ['get', 'name'],
        'text-font': FONT,
        'text-size': 12,
        'text-max-width': 8,
        'text-anchor': 'top',
        // At a small scale below the dot of a suburb.
        'text-offset': ['step', ['zoom'], ['literal', [0, 0.6]], 7, ['literal', [0, -0.5]]],
      },
      paint: {
        'text-color': name === 'SAL' ? tone.ink : colour,
        'text-halo-color': tone.halo,
        'text-halo-width': 1.4,
      },
    },
  ];
  if (name !== 'SAL') return layers;
  return [
    { id: 'SAL-fill', type: 'fill', filter: isPolygon, paint: { 'fill-color': tone.land } },
    {
      id: 'SAL-dot',
      type: 'circle',
      filter: isPoint,
      maxzoom: 7,
      paint: {
        'circle-radius': ['interpolate', ['linear'], ['zoom'], 3, 3, 7, 7],
        'circle-color': tone.line,
        'circle-stroke-color': tone.line,
        'circle-stroke-width': 1,
      },
    },
    ...layers,
  ];
}

const dots = (name, colour, radius = 5) => ({
  id: `${name}-dot`,
  type: 'circle',
  filter: isPoint,
  paint: {
    'circle-color': colour,
    'circle-radius': ['interpolate', ['linear'], ['zoom'], 11, radius - 2, 17, radius + 2],
    'circle-stroke-color': '#ffffff',
    'circle-stroke-width': 1.2,
  },
});
const names = (name, tone, field, minzoom, offset = 1) => ({
  id: `${name}-label`,
  type: 'symbol',
  filter: isPoint,
  minzoom,
  layout: {
    'text-field': ['get', field],
    'text-font': FONT,
    'text-size': 11,
    'text-offset': [0, offset],
    'text-anchor': offset === 0 ? 'center' : 'top',
    'text-max-width': 9,
    'text-optional': true,
  },
  paint: { 'text-color': tone.ink, 'text-halo-color': tone.halo, 'text-halo-width': 1.3 },
});

/** Of a hazard an area, a line or dots; a class that is no finding is faint. */
const hazardLayers = (name) => [
  {
    id: `${name}-fill`,
    type: 'fill',
    filter: isPolygon,
    paint: {
      'fill-color': HAZARDS[name],
      'fill-opacity': ['case', ['get', 'is_assessed'], 0.38, 0.12],
      'fill-antialias': false,
    },
  },
  {
    id: `${name}-line`,
    type: 'line',
    filter: isLine,
    paint: { 'line-color': HAZARDS[name], 'line-width': 3 },
  },
  dots(name, HAZARDS[name], 6),
];

function layersOf({ name, inside, counts }, tone) {
  if (counts) return changedLayers(name, inside in REGION_LINES);
  if (name in REGION_LINES) return regionLayers(name, tone);
  if (name in HAZARDS) return hazardLayers(name);
  switch (name) {
    case 'parcel':
      return [
        {
          id: 'parcel-line',
          type: 'line',
          paint: {
            'line-color': tone.parcel,
            'line-width': ['interpolate', ['linear'], ['zoom'], 15, 0.5, 18, 1.4],
          },
        },
      ];
    case 'address':
      return [
        {
          id: 'address-dot',
          type: 'circle',
          paint: { 'circle-radius': 3, 'circle-color': tone.line, 'circle-opacity': 0.85 },
        },
        names('address', tone, 'number', 17, 0.4),
      ];
    case 'zone':
      return [
        {
          id: 'zone-fill',
          type: 'fill',
          paint: {
            'fill-color': byWord('category', ZONES, '#b0b8bf'),
            'fill-opacity': 0.45,
            'fill-antialias': false,
          },
        },
      ];
    case 'overlay':
      return [
        {
          id: 'overlay-fill',
          type: 'fill',
          paint: { 'fill-color': OVERLAY, 'fill-opacity': 0.18, 'fill-antialias': false },
        },
      ];
    case 'place':
      return [
        {
          id: 'place-fill',
          type: 'fill',
          filter: isPolygon,
          paint: {
            'fill-color': byWord('category', PLACES, '#868e96'),
            'fill-opacity': 0.35,
            'fill-antialias': false,
          },
        },
        dots('place', byWord('category', PLACES, '#868e96')),
        names('place', tone, 'name', 16),
      ];
    case 'stop':
      return [dots('stop', byWord('mode', MODES, '#868e96'), 4), names('stop', tone, 'name', 16)];
    default:
      return [dots('school', SCHOOL, 6), names('school', tone, 'name', 14)];
  }
}

/** Order from the ground up; what is not named lies between. */
const GROUND_UP = ['SAL-fill', 'zone-fill', 'overlay-fill', 'place-fill'];
const rank = ({ id, type }) => {
  const low = GROUND_UP.indexOf(id);
  if (low >= 0) return low;
  return { fill: 5, line: 6, circle: 7, symbol: 8 }[type];
};

/** The style of the map: a source for each layer, hidden until it is switched on. */
export function styleOf(setup, night) {
  const tone = tones(night);
  const sources = {};
  const layers = [];
  for (const layer of setup.layers) {
    const { name, inside, tiles, min_zoom, max_zoom } = layer;
    sources[name] = {
      type: 'vector',
      tiles: [location.origin + tiles],
      minzoom: min_zoom,
      maxzoom: max_zoom,
      promoteId: name === 'SAL' ? { SAL: 'area' } : undefined,
    };
    if (!sources[name].promoteId) delete sources[name].promoteId;
    for (const drawn of layersOf(layer, tone))
      layers.push({
        source: name,
        'source-layer': inside,
        minzoom: min_zoom,
        ...drawn,
        layout: { visibility: 'none', ...drawn.layout },
      });
    layers.push({
      id: `${name}-left`,
      type: 'line',
      source: name,
      'source-layer': 'left_out',
      minzoom: min_zoom,
      layout: { visibility: 'none' },
      paint: { 'line-color': tone.mark, 'line-width': 2, 'line-dasharray': [3, 3] },
    });
  }
  layers.sort((a, b) => rank(a) - rank(b));
  return {
    version: 8,
    sources,
    layers: [{ id: 'ground', type: 'background', paint: { 'background-color': tone.ground } }, ...layers],
  };
}
