import { timeText } from '../../contract/answers/time_text.ts';
import type { Measure } from '../../contract/map/measures.ts';
import { CHANGE_KINDS } from '../../store/journal/between.ts';
import { html, type Markup } from '../html.ts';
import { dataFor, type Page } from '../page.ts';
import { type ChangedMeasure, ESTIMATE_CHANGE } from './differences.ts';
import type { DrawnLayer } from './drawn_layers.ts';

export interface PublicationOption {
  publication_id: number;
  published_at: string;
}

/** Settings of the map page. */
export interface MapSetup {
  /** Publication shown. Null: nothing is published. */
  publication: number | null;
  /** Earlier publication to compare with. Null: none. */
  since: number | null;
  /** Readable publications, newest first. */
  choices: readonly PublicationOption[];
  /** Box around everything served. Null: nothing is served. */
  box: readonly number[] | null;
  /** Position where the map has most to show. Null: nothing has coordinates. */
  opening: readonly [lon: number, lat: number] | null;
  layers: readonly DrawnLayer[];
  measures: readonly (Measure | ChangedMeasure)[];
}

/** Layers that are visible at first. */
const SHOWN: ReadonlySet<string> = new Set(['SAL', 'park_water', 'street', 'parcel', 'address', 'zone']);
/** Layers whose shapes come from the loaded records, which may be newer than the publication. */
const LOADED: ReadonlySet<string> = new Set(['zone', 'overlay', 'park_water']);

const total = (counts: NonNullable<DrawnLayer['counts']>): number =>
  CHANGE_KINDS.reduce((sum, became) => sum + counts[became], 0);
const isShown = ({ name, counts }: DrawnLayer): boolean =>
  counts === undefined ? SHOWN.has(name) : total(counts) > 0;

const SIGNS = { added: '+', removed: '−', changed: '~' } as const;

/** Shows the number of added, removed and changed features of a layer. */
function differs({ counts, isFirst }: DrawnLayer): Markup {
  if (isFirst) return html` <span class="counts">first rows</span>`;
  if (counts === undefined) return html``;
  if (total(counts) === 0) return html` <span class="counts">the same</span>`;
  const parts = CHANGE_KINDS.filter((became) => counts[became] > 0).map(
    (became) =>
      html`<span class="${became}" title="${became}">${SIGNS[became]}${counts[became].toLocaleString('en-AU')}</span> `,
  );
  return html` <span class="counts">${parts}</span>`;
}

function group(name: string, layers: readonly DrawnLayer[]): Markup {
  const rows = layers.map(
    (
      layer,
    ) => html`<li data-layer="${layer.name}"><label><input type="checkbox" name="layer" value="${layer.name}"${isShown(layer) ? html` checked` : ''}>
${layer.counts === undefined ? html`<span class="swatch" data-swatch="${layer.name}"></span>` : ''}${layer.title}${LOADED.has(layer.name) ? html` <span class="note">as loaded</span>` : ''}${differs(layer)}</label></li>`,
  );
  return html`<fieldset><legend>${name}</legend><ul class="layers">${rows}</ul></fieldset>`;
}

const MEASURE_GROUPS = [
  ['Estimates', (name: string) => name === ESTIMATE_CHANGE.name],
  ['Changed rows', (name: string) => name.startsWith('changed_rows:')],
  ['Market', (name: string) => !/^(share_at_risk:|coverage:|changed_rows:|estimate_change)/.test(name)],
  ['Share at risk', (name: string) => name.startsWith('share_at_risk:')],
  ['Coverage of a field', (name: string) => name.startsWith('coverage:')],
] as const;

const isChanged = (measure: Measure | ChangedMeasure): measure is ChangedMeasure => 'rows' in measure;

/** Lists the tables that differ, most rows first; each links to its rows by suburb. */
function changedTables({ measures, publication, since }: MapSetup): Markup {
  const changed = measures.filter(isChanged);
  if (changed.length === 0) return html`<p>No table of properties or suburbs differs.</p>`;
  const rows = changed.map(({ name, title, rows }) => {
    const href = `/map?${new URLSearchParams({ publication: String(publication), since: String(since), measure: name })}`;
    return html`<li><a href="${href}">${title.replace('Changed rows of ', '')}</a>, ${rows.toLocaleString('en-AU')} ${rows === 1 ? 'row' : 'rows'}</li>`;
  });
  return html`<p>Changed since publication ${since}, most rows first:</p><ul class="changes">${rows}</ul>`;
}

function measureList({ measures, since }: MapSetup): Markup {
  // A difference opens on how the estimates changed, else on the table with most changes.
  const opening = since === null ? null : (measures[0]?.name ?? null);
  const groups = MEASURE_GROUPS.map(([label, belongs]) => {
    const groupMeasures = measures.filter(({ name }) => belongs(name));
    if (groupMeasures.length === 0) return html``;
    const isRise = since !== null && !['Changed rows', 'Estimates'].includes(label);
    return html`<optgroup label="${isRise ? `Rise of: ${label}` : label}">${groupMeasures.map(({ name, title }) => html`<option value="${name}"${name === opening ? html` selected` : ''}>${title}</option>`)}</optgroup>`;
  });
  return html`<select id="measure" name="measure"><option value="">nothing</option>${groups}</select>`;
}

/** Form to choose the publication and the one to compare with. */
function publicationForm({ publication, since, choices }: MapSetup): Markup {
  const option = ({ publication_id, published_at }: PublicationOption, chosen: number | null): Markup =>
    html`<option value="${publication_id}"${publication_id === chosen ? html` selected` : ''}>${publication_id} of ${timeText(published_at)}</option>`;
  const before = choices.filter(({ publication_id }) => publication_id < (publication ?? 0));
  return html`<form id="when" action="/map"><label for="publication">Publication</label>
<select id="publication" name="publication">${choices.map((choice) => option(choice, publication))}</select>
<label for="since">What differs from</label>
<select id="since" name="since"><option value="">no comparison</option>${before.map((choice) => option(choice, since))}</select></form>`;
}

const LEGEND = html`<ul class="became"><li><span class="swatch added-mark"></span>+ added</li><li><span class="swatch removed-mark"></span>− removed</li><li><span class="swatch changed-mark"></span>~ changed</li></ul>`;

/** Notes about the state that is shown. */
function aboutState(setup: MapSetup): Markup {
  const { since, publication, choices } = setup;
  if (since !== null)
    return html`${changedTables(setup)}${LEGEND}<p class="note">Features whose published row is another one than in publication ${since}; far out, circles of how many in a cell of 0.05°. Zones and overlays have no history.</p>`;
  if (publication !== (choices[0]?.publication_id ?? null))
    return html`<p class="note">As it was published then, by the journal. Zones, overlays and the error of the valuation have no history and are not in the list.</p>`;
  return html``;
}

const titleOf = ({ publication, since }: MapSetup): string =>
  since === null
    ? `Map of publication ${publication ?? '(none)'}`
    : `Publication ${publication} against ${since}`;

/** Renders the map of the served publication, an earlier one, or a difference. */
export function mapPage(setup: MapSetup): Page {
  const groups = [...new Set(setup.layers.map((layer) => layer.group))];
  return {
    title: titleOf(setup),
    at: '/map',
    full: true,
    modules: ['map_page.mjs'],
    styles: ['maplibre-gl.css', 'map.css'],
    body: html`<div class="mapped"><section id="map" class="map" aria-label="${titleOf(setup)}"></section>
<details id="legend" class="legend" open><summary>Legend</summary><div id="classes" aria-live="polite"></div><ul id="keys"></ul></details>
<div class="panel"><h1>${titleOf(setup)}</h1>
<p id="says" class="says" role="status">The map is loading.</p>
<p class="asked"><button id="look" type="button">Identify at centre</button>${setup.box === null ? '' : html`<button id="whole" type="button">Zoom to all data</button>`}</p>
<fieldset><legend>Colour of suburbs</legend><label for="measure">Suburbs by</label> ${measureList(setup)}</fieldset>
${groups.map((name) =>
  group(
    name,
    setup.layers.filter((layer) => layer.group === name),
  ),
)}
<p><label for="opacity">Opacity of areas</label> <input id="opacity" type="range" min="10" max="100" step="5" value="100"></p>
${setup.choices.length > 0 ? publicationForm(setup) : ''}${aboutState(setup)}
<p class="note">GDA2020. Shapes are simplified to what the screen shows. Click on a parcel or an address for the property; arrow keys move the map, + and − change its scale.</p></div></div>
${dataFor('setup', setup)}`,
  };
}
