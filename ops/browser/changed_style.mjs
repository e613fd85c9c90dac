/** Styles of features that differ between two publications: added, removed or changed. */

/** Colours that remain distinct with red-green colour blindness. */
const BECAME = { added: '#1971c2', removed: '#c92a2a', changed: '#e8890c' };

const colour = ['match', ['get', 'became'], ...Object.entries(BECAME).flat(), '#868e96'];
const isPolygon = ['==', ['geometry-type'], 'Polygon'];
const isLine = ['==', ['geometry-type'], 'LineString'];
const isPoint = ['==', ['geometry-type'], 'Point'];
/** Number of features that a dot represents; a region, school or address is one. */
const rows = ['coalesce', ['get', 'rows'], 1];

/** Layers of the differences of one layer. `outline`: its shapes cover the ground, so only their outlines are strong. */
export const changedLayers = (name, outline) => [
  {
    id: `${name}-fill`,
    type: 'fill',
    filter: isPolygon,
    paint: { 'fill-color': colour, 'fill-opacity': outline ? 0.12 : 0.35, 'fill-antialias': false },
  },
  { id: `${name}-edge`, type: 'line', filter: isPolygon, paint: { 'line-color': colour, 'line-width': 2 } },
  { id: `${name}-line`, type: 'line', filter: isLine, paint: { 'line-color': colour, 'line-width': 3 } },
  {
    id: `${name}-dot`,
    type: 'circle',
    filter: isPoint,
    paint: {
      'circle-color': colour,
      'circle-radius': ['interpolate', ['linear'], ['log10', rows], 0, 4, 5, 22],
      'circle-opacity': 0.75,
      'circle-stroke-color': '#ffffff',
      'circle-stroke-width': 1,
    },
  },
];
