import type { Measure } from '../../contract/map/measures.ts';
import { html, type Markup } from '../html.ts';
import { dataFor, type Page } from '../page.ts';
import type { Layer } from './layers.ts';

/** What the map page is told. */
export interface MapSetup {
  publication: number | null;
  /** Around everything that is served; null: nothing is. */
  box: readonly number[] | null;
  layers: readonly Layer[];
  measures: readonly Measure[];
}

/** Layers that are shown at first. */
const SHOWN: ReadonlySet<string> = new Set(['SAL', 'parcel', 'address']);
/** Shapes of these are of the records that are loaded, which may be newer than what is published. */
const LOADED: ReadonlySet<string> = new Set(['zone', 'overlay']);

function group(name: string, layers: readonly Layer[]): Markup {
  const rows = layers.map(
    (
      layer,
    ) => html`<li data-layer="${layer.name}"><label><input type="checkbox" name="layer" value="${layer.name}"${SHOWN.has(layer.name) ? html` checked` : ''}>
<span class="swatch" data-swatch="${layer.name}"></span>${layer.title}${LOADED.has(layer.name) ? html` <span class="note">as loaded</span>` : ''}</label></li>`,
  );
  return html`<fieldset><legend>${name}</legend><ul class="layers">${rows}</ul></fieldset>`;
}

const MEASURE_GROUPS = [
  ['Market', (name: string) => !name.startsWith('share_at_risk:') && !name.startsWith('coverage:')],
  ['Share at risk', (name: string) => name.startsWith('share_at_risk:')],
  ['Coverage of a field', (name: string) => name.startsWith('coverage:')],
] as const;

function measureList(measures: readonly Measure[]): Markup {
  const groups = MEASURE_GROUPS.map(([label, belongs]) => {
    const own = measures.filter(({ name }) => belongs(name));
    if (own.length === 0) return html``;
    return html`<optgroup label="${label}">${own.map(({ name, title }) => html`<option value="${name}">${title}</option>`)}</optgroup>`;
  });
  return html`<select id="measure" name="measure"><option value="">nothing</option>${groups}</select>`;
}

/** The map of what is published. */
export function mapPage(setup: MapSetup): Page {
  const groups = [...new Set(setup.layers.map((layer) => layer.group))];
  return {
    title: 'Map',
    at: '/map',
    full: true,
    modules: ['map_page.mjs'],
    styles: ['maplibre-gl.css', 'map.css'],
    body: html`<div class="mapped"><section id="map" class="map" aria-label="Map of what is published"></section>
<div class="panel"><h1>Map of publication ${setup.publication ?? '(none)'}</h1>
<p id="says" class="says" role="status">The map is loading.</p>
<p><button id="look" type="button">What is at the middle?</button></p>
<fieldset><legend>Colour of suburbs</legend><label for="measure">Suburbs by</label> ${measureList(setup.measures)}
<div id="classes" class="classes" aria-live="polite"></div></fieldset>
${groups.map((name) =>
  group(
    name,
    setup.layers.filter((layer) => layer.group === name),
  ),
)}
<p class="note">GDA2020. Shapes are simplified to what the screen shows. Click on a parcel or an address for the property; arrow keys move the map, + and − change its scale.</p></div></div>
${dataFor('setup', setup)}`,
  };
}
