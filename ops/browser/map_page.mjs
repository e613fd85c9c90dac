import { dataOf } from './dom.mjs';
import { drawLegend, swatch } from './map_legend.mjs';
import { isNight, legendKey, tones } from './map_style.mjs';
import { openAt, openMap, show } from './map_view.mjs';
import { colourBy } from './measure.mjs';

const setup = dataOf('setup');
const says = document.getElementById('says');
const measure = document.getElementById('measure');
const classes = document.getElementById('classes');
const boxes = [...document.querySelectorAll('input[name=layer]')];
const opacity = document.getElementById('opacity');
const night = isNight();
const drawn = () => boxes.filter(({ checked }) => checked).map(({ value }) => value);
const land = { fill: tones(night).land, dot: tones(night).line };

/** Layers and measure in the URL, so that a view can be linked to. */
const requested = new URLSearchParams(location.search);
if (requested.has('layers')) {
  const requestedLayers = new Set(requested.get('layers').split(','));
  for (const box of boxes) box.checked = requestedLayers.has(box.value);
}
if ([...measure.options].some(({ value }) => value === requested.get('measure')))
  measure.value = requested.get('measure');
if (/^[1-9][0-9]$/.test(requested.get('opacity'))) opacity.value = requested.get('opacity');

function remember() {
  const params = new URLSearchParams({ layers: drawn().join(',') });
  if (opacity.value !== '100') params.set('opacity', opacity.value);
  if (measure.value) params.set('measure', measure.value);
  for (const name of ['publication', 'since']) if (requested.get(name)) params.set(name, requested.get(name));
  history.replaceState(null, '', `?${params}${location.hash}`);
}

/** Opens the chosen publication's page with the same place and measure. */
document.getElementById('when')?.addEventListener('change', ({ target }) => {
  const { publication, since } = target.form;
  const params = new URLSearchParams({ publication: publication.value });
  if (Number(since.value) > 0 && Number(since.value) < Number(publication.value))
    params.set('since', since.value);
  if (measure.value) params.set('measure', measure.value);
  location.assign(`?${params}${location.hash}`);
});

for (const span of document.querySelectorAll('[data-swatch]'))
  span.replaceWith(swatch(legendKey(span.dataset.swatch, night)));

/** Without a place in the link, opens where the map has most to show, or at all of it if suburbs are compared. */
const { opening } = setup;
const firstView = opening && !measure.value ? { bounds: undefined, center: opening, zoom: 16 } : {};
const map = openMap(document.getElementById('map'), setup, drawn(), { hash: 'at', ...firstView });

/** Reports what is not visible: layers that need a larger scale, shapes left out, tiles that failed. */
let failure = '';
function showNotes() {
  const zoom = map.getZoom();
  const far = [];
  for (const { name, title, min_zoom } of setup.layers) {
    const row = document.querySelector(`li[data-layer="${name}"]`);
    const isFar = zoom < min_zoom;
    row.classList.toggle('far', isFar);
    row.querySelector('label').dataset.from = `from zoom ${min_zoom}`;
    if (isFar && row.querySelector('input').checked) far.push(title.toLowerCase());
  }
  const missingByTile = new Map();
  for (const { name, title } of setup.layers)
    for (const feature of map.getSource(name)
      ? map.querySourceFeatures(name, { sourceLayer: 'left_out' })
      : [])
      missingByTile.set(`${title} ${JSON.stringify(feature.geometry.coordinates[0][0])}`, [
        title,
        feature.properties.left_out,
      ]);
  const counts = new Map();
  for (const [title, n] of missingByTile.values()) counts.set(title, (counts.get(title) ?? 0) + n);
  const parts = [
    failure,
    far.length > 0 ? `Zoom in for ${far.join(', ')}.` : '',
    ...[...counts].map(
      ([title, n]) => `${n.toLocaleString('en-AU')} ${title.toLowerCase()} not shown: zoom in.`,
    ),
  ].filter(Boolean);
  says.textContent =
    parts.length > 0 ? parts.join(' ') : `All selected layers are shown. Zoom ${zoom.toFixed(1)}.`;
  says.classList.toggle('fail', failure !== '');
}

/** Applies the chosen opacity of areas, on the map and in the legend. */
const strengths = new Map();
function fade() {
  const share = Number(opacity.value) / 100;
  for (const { id, type, source, paint } of map.getStyle().layers) {
    if (type !== 'fill' || ['SAL', 'states'].includes(source)) continue;
    if (!strengths.has(id)) strengths.set(id, paint['fill-opacity'] ?? 1);
    map.setPaintProperty(id, 'fill-opacity', ['*', share, strengths.get(id)]);
  }
  document.getElementById('legend').style.setProperty('--strength', share);
}

let choice = new AbortController();
async function colour() {
  choice.abort();
  choice = new AbortController();
  const { signal } = choice;
  const chosenMeasure = setup.measures.find(({ name }) => name === measure.value) ?? {
    name: '',
    unit: 'count',
  };
  try {
    await colourBy(map, chosenMeasure, { ...setup, legend: classes, land, signal });
  } catch (error) {
    if (signal.aborted) return;
    classes.replaceChildren();
    failure = `The colours cannot be drawn: ${error.message}`;
  }
}

/** Zoom at which several suburbs are in view. */
const SUBURBS_ZOOM = 11;

/** Shows the suburbs that a measure colours: switches off areas drawn over them, and zooms out to several suburbs. */
function uncover() {
  const fills = new Set(
    map
      .getStyle()
      .layers.filter(({ type, source }) => type === 'fill' && !['SAL', 'states'].includes(source))
      .map(({ source }) => source),
  );
  for (const box of boxes) {
    const isWanted = box.value === 'SAL' || (box.checked && !fills.has(box.value));
    if (isWanted === box.checked) continue;
    box.checked = isWanted;
    show(map, box.value, isWanted);
  }
  if (map.getZoom() > SUBURBS_ZOOM) map.jumpTo({ zoom: SUBURBS_ZOOM });
}

if (map) {
  map.on('error', ({ error }) => {
    failure = `A part of the map failed: ${error.message}`;
    showNotes();
  });
  const drawFirst = ({ tile }) => {
    if (!tile) return;
    map.off('sourcedata', drawFirst);
    map.once('render', () => performance.mark('map'));
  };
  map.on('sourcedata', drawFirst);
  map.on('load', async () => {
    for (const box of boxes)
      box.addEventListener('change', () => {
        show(map, box.value, box.checked);
        remember();
      });
    if (opacity.value !== '100') fade();
    opacity.addEventListener('input', fade);
    opacity.addEventListener('change', remember);
    measure.addEventListener('change', async () => {
      if (measure.value) uncover();
      remember();
      await colour();
    });
    if (measure.value) await colour();
    map.on('idle', () => {
      showNotes();
      const visible = new Set(drawn());
      drawLegend(
        document.getElementById('keys'),
        map,
        setup.layers.filter(({ name }) => visible.has(name)),
        night,
      );
      document.getElementById('map').dataset.idle = 'yes';
    });
    map.on('movestart', () => {
      document.getElementById('map').dataset.idle = 'no';
    });
    map.on('click', (event) => openAt(map, event.lngLat, setup, true));
    document.getElementById('whole')?.addEventListener('click', () => {
      const [west, south, east, north] = setup.box;
      map.fitBounds([west, south, east, north], { padding: 30, animate: false });
    });
    document
      .getElementById('look')
      .addEventListener('click', () => openAt(map, map.getCenter(), setup, true));
  });
} else says.textContent = 'The map cannot be drawn in this browser.';
