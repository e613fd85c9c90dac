import { dotPaint } from './map_style.mjs';

/** Draws a property, its comparable sales and the nearest hazards over the layers of the map. */

export const SALE_COLOUR = '#e8590c';
export const HAZARD_COLOUR = '#c2255c';
const NEIGHBOUR_COLOUR = '#4dabf7';

const featureOf = (type, coordinates, properties) => ({
  type: 'Feature',
  properties,
  geometry: { type, coordinates },
});

/** Chooses a value for the property itself, and another one for its neighbours. */
const bySubject = (own, neighbour) => ['case', ['get', 'is_subject'], own, neighbour];

const dot = (source, paint) => ({ id: `${source}-dot`, type: 'circle', source, paint });

/** The parcel and its neighbours. */
const parcelLayers = (tone) => [
  {
    // Covers hatching inside the parcel, so that it stays readable.
    id: 'own-ground',
    source: 'own',
    type: 'fill',
    filter: ['get', 'is_subject'],
    paint: { 'fill-color': tone.land, 'fill-opacity': 0.75 },
  },
  {
    id: 'own-fill',
    source: 'own',
    type: 'fill',
    paint: {
      'fill-color': bySubject(tone.mark, NEIGHBOUR_COLOUR),
      'fill-opacity': bySubject(0.3, 0.12),
    },
  },
  {
    id: 'own-line',
    source: 'own',
    type: 'line',
    // The property's outline is drawn over its neighbours'.
    layout: { 'line-sort-key': bySubject(1, 0) },
    paint: {
      'line-color': bySubject(tone.mark, NEIGHBOUR_COLOUR),
      'line-width': bySubject(2.5, 1.2),
    },
  },
];

/** Lines from the property to the nearest hazards, with their distances. */
const hazardLayers = (tone) => [
  {
    id: 'hazard-line',
    source: 'hazard-lines',
    type: 'line',
    paint: { 'line-color': HAZARD_COLOUR, 'line-width': 1.2, 'line-dasharray': [3, 3] },
  },
  {
    id: 'hazard-text',
    source: 'hazard-lines',
    type: 'symbol',
    layout: {
      'symbol-placement': 'line-center',
      'text-field': ['get', 'text'],
      'text-font': ['sans-serif'],
      'text-size': 11,
    },
    paint: { 'text-color': tone.ink, 'text-halo-color': tone.halo, 'text-halo-width': 1.4 },
  },
];

/** Dots of comparable sales with their ranks. */
const SALE_LAYERS = [
  dot('sales', dotPaint(SALE_COLOUR, 8)),
  {
    id: 'sales-text',
    source: 'sales',
    type: 'symbol',
    layout: {
      'text-field': ['get', 'text'],
      'text-font': ['sans-serif'],
      'text-size': 10,
      'text-allow-overlap': true,
    },
    paint: { 'text-color': '#ffffff' },
  },
];

export function drawProperty(map, { at, shapes, comparables, hazards }, tone) {
  const sales = comparables.filter((each) => each.at !== null);
  const features = {
    own: shapes?.features ?? [],
    sales: sales.map((each) => featureOf('Point', each.at, { pid: each.gnaf_pid, text: `${each.rank}` })),
    'hazard-lines': hazards.map(({ line, name }) => featureOf('LineString', line, { text: name })),
    here: [featureOf('Point', at, {})],
  };
  for (const [name, list] of Object.entries(features))
    map.addSource(name, { type: 'geojson', data: { type: 'FeatureCollection', features: list } });
  const layers = [
    ...parcelLayers(tone),
    ...hazardLayers(tone),
    ...SALE_LAYERS,
    dot('here', dotPaint(tone.mark, 6, 2)),
  ];
  for (const layer of layers) map.addLayer(layer);
}
