import { html, htmlTable, type Markup } from '../html.ts';
import type { Page } from '../page.ts';
import { propertyLink, type SearchSuggestion } from './view.ts';

const list = (places: readonly SearchSuggestion[], head: readonly string[]): Markup =>
  htmlTable(
    head,
    places.map(({ href, text, note }) => [html`<a href="${href}">${text}</a>`, note]),
  );

/** Renders the candidates of a text that matches no single property. */
export function foundPage(text: string, places: readonly SearchSuggestion[]): Page {
  const [suburbs, streets, properties] = ['suburb', 'street', 'property'].map((kind) =>
    places.filter((each) => each.kind === kind),
  ) as [SearchSuggestion[], SearchSuggestion[], SearchSuggestion[]];
  const says =
    places.length === 0
      ? html`<p>No suburb, street or address is like “${text}”. An address needs a number, its street and its suburb, such as <i>12 Smith Street Fitzroy</i>; the <a href="/map">map</a> opens what one clicks.</p>`
      : html`<p>Results for “${text}”</p>`;
  return {
    title: 'Find a property',
    at: '/property',
    body: html`<h1>Find a property</h1>${says}
${properties.length > 0 ? html`<h2>Properties</h2>${list(properties, ['address', 'G-NAF id'])}` : ''}${streets.length > 0 ? html`<h2>Streets</h2>${list(streets, ['street', ''])}` : ''}${suburbs.length > 0 ? html`<h2>Suburbs</h2><p class="note">A suburb opens on the map, where a click on a parcel leads to its properties.</p>${list(suburbs, ['suburb', 'has'])}` : ''}`,
  };
}

/** Renders the search page without a query: how to search, and an example property of each state. */
export function askPage(samples: readonly { state: string; sal: string; gnaf_pid: string }[]): Page {
  const rows = samples.map(({ state, sal, gnaf_pid }) => [state, sal, propertyLink(gnaf_pid, gnaf_pid)]);
  return {
    title: 'Find a property',
    at: '/property',
    body: html`<h1>Find a property</h1><p>Enter an address, suburb or G-NAF id above, or click a parcel on the <a href="/map">map</a>.</p>
${rows.length > 0 ? html`<h2>One of each state</h2>${htmlTable(['state', 'suburb', 'property'], rows)}` : ''}`,
  };
}
