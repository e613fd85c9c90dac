import { isNight, keyOf, tones } from './map_style.mjs';
import { dataOf, el, openAt, openMap, show } from './map_view.mjs';
import { colourBy } from './measure.mjs';

const setup = dataOf('setup');
const says = document.getElementById('says');
const measure = document.getElementById('measure');
const classes = document.getElementById('classes');
const boxes = [...document.querySelectorAll('input[name=layer]')];
const night = isNight();
const land = { fill: tones(night).land, dot: tones(night).line };

/** What the address of the page says: layers and the measure, so that a view can be linked to. */
const asked = new URLSearchParams(location.search);
if (asked.has('layers')) {
  const wanted = new Set(asked.get('layers').split(','));
  for (const box of boxes) box.checked = wanted.has(box.value);
}
if ([...measure.options].some(({ value }) => value === asked.get('measure')))
  measure.value = asked.get('measure');

function remember() {
  const params = new URLSearchParams({
    layers: boxes
      .filter(({ checked }) => checked)
      .map(({ value }) => value)
      .join(','),
  });
  if (measure.value) params.set('measure', measure.value);
  for (const name of ['publication', 'since']) if (asked.get(name)) params.set(name, asked.get(name));
  history.replaceState(null, '', `?${params}${location.hash}`);
}

/** Another publication is another page, with the same place and measure; its layers are its own. */
document.getElementById('when')?.addEventListener('change', ({ target }) => {
  const { publication, since } = target.form;
  const params = new URLSearchParams({ publication: publication.value });
  if (Number(since.value) > 0 && Number(since.value) < Number(publication.value))
    params.set('since', since.value);
  if (measure.value) params.set('measure', measure.value);
  location.assign(`?${params}${location.hash}`);
});

/** Draws the key of each layer beside its name. */
for (const span of document.querySelectorAll('[data-swatch]')) {
  const { fill, line, dot, parts } = keyOf(span.dataset.swatch, night);
  if (fill) span.style.background = fill;
  if (line) span.style.borderColor = line;
  if (dot) span.classList.add('dot');
  if (!parts) continue;
  const keys = Object.entries(parts).map(([word, colour]) => {
    const swatch = el('span', { className: dot ? 'swatch dot' : 'swatch' });
    swatch.style.background = colour;
    return el('li', {}, swatch, word.replaceAll('_', ' '));
  });
  const list = el('ul', { className: 'keys', hidden: true }, ...keys);
  span.closest('li').append(list);
}

const map = openMap(document.getElementById('map'), setup, { hash: 'at' });

/** Says what cannot be seen: layers that need a larger scale, shapes that were left out, tiles that failed. */
let failure = '';
function tell() {
  const zoom = map.getZoom();
  const far = [];
  for (const { name, title, min_zoom } of setup.layers) {
    const row = document.querySelector(`li[data-layer="${name}"]`);
    const isFar = zoom < min_zoom;
    row.classList.toggle('far', isFar);
    row.querySelector('label').dataset.from = `from zoom ${min_zoom}`;
    if (isFar && row.querySelector('input').checked) far.push(title.toLowerCase());
  }
  const left = new Map();
  for (const { name, title } of setup.layers)
    for (const feature of map.getSource(name)
      ? map.querySourceFeatures(name, { sourceLayer: 'left_out' })
      : [])
      left.set(`${title} ${JSON.stringify(feature.geometry.coordinates[0][0])}`, [
        title,
        feature.properties.left_out,
      ]);
  const counts = new Map();
  for (const [title, n] of left.values()) counts.set(title, (counts.get(title) ?? 0) + n);
  const parts = [
    failure,
    far.length > 0 ? `Zoom in for ${far.join(', ')}.` : '',
    ...[...counts].map(
      ([title, n]) => `${n.toLocaleString('en-AU')} of ${title.toLowerCase()} are left out here: zoom in.`,
    ),
  ].filter(Boolean);
  says.textContent =
    parts.length > 0 ? parts.join(' ') : `Everything that is switched on is drawn. Zoom ${zoom.toFixed(1)}.`;
  says.classList.toggle('fail', failure !== '');
}

async function colour() {
  const own = setup.measures.find(({ name }) => name === measure.value) ?? { name: '', unit: 'count' };
  try {
    await colourBy(map, own, classes, land, setup);
  } catch (error) {
    failure = `The colours cannot be drawn: ${error.message}`;
  }
}

if (map) {
  map.on('error', ({ error }) => {
    failure = `A part of the map failed: ${error.message}`;
    tell();
  });
  map.on('load', async () => {
    for (const box of boxes) {
      const keys = box.closest('li').querySelector('.keys');
      const set = () => {
        show(map, box.value, box.checked);
        if (keys) keys.hidden = !box.checked;
      };
      set();
      box.addEventListener('change', () => {
        set();
        remember();
      });
    }
    measure.addEventListener('change', async () => {
      await colour();
      remember();
    });
    if (measure.value) await colour();
    map.on('idle', () => {
      tell();
      document.getElementById('map').dataset.idle = 'yes';
    });
    map.on('movestart', () => {
      document.getElementById('map').dataset.idle = 'no';
    });
    map.on('click', (event) => openAt(map, event.lngLat, setup, true));
    document
      .getElementById('look')
      .addEventListener('click', () => openAt(map, map.getCenter(), setup, true));
  });
} else says.textContent = 'The map cannot be drawn in this browser.';
