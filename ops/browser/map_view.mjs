import { element } from './dom.mjs';
import { hatched, hatching, isNight, styleOf } from './map_style.mjs';
import { Map as GlMap, NavigationControl, Popup, ScaleControl, setWorkerUrl } from './maplibre-gl.mjs';

setWorkerUrl(new URL('./maplibre-gl-worker.mjs', import.meta.url).href);

/** Australia: the initial view without a place. */
const EVERYWHERE = [
  [112, -44],
  [154, -10],
];

/** Creates the map of a page with the layers in `shown`. Null: this browser cannot draw it, and the page says so. */
export function openMap(container, setup, shown, where = {}) {
  try {
    const map = new GlMap({
      container,
      style: styleOf(setup, isNight(), new Set(shown)),
      bounds: setup.box
        ? [
            [setup.box[0], setup.box[1]],
            [setup.box[2], setup.box[3]],
          ]
        : EVERYWHERE,
      fitBoundsOptions: { padding: 30, maxZoom: 15 },
      maxZoom: 20,
      minZoom: 2,
      attributionControl: false,
      dragRotate: false,
      pitchWithRotate: false,
      maxPitch: 0,
      ...where,
    });
    map.once('style.load', () => {
      for (const { name, key } of hatched(setup.layers, isNight())) {
        const canvas = hatching(key);
        map.addImage(name, canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height));
      }
    });
    map.touchZoomRotate.disableRotation();
    map.keyboard.disableRotation();
    map.addControl(new NavigationControl({ showCompass: false }), 'top-left');
    map.addControl(new ScaleControl({ unit: 'metric' }), 'bottom-left');
    return map;
  } catch (error) {
    container.replaceChildren(
      element('p', { className: 'broken', textContent: `The map cannot be drawn here: ${error.message}` }),
    );
    return null;
  }
}

/** Shows or hides the layers of a source. */
export function show(map, name, visible) {
  for (const { id, source } of map.getStyle().layers)
    if (source === name) map.setLayoutProperty(id, 'visibility', visible ? 'visible' : 'none');
}

/** Properties that describe a shape: the first of each row that it has. */
const SHOWN_PROPERTIES = [
  ['became'],
  ['rows'],
  ['name', 'code', 'category', 'value'],
  ['mode', 'level', 'severity'],
  ['sector'],
];
/** Layers without a description of their own: the parcel's description or the drawing covers them. */
const SILENT_LAYERS = new Set(['parcel', 'address', 'zone', 'street', 'park_water', 'states']);

/** Finds the shapes of visible layers at a point of the screen, by layer, each once. */
function shapesAt(map, point, titles) {
  const lines = new Set();
  for (const { source, sourceLayer, properties } of map.queryRenderedFeatures(point)) {
    const title = titles.get(source);
    if (!title || sourceLayer === 'left_out' || SILENT_LAYERS.has(source)) continue;
    const values = SHOWN_PROPERTIES.map((keys) =>
      keys.map((key) => properties[key]).find((value) => value !== undefined),
    );
    const text = [...new Set(values.filter((value) => value !== undefined))].join(', ').replaceAll('_', ' ');
    const name = title === 'Suburbs' ? 'Suburb' : title;
    lines.add(`${name}: ${text}${properties.is_assessed === false ? ' (not assessed)' : ''}`);
  }
  return [...lines].slice(0, 20);
}

const shownDollars = ({ value, is_uncertain }) =>
  `${is_uncertain ? 'about ' : ''}$${value.toLocaleString('en-AU')}`;
const chips = (texts) =>
  element('ul', { className: 'chips' }, ...texts.map((textContent) => element('li', { textContent })));

/** Shows value, land and zone of a parcel. If it has several properties, lists their values. */
function chipsOf({ properties: [first, ...others] }) {
  const { estimate, land_area_sqm: land, zone } = first;
  return [
    estimate && others.length === 0 ? `Value ${shownDollars(estimate)}` : '',
    land == null ? '' : `Land ${Math.round(land).toLocaleString('en-AU')} m²`,
    zone == null ? '' : `Zone ${zone}`,
  ].filter(Boolean);
}

/** Opens the details of a place: parcel, properties, and shapes of the visible layers. */
export async function openAt(map, lngLat, setup, focus) {
  const titles = new Map(setup.layers.map(({ name, title }) => [name, title]));
  const point = map.project(lngLat);
  const shapes = shapesAt(map, [point.x, point.y], titles);
  const asOf = setup.publication ? `&publication=${setup.publication}` : '';
  const position = `lon=${lngLat.lng.toFixed(7)}&lat=${lngLat.lat.toFixed(7)}`;
  const response = await fetch(`/map/at?${position}${asOf}`);
  const answer = await response.json();
  const body = element('div');
  if (!response.ok) body.append(element('p', { className: 'fail', textContent: answer.message }));
  else if (answer.parcel_id === null) body.append(element('p', { textContent: 'No parcel lies here.' }));
  else {
    const [first, ...others] = answer.properties;
    const link = ({ gnaf_pid, address }) =>
      element('a', { href: `/property/${encodeURIComponent(gnaf_pid)}`, textContent: address });
    if (first && others.length === 0) body.append(element('strong', {}, link(first)));
    else
      body.append(
        element('strong', { textContent: first ? `${answer.count} properties` : 'No property is here' }),
      );
    if (first) body.append(chips(chipsOf(answer)));
    if (others.length > 0) {
      const items = answer.properties.map((each) =>
        element('li', {}, link(each), each.estimate ? ` ${shownDollars(each.estimate)}` : ''),
      );
      body.append(element('ul', {}, ...items));
    }
    body.append(element('p', { className: 'note', textContent: `Parcel ${answer.parcel_id}` }));
    const hiddenCount = answer.count - answer.properties.length;
    if (hiddenCount > 0)
      body.append(element('p', { textContent: `and ${hiddenCount.toLocaleString('en-AU')} more` }));
  }
  if (shapes.length > 0) body.append(chips(shapes));
  const popup = new Popup({ maxWidth: '19rem', focusAfterOpen: focus, closeOnClick: true });
  popup.setLngLat(lngLat).setDOMContent(body).addTo(map);
  popup.getElement().addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return;
    popup.remove();
    map.getCanvas().focus();
  });
  return answer;
}
