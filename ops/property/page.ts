import { addressTitleCase } from '../../contract/answers/title_case.ts';
import type { Explanation } from '../../pipelines/explain/explain.ts';
import { html, type Markup, section } from '../html.ts';
import { lateMark, TOPICS } from '../late.ts';
import { layersAt } from '../map/drawn_layers.ts';
import { dataFor, type Page } from '../page.ts';
import { factStrip, surroundings } from './cards.ts';
import { servedFields } from './fields.ts';
import { planningSection } from './planning.ts';
import { comparableTable, eventTable, neighbourTable, origins, payloads } from './sections.ts';
import { comparisonPlot, headline } from './value_card.ts';
import { type PropertyView, path, positionOf, text, words } from './view.ts';

/** Map of a property at [lon, lat]. Null: it has no coordinates. */
function mapOf(at: readonly number[] | null): Markup {
  if (at === null) return html`<p>It has no coordinates, so there is no map of it.</p>`;
  return html`<div id="map" class="map own-map" role="region" aria-label="Map of the property"></div>
`;
}

const layersOf = (at: readonly number[] | null): Markup =>
  at === null
    ? html``
    : html`<details><summary>Layers of the map</summary><a href="/map?layers=SAL,parcel,address,zone#at=17.5/${at[1]}/${at[0]}">Whole map</a><div id="switches" class="asked" role="group" aria-label="Layers of the map"></div></details>`;

/** Folds a section that few readers need. */
const foldedSection = (id: string, title: string, note: string, body: Markup): Markup =>
  html`<details class="fold" id="${id}"><summary><h2>${title}</h2> ${note}</summary>${body}</details>`;

/** Renders the page of a served property. */
export function propertyPage(view: PropertyView): Page {
  const { explanation, comparables, around, hazards } = view;
  const pid = explanation.gnaf_pid;
  const property = explanation.serving.property![0]!;
  const at = positionOf(property);
  const shapes = around?.geojson ?? null;
  const notes = explanation.notes.join(' ');
  return {
    title: addressTitleCase(text(property.address)),
    at: '/property/',
    modules: ['property_page.mjs'],
    styles: ['maplibre-gl.css', 'map.css'],
    body: html`<h1>${addressTitleCase(text(property.address))}</h1><p class="note"><code>${pid}</code>, ${property.parcel_id === null ? 'no parcel' : html`parcel <code>${property.parcel_id}</code> by ${words(property.parcel_method)}`}, publication ${view.publication ?? ''}. ${view.isCandidate ? notes : ''} <a href="${path(pid, 'report')}">Report of two pages</a> <a href="${path(pid, 'changes')}">What changed</a></p>
<div class="split"><div>${headline(view)}</div><div>${mapOf(at)}</div></div>${factStrip(view)}${view.isCandidate || notes === '' ? '' : html`<p class="note">${notes}${view.hasCandidate ? html` <a href="?candidate">Candidate</a>` : ''}</p>`}${layersOf(at)}
${section('hazards', 'Planning and hazards', planningSection(view))}
${section('comparables', 'Comparable sales', html`${lateMark(view, TOPICS.market)}${comparisonPlot(view)}${comparableTable(comparables)}`)}
${section('events', 'Sales and listings', html`${lateMark(view, TOPICS.market)}${eventTable(explanation)}`)}
${surroundings(view)}
${section('neighbours', 'Neighbours', html`${lateMark(view, TOPICS.neighbours)}${neighbourTable(around)}`)}
${foldedSection('origins', 'Where it came from', 'records, files and stages', origins(explanation))}
${foldedSection('fields', 'Every served field', 'a name leads to its source, its history and why it was computed', servedFields(pid, explanation.serving))}
${foldedSection('payloads', 'Payloads', 'what the service answers', payloads(pid))}${dataFor('setup', { layers: layersAt(view.isCandidate ? { publication: view.publication!, since: null } : null), box: null, at, shapes, comparables, hazards })}`,
  };
}

/** Renders why an id is not served. */
export const notServedPage = ({ gnaf_pid, outcome, notes }: Explanation): Page => ({
  title: `${gnaf_pid}: ${outcome}`,
  at: '/property/',
  body: html`<h1>${gnaf_pid}: <span class="fail">${outcome}</span></h1>${notes.map((note) => html`<p>${note}</p>`)}`,
});
