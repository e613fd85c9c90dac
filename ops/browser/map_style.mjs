/** Styles of the map's layers, for light and dark mode. */
import { changedLayers } from './changed_style.mjs';
import { LAYER_COLOURS } from './map_colours.mjs';

const REGION_LINES = { SAL: 1, SA2: 1, SA3: 1.6, SA4: 2, LGA: 2, POA: 1 };

export const isNight = () => matchMedia('(prefers-color-scheme: dark)').matches;

/** Colours that differ between light and dark mode. */
export const tones = (night) =>
  night
    ? {
        sea: '#0f151c',
        ground: '#161d24',
        land: '#232e38',
        line: '#8fa3b5',
        parcel: '#8ea1b3',
        ink: '#e4eaf0',
        halo: '#12181f',
        mark: '#ffd43b',
      }
    : {
        sea: '#d7e3ec',
        ground: '#e9eef2',
        land: '#fbfbf8',
        line: '#6b7f92',
        parcel: '#8a9aa9',
        ink: '#22303c',
        halo: '#ffffff',
        mark: '#c92a2a',
      };

const REGION_TONES = { SA2: '#5c7cfa', SA3: '#4263eb', SA4: '#3b5bdb', LGA: '#9c5a00', POA: '#0b7285' };
const GREENS = { open_space: '#7cc47f', water: '#69b5d8' };
const GREEN_WORDS = { open_space: 'parks', water: 'water' };

const channels = (colour) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
/** Mixes two colours; `share` is the share of the first. */
const mix = (first, second, share) => {
  const other = channels(second);
  const mixed = channels(first).map((each, i) => Math.round(each * share + other[i] * (1 - share)));
  return `#${mixed.map((each) => each.toString(16).padStart(2, '0')).join('')}`;
};
/** Draws areas in the exact colours of the legend: opaque, mixed with the land's colour. */
const onLand = (colour, night, share = 0.5) => mix(colour, tones(night).land, share);
const allOnLand = (colours, night, share) =>
  Object.fromEntries(Object.entries(colours).map(([name, colour]) => [name, onLand(colour, night, share)]));
/** Brightens lines in dark mode. */
const bright = (colour, night) => (night ? mix(colour, '#ffffff', 0.65) : colour);

/** Describes a layer for the list and legend: a colour, whether it is a dot, a hatching or a line, and its parts by a property. */
export function legendKey(name, night) {
  const tone = tones(night);
  if (name === 'SAL') return { line: tone.line };
  if (name in REGION_LINES) return { line: bright(REGION_TONES[name], night) };
  if (name === 'parcel') return { line: tone.parcel };
  if (name === 'street') return { text: tone.ink };
  if (name === 'address') return { fill: tone.line, dot: true };
  if (name === 'park_water') {
    const parts = allOnLand(GREENS, night, 0.4);
    return { fill: parts.open_space, parts, by: 'category', words: GREEN_WORDS };
  }
  if (name === 'zone') {
    const parts = allOnLand(LAYER_COLOURS.zone, night);
    return { fill: parts.residential_low, parts, by: 'category' };
  }
  if (name === 'overlay') {
    const parts = Object.fromEntries(
      Object.entries(LAYER_COLOURS.overlay).map(([kind, colour]) => [kind, bright(colour, night)]),
    );
    return { hatch: parts.other, at: 6, parts, by: 'kind' };
  }
  if (name === 'place')
    return { fill: LAYER_COLOURS.place.green_space, dot: true, parts: LAYER_COLOURS.place, by: 'category' };
  if (name === 'stop')
    return { fill: LAYER_COLOURS.stop.bus, dot: true, parts: LAYER_COLOURS.stop, by: 'mode' };
  if (name === 'school') return { fill: LAYER_COLOURS.school, dot: true };
  return {
    hatch: bright(LAYER_COLOURS.hazard[name], night),
    at: Object.keys(LAYER_COLOURS.hazard).indexOf(name),
  };
}

/** Pixels between the lines of a hatching. */
const HATCH = 12;
/** Draws a hatching, so that the map below stays visible. Its lines run in one of four directions. */
export function hatching({ hatch, at }) {
  const canvas = Object.assign(document.createElement('canvas'), { width: HATCH, height: HATCH });
  const lines = canvas.getContext('2d');
  lines.strokeStyle = hatch;
  lines.lineWidth = 1.6;
  const [dx, dy] = [
    [1, -1],
    [1, 1],
    [1, 0],
    [0, 1],
  ][at % 4];
  // Parallel lines of two hatchings are offset.
  const shift = (at >> 2) * 4;
  for (const from of [-HATCH, 0, HATCH]) {
    const [x, y] =
      dx === 0
        ? [from + shift + 4, 0]
        : dy === 0
          ? [0, from + shift + 4]
          : [from + shift, dy < 0 ? HATCH : 0];
    lines.moveTo(x, y);
    lines.lineTo(x + dx * HATCH, y + dy * HATCH);
  }
  lines.stroke();
  return canvas;
}

/** Draws the hatching images that a map needs. */
export const hatched = (layers, night) =>
  layers
    .filter(({ counts }) => !counts)
    .map(({ name }) => ({ name, key: legendKey(name, night) }))
    .filter(({ key }) => key.hatch)
    .flatMap(({ name, key }) =>
      key.parts
        ? Object.entries(key.parts).map(([part, hatch]) => ({
            name: `hatch-${name}-${part}`,
            key: { ...key, hatch },
          }))
        : [{ name: `hatch-${name}`, key }],
    );

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

/** Name without the state in parentheses. */
const SHORT_NAME = ['slice', ['get', 'name'], 0, ['index-of', ' (', ['concat', ['get', 'name'], ' (']]];

function regionLayers(name, tone, night) {
  const { line: colour } = legendKey(name, night);
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
        'text-field': SHORT_NAME,
        'text-font': FONT,
        'text-size': ['interpolate', ['linear'], ['zoom'], 10, 12, 16, 15],
        'text-max-width': 8,
        // At small scales the name is below the suburb's dot.
        'text-offset': ['step', ['zoom'], ['literal', [0, 1.2]], 7, ['literal', [0, 0]]],
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

/** Paint of a dot with a white rim. */
export const dotPaint = (colour, radius, rim = 1.2) => ({
  'circle-color': colour,
  'circle-radius': radius,
  'circle-stroke-color': '#ffffff',
  'circle-stroke-width': rim,
});
const dots = (name, colour, radius = 5) => ({
  id: `${name}-dot`,
  type: 'circle',
  filter: isPoint,
  paint: dotPaint(colour, ['interpolate', ['linear'], ['zoom'], 11, radius - 2, 17, radius + 2]),
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

const area = (name, paint, filter) => ({
  id: `${name}-fill`,
  type: 'fill',
  ...(filter && { filter }),
  paint: { 'fill-antialias': false, ...paint },
});

/** Draws areas as outlines with hatching, so that overlapping areas and the map below stay visible. */
const hatchedLayers = (name, night) => {
  const { hatch, parts, by } = legendKey(name, night);
  const patterns =
    parts && Object.fromEntries(Object.keys(parts).map((part) => [part, `hatch-${name}-${part}`]));
  const pattern = parts ? byWord(by, patterns, patterns.other) : `hatch-${name}`;
  const colour = parts ? byWord(by, parts, hatch) : hatch;
  return [
    area(name, { 'fill-pattern': pattern }, isPolygon),
    { id: `${name}-edge`, type: 'line', filter: isPolygon, paint: { 'line-color': colour, 'line-width': 1 } },
  ];
};

/** Draws a hazard as areas, lines or dots. A class that is no finding is faint. */
function hazardLayers(name, night) {
  const { hatch } = legendKey(name, night);
  const layers = hatchedLayers(name, night);
  layers[0].paint['fill-opacity'] = ['case', ['get', 'is_assessed'], 1, 0.35];
  layers[1].paint['line-opacity'] = ['case', ['get', 'is_assessed'], 1, 0.35];
  return [
    ...layers,
    { id: `${name}-line`, type: 'line', filter: isLine, paint: { 'line-color': hatch, 'line-width': 3 } },
    dots(name, LAYER_COLOURS.hazard[name], 6),
  ];
}

const streetNames = (tone) => ({
  id: 'street-label',
  type: 'symbol',
  layout: {
    'symbol-placement': 'line',
    'symbol-spacing': 320,
    'text-field': ['get', 'name'],
    'text-font': FONT,
    'text-size': ['interpolate', ['linear'], ['zoom'], 15, 10, 18, 13],
    'text-max-angle': 35,
  },
  paint: { 'text-color': tone.ink, 'text-halo-color': tone.halo, 'text-halo-width': 1.6 },
});

function layersOf({ name, inside, counts }, tone, night) {
  if (counts) return changedLayers(name, inside in REGION_LINES);
  if (name in REGION_LINES) return regionLayers(name, tone, night);
  if (name in LAYER_COLOURS.hazard) return hazardLayers(name, night);
  const { parts, by } = legendKey(name, night);
  switch (name) {
    case 'parcel':
      return [
        {
          id: 'parcel-line',
          type: 'line',
          paint: {
            'line-color': tone.parcel,
            'line-width': ['interpolate', ['linear'], ['zoom'], 15, 0.4, 18, 1.4],
          },
        },
      ];
    case 'address':
      return [
        {
          id: 'address-dot',
          type: 'circle',
          paint: { 'circle-radius': 2.5, 'circle-color': tone.line, 'circle-opacity': 0.85 },
        },
        names('address', tone, 'number', 17, 0.4),
      ];
    case 'street':
      return [streetNames(tone)];
    case 'park_water':
    case 'zone': {
      const fill = area(name, { 'fill-color': byWord(by, parts, onLand('#b0b8bf', night)) });
      return name === 'zone' ? [fill, { ...names('zone', tone, 'code', 14, 0), filter: isPolygon }] : [fill];
    }
    case 'overlay':
      return hatchedLayers(name, night);
    case 'place':
      return [
        area(name, { 'fill-color': byWord(by, allOnLand(parts, night), '#868e96') }, isPolygon),
        dots('place', byWord(by, parts, '#868e96')),
        names('place', tone, 'name', 16),
      ];
    case 'stop':
      return [dots('stop', byWord(by, parts, '#868e96'), 4), names('stop', tone, 'name', 16)];
    default:
      return [dots('school', LAYER_COLOURS.school, 6), names('school', tone, 'name', 14)];
  }
}

/** Drawing order from the bottom; other layers are in between. */
const GROUND_UP = ['states-fill', 'SAL-fill', 'park_water-fill', 'zone-fill', 'place-fill'];
const rank = ({ id, type }) => {
  const low = GROUND_UP.indexOf(id);
  if (low >= 0) return low;
  return { fill: 5, line: 6, circle: 7, symbol: 8 }[type];
};

/** Maximum zoom at which coast and states are drawn, because the loaded data need larger scales. */
const STATES_UNTIL = 8;
const stateLayers = (tone) => {
  const at = { source: 'states', maxzoom: STATES_UNTIL };
  const fade = (most) => ['interpolate', ['linear'], ['zoom'], STATES_UNTIL - 1.5, most, STATES_UNTIL, 0];
  return [
    { id: 'states-fill', type: 'fill', ...at, paint: { 'fill-color': tone.land, 'fill-opacity': fade(1) } },
    {
      id: 'states-line',
      type: 'line',
      ...at,
      paint: { 'line-color': tone.line, 'line-width': 0.8, 'line-opacity': fade(0.8) },
    },
  ];
};

/** Builds the map style: one source for each layer. Layers in `shown` are visible, the others hidden. */
export function styleOf(setup, night, shown) {
  const tone = tones(night);
  const sources = { states: { type: 'geojson', data: new URL('./australia.geojson', import.meta.url).href } };
  const layers = stateLayers(tone);
  for (const layer of setup.layers) {
    const { name, inside, tiles, min_zoom, max_zoom } = layer;
    const visibility = shown.has(name) ? 'visible' : 'none';
    sources[name] = {
      type: 'vector',
      tiles: [location.origin + tiles],
      minzoom: min_zoom,
      maxzoom: max_zoom,
      ...(name === 'SAL' && { promoteId: { SAL: 'area' } }),
    };
    const leftOutLine = {
      id: `${name}-left`,
      type: 'line',
      paint: { 'line-color': tone.mark, 'line-width': 2, 'line-dasharray': [3, 3] },
      'source-layer': 'left_out',
    };
    for (const drawn of [...layersOf(layer, tone, night), leftOutLine])
      layers.push({
        source: name,
        'source-layer': inside,
        minzoom: min_zoom,
        ...drawn,
        layout: { visibility, ...drawn.layout },
      });
  }
  layers.sort((a, b) => rank(a) - rank(b));
  const sea = ['step', ['zoom'], tone.sea, STATES_UNTIL, tone.ground];
  return {
    version: 8,
    sources,
    layers: [{ id: 'ground', type: 'background', paint: { 'background-color': sea } }, ...layers],
  };
}
