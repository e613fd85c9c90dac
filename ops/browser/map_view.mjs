import { Map as GlMap, NavigationControl, Popup, ScaleControl, setWorkerUrl } from '/static/maplibre-gl.mjs';
import { isNight, styleOf } from './map_style.mjs';

setWorkerUrl(`${location.origin}/static/maplibre-gl-worker.mjs`);

/** Data that the page carries. */
export const dataOf = (id) => JSON.parse(document.getElementById(id).textContent);

/** An element with text and children; nothing is ever read as markup. */
export function el(tag, props = {}, ...children) {
  const node = Object.assign(document.createElement(tag), props);
  node.append(...children);
  return node;
}

/** Australia, where nothing else says where to look. */
const EVERYWHERE = [
  [112, -44],
  [154, -10],
];

/** Makes the map of a page. Null: this browser cannot draw it, and the page says so. */
export function openMap(container, setup, where = {}) {
  try {
    const map = new GlMap({
      container,
      style: styleOf(setup, isNight()),
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
    map.touchZoomRotate.disableRotation();
    map.keyboard.disableRotation();
    map.addControl(new NavigationControl({ showCompass: false }), 'top-left');
    map.addControl(new ScaleControl({ unit: 'metric' }), 'bottom-left');
    return map;
  } catch (error) {
    container.replaceChildren(
      el('p', { className: 'broken', textContent: `The map cannot be drawn here: ${error.message}` }),
    );
    return null;
  }
}

/** Shows or hides the layers of a source. */
export function show(map, name, visible) {
  for (const { id, source } of map.getStyle().layers)
    if (source === name) map.setLayoutProperty(id, 'visibility', visible ? 'visible' : 'none');
}

/** Properties that say what a shape is, in the order in which they are read. */
const TOLD = [
  'became',
  'rows',
  'parcel_id',
  'address',
  'name',
  'label',
  'code',
  'value',
  'layer',
  'category',
  'mode',
  'level',
  'sector',
  'severity',
];

/** What of the layers that are shown lies at a point of the screen, by layer, each once. */
function shapesAt(map, point, titles) {
  const seen = new Set();
  const lines = [];
  for (const feature of map.queryRenderedFeatures(point)) {
    const title = titles.get(feature.source);
    if (!title || feature.sourceLayer === 'left_out' || ['parcel', 'address'].includes(feature.source))
      continue;
    const told = TOLD.map((key) => feature.properties[key]).filter((value) => value !== undefined);
    const text = [...new Set(told)].join(', ');
    const line = `${title}: ${text}${feature.properties.is_assessed === false ? ' (not assessed)' : ''}`;
    if (!seen.has(line)) lines.push(line);
    seen.add(line);
  }
  return lines.slice(0, 20);
}

/** Opens what lies at a place: the parcel, its properties, and the shapes of the layers that are shown. */
export async function openAt(map, lngLat, setup, focus) {
  const titles = new Map(setup.layers.map(({ name, title }) => [name, title]));
  const point = map.project(lngLat);
  const shapes = shapesAt(map, [point.x, point.y], titles);
  const asOf = setup.publication ? `&publication=${setup.publication}` : '';
  const place = `lon=${lngLat.lng.toFixed(7)}&lat=${lngLat.lat.toFixed(7)}`;
  const response = await fetch(`/map/at?${place}${asOf}`);
  const found = await response.json();
  const body = el('div');
  if (!response.ok) body.append(el('p', { className: 'fail', textContent: found.message }));
  else if (found.parcel_id === null) body.append(el('p', { textContent: 'No parcel lies here.' }));
  else {
    body.append(el('strong', { textContent: `Parcel ${found.parcel_id}` }));
    const items = found.properties.map(({ gnaf_pid, address }) =>
      el('li', {}, el('a', { href: `/property/${encodeURIComponent(gnaf_pid)}`, textContent: address })),
    );
    if (items.length > 0) body.append(el('ul', {}, ...items));
    else body.append(el('p', { textContent: 'No property has it.' }));
    const more = found.count - found.properties.length;
    if (more > 0) body.append(el('p', { textContent: `and ${more.toLocaleString('en-AU')} more` }));
  }
  if (shapes.length > 0) body.append(el('ul', {}, ...shapes.map((text) => el('li', { textContent: text }))));
  const popup = new Popup({ maxWidth: '19rem', focusAfterOpen: focus, closeOnClick: true });
  popup.setLngLat(lngLat).setDOMContent(body).addTo(map);
  popup.getElement().addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return;
    popup.remove();
    map.getCanvas().focus();
  });
  return found;
}
