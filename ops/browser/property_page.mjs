import { isNight, tones } from './map_style.mjs';
import { dataOf, el, openAt, openMap, show } from './map_view.mjs';

/** Payloads are fetched when they are opened. */
for (const details of document.querySelectorAll('details[data-payload]')) {
  const load = async () => {
    const pre = details.querySelector('pre');
    try {
      const response = await fetch(details.dataset.payload);
      pre.textContent = JSON.stringify(await response.json(), null, 2);
    } catch (error) {
      pre.textContent = `The payload cannot be read: ${error.message}`;
    }
  };
  details.addEventListener('toggle', () => details.open && load(), { once: true });
}

const SALE = '#e8590c';
const HAZARD = '#c2255c';
const collection = (features) => ({ type: 'FeatureCollection', features });
const point = (coordinates, properties) => ({
  type: 'Feature',
  properties,
  geometry: { type: 'Point', coordinates },
});
const line = (coordinates, properties) => ({
  type: 'Feature',
  properties,
  geometry: { type: 'LineString', coordinates },
});

/** What of the property is drawn over the layers of the map. */
function drawProperty(map, { at, shapes, comparables, hazards }, tone) {
  const placed = comparables.filter((each) => each.at !== null);
  map.addSource('own', { type: 'geojson', data: shapes ?? collection([]) });
  map.addSource('sales', {
    type: 'geojson',
    data: collection([
      ...placed.map((each) => line([at, each.at], {})),
      ...placed.map((each) => point(each.at, { pid: each.gnaf_pid, text: `${each.rank}` })),
    ]),
  });
  map.addSource('hazard-lines', {
    type: 'geojson',
    data: collection(hazards.map(({ line: ends, name }) => line(ends, { text: name }))),
  });
  map.addSource('here', { type: 'geojson', data: point(at, {}) });
  const isPoint = ['==', ['geometry-type'], 'Point'];
  const isLine = ['==', ['geometry-type'], 'LineString'];
  const layers = [
    {
      id: 'own-fill',
      source: 'own',
      type: 'fill',
      paint: {
        'fill-color': ['case', ['get', 'is_subject'], tone.mark, '#4dabf7'],
        'fill-opacity': ['case', ['get', 'is_subject'], 0.4, 0.25],
      },
    },
    {
      id: 'own-line',
      source: 'own',
      type: 'line',
      paint: {
        'line-color': ['case', ['get', 'is_subject'], tone.mark, '#4dabf7'],
        'line-width': ['case', ['get', 'is_subject'], 2.5, 1.2],
      },
    },
    {
      id: 'sales-line',
      source: 'sales',
      type: 'line',
      filter: isLine,
      paint: { 'line-color': SALE, 'line-width': 1.2, 'line-opacity': 0.7 },
    },
    {
      id: 'hazard-line',
      source: 'hazard-lines',
      type: 'line',
      paint: { 'line-color': HAZARD, 'line-width': 2, 'line-dasharray': [2, 2] },
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
    {
      id: 'sales-dot',
      source: 'sales',
      type: 'circle',
      filter: isPoint,
      paint: {
        'circle-color': SALE,
        'circle-radius': 8,
        'circle-stroke-color': '#ffffff',
        'circle-stroke-width': 1.2,
      },
    },
    {
      id: 'sales-text',
      source: 'sales',
      type: 'symbol',
      filter: isPoint,
      layout: {
        'text-field': ['get', 'text'],
        'text-font': ['sans-serif'],
        'text-size': 10,
        'text-allow-overlap': true,
      },
      paint: { 'text-color': '#ffffff' },
    },
    {
      id: 'here-dot',
      source: 'here',
      type: 'circle',
      paint: {
        'circle-color': tone.mark,
        'circle-radius': 6,
        'circle-stroke-color': '#ffffff',
        'circle-stroke-width': 2,
      },
    },
  ];
  for (const layer of layers) map.addLayer(layer);
}

/** Around the property, its neighbours and its comparables within a kilometre or so. */
function boundsOf({ at, shapes, comparables }) {
  const near = comparables
    .map((each) => each.at)
    .filter((place) => place && Math.hypot(place[0] - at[0], place[1] - at[1]) < 0.01);
  const all = [
    at,
    ...near,
    ...(shapes?.features ?? []).flatMap(({ geometry }) => geometry.coordinates.flat(2)),
  ];
  const xs = all.map(([x]) => x);
  const ys = all.map(([, y]) => y);
  return [
    [Math.min(...xs), Math.min(...ys)],
    [Math.max(...xs), Math.max(...ys)],
  ];
}

const container = document.getElementById('map');
if (container) {
  const setup = dataOf('setup');
  const map = openMap(container, setup, {
    bounds: boundsOf(setup),
    // The page scrolls, not the map.
    cooperativeGestures: true,
    fitBoundsOptions: { padding: 45, maxZoom: 18 },
  });
  if (map) {
    map.on('error', ({ error }) =>
      container.before(
        el('p', { className: 'fail', textContent: `A part of the map failed: ${error.message}` }),
      ),
    );
    map.on('load', () => {
      const hazards = new Set(setup.hazards.map(({ layer }) => layer));
      for (const { name } of setup.layers)
        if (['SAL', 'parcel', 'address'].includes(name) || hazards.has(name)) show(map, name, true);
      drawProperty(map, setup, tones(isNight()));
      map.on('click', (event) => openAt(map, event.lngLat, setup, true));
      map.on('idle', () => {
        container.dataset.idle = 'yes';
      });
    });
  }
}
