import { dataOf, element } from './dom.mjs';
import { swatch } from './map_legend.mjs';
import { isNight, legendKey, tones } from './map_style.mjs';
import { openAt, openMap, show } from './map_view.mjs';
import { drawProperty, HAZARD_COLOUR, SALE_COLOUR } from './property_layers.mjs';

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
      ? [{ name: 'hazard-lines', title: 'Nearest hazards', key: { fill: HAZARD_COLOUR, dot: true } }]
      : []),
    { name: 'sales', title: 'Comparable sales', key: { fill: SALE_COLOUR, dot: true } },
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
