import { swatch } from './map_legend.mjs';
import { isNight, legendKey, tones } from './map_style.mjs';
import { dataOf, element, openAt, openMap, show } from './map_view.mjs';

/** Fetches a payload when its section is opened. */
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

/** Draws the property over the layers of the map. */
function drawProperty(map, { at, shapes, comparables, hazards }, tone) {
  const locatedSales = comparables.filter((each) => each.at !== null);
  map.addSource('own', { type: 'geojson', data: shapes ?? collection([]) });
  map.addSource('sales', {
    type: 'geojson',
    data: collection([
      ...locatedSales.map((each) => point(each.at, { pid: each.gnaf_pid, text: `${each.rank}` })),
    ]),
  });
  map.addSource('hazard-lines', {
    type: 'geojson',
    data: collection(hazards.map(({ line: ends, name }) => line(ends, { text: name }))),
  });
  map.addSource('here', { type: 'geojson', data: point(at, {}) });
  const layers = [
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
        'fill-color': ['case', ['get', 'is_subject'], tone.mark, '#4dabf7'],
        'fill-opacity': ['case', ['get', 'is_subject'], 0.3, 0.12],
      },
    },
    {
      id: 'own-line',
      source: 'own',
      type: 'line',
      // The property's outline is drawn over its neighbours'.
      layout: { 'line-sort-key': ['case', ['get', 'is_subject'], 1, 0] },
      paint: {
        'line-color': ['case', ['get', 'is_subject'], tone.mark, '#4dabf7'],
        'line-width': ['case', ['get', 'is_subject'], 2.5, 1.2],
      },
    },
    {
      id: 'hazard-line',
      source: 'hazard-lines',
      type: 'line',
      paint: { 'line-color': HAZARD, 'line-width': 1.2, 'line-dasharray': [3, 3] },
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

/** Half the width of the initial view, metres, and metres in a degree of latitude. */
const REACH_M = 75;
const DEGREE_M = 111_320;

const boundsOf = (positions) => {
  const xs = positions.map(([x]) => x);
  const ys = positions.map(([, y]) => y);
  return [
    [Math.min(...xs), Math.min(...ys)],
    [Math.max(...xs), Math.max(...ys)],
  ];
};

/** Positions of the corners of the initial view, about 150 m wide, and of the parcel. */
function firstView({ at: [x, y], shapes }) {
  const ownShapes = (shapes?.features ?? []).filter(({ properties }) => properties.is_subject);
  const high = REACH_M / DEGREE_M;
  const wide = high / Math.cos((y * Math.PI) / 180);
  const corners = [
    [x - wide, y - high],
    [x + wide, y + high],
  ];
  return [...corners, ...ownShapes.flatMap(({ geometry }) => geometry.coordinates.flat(2))];
}

/** Layers with a switch, in addition to the hazards near the property, which are hidden at first. */
const SWITCHED = ['zone', 'overlay', 'parcel', 'address', 'street', 'place', 'stop', 'school'];
/** Layers that are visible at first: a plain map. */
const VISIBLE = ['SAL', 'park_water', 'street', 'parcel', 'address'];

/** Adds a switch for each layer, and a button that shows all comparable sales. */
function addSwitches(box, map, setup, shown) {
  const near = new Set(setup.hazards.map(({ layer }) => layer));
  const drawn = setup.layers.filter(({ name }) => SWITCHED.includes(name) || near.has(name));
  const drawnHere = [
    ...(near.size > 0
      ? [{ name: 'hazard-lines', title: 'Nearest hazards', key: { fill: HAZARD, dot: true } }]
      : []),
    { name: 'sales', title: 'Comparable sales', key: { fill: SALE, dot: true } },
  ];
  const switches = [...drawn, ...drawnHere].map(({ name, title, key = legendKey(name, isNight()) }) => {
    const input = element('input', { type: 'checkbox', checked: shown.includes(name) });
    show(map, name, input.checked);
    input.addEventListener('change', () => show(map, name, input.checked));
    return element('label', {}, input, ' ', swatch(key), ` ${title}`);
  });
  const salePositions = setup.comparables.flatMap(({ at }) => (at === null ? [] : [at]));
  const button = element('button', { type: 'button', textContent: 'Zoom to comparable sales' });
  button.addEventListener('click', () => {
    const input = switches.at(-1).querySelector('input');
    if (!input.checked) input.click();
    map.fitBounds(boundsOf([setup.at, ...salePositions]), { padding: 40, maxZoom: 19 });
  });
  box.append(...switches, ...(salePositions.length > 0 ? [button] : []));
}

/** Replaces the drawing by a picture of it, which prints on every printer at the scale it was drawn at. */
function freeze(map) {
  const canvas = map.getCanvas();
  const picture = new Image(canvas.clientWidth, canvas.clientHeight);
  picture.alt = '';
  picture.src = canvas.toDataURL();
  canvas.replaceWith(picture);
}

const container = document.getElementById('map');
if (container) {
  const setup = dataOf('setup');
  const sales = setup.isReport ? setup.comparables.flatMap(({ at }) => (at === null ? [] : [at])) : [];
  const map = openMap(container, setup, VISIBLE, {
    bounds: boundsOf([...firstView(setup), ...sales]),
    // Scrolling moves the page, not the map.
    cooperativeGestures: !setup.isReport,
    interactive: !setup.isReport,
    canvasContextAttributes: { preserveDrawingBuffer: Boolean(setup.isReport) },
    fitBoundsOptions: { padding: setup.isReport ? 24 : 10, maxZoom: 19 },
  });
  if (map) {
    map.on('error', ({ error }) =>
      container.before(
        element('p', { className: 'fail', textContent: `A part of the map failed: ${error.message}` }),
      ),
    );
    map.on('load', () => {
      drawProperty(map, setup, tones(isNight()));
      if (setup.isReport) show(map, 'hazard-lines', false);
      else {
        addSwitches(document.getElementById('switches'), map, setup, VISIBLE);
        map.on('click', (event) => openAt(map, event.lngLat, setup, true));
      }
      map.on('idle', () => {
        if (setup.isReport && container.dataset.idle !== 'yes') freeze(map);
        container.dataset.idle = 'yes';
      });
    });
  }
}
