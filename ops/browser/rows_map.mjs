import { dataOf } from './dom.mjs';
import { dotPaint, isNight, tones } from './map_style.mjs';
import { openMap } from './map_view.mjs';

/** Map of the rows of an answer. A click goes to the row. */
const container = document.getElementById('map');
const setup = container && dataOf('setup');
const map =
  container && openMap(container, setup, ['SAL', 'park_water', 'street'], { cooperativeGestures: true });
const layers = (colour) => [
  {
    id: 'rows-fill',
    type: 'fill',
    filter: ['==', ['geometry-type'], 'Polygon'],
    paint: { 'fill-color': colour, 'fill-opacity': 0.25 },
  },
  {
    id: 'rows-line',
    type: 'line',
    filter: ['!=', ['geometry-type'], 'Point'],
    paint: { 'line-color': colour, 'line-width': 1.6 },
  },
  {
    id: 'rows-dot',
    type: 'circle',
    filter: ['==', ['geometry-type'], 'Point'],
    paint: dotPaint(colour, 5),
  },
];
if (map)
  map.on('load', () => {
    map.addSource('rows', { type: 'geojson', data: setup.rows });
    const rowLayers = layers(tones(isNight()).mark);
    for (const layer of rowLayers) map.addLayer({ ...layer, source: 'rows' });
    map.on('click', ({ point }) => {
      const [shape] = map.queryRenderedFeatures(point, { layers: rowLayers.map(({ id }) => id) });
      if (shape?.properties.row) location.hash = `row-${shape.properties.row}`;
    });
    map.on('idle', () => {
      container.dataset.idle = 'yes';
    });
  });
