import type { LineageGraph, LineageNode } from '../../pipelines/views/lineage_graph.ts';
import { html, htmlTable, Markup } from '../html.ts';
import type { Page } from '../page.ts';
import { LINEAGE_STYLE, lineageHref, lineagePicture } from './picture.ts';

const KINDS = [
  ['dataset', 'Datasets'],
  ['record', 'Records'],
  ['stage', 'Stages and the tables that they make'],
] as const;

const list = (title: string, nodes: readonly LineageNode[], none: string): Markup => {
  if (nodes.length === 0) return html`<h2>${title}</h2><p>${none}</p>`;
  const rows = nodes.map(({ id, name, detail, doc, rows }) => [
    html`<a href="${lineageHref(id)}">${name}</a>`,
    detail,
    rows ?? '',
    doc,
  ]);
  return html`<h2>${title}</h2>${htmlTable(['name', 'table', 'rows', 'what it is'], rows)}`;
};

const choice = (nodes: LineageGraph, id: string): Markup => {
  const options = (kind: LineageNode['kind']): Markup[] =>
    [...nodes.values()]
      .filter((node) => node.kind === kind)
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(
        (node) =>
          html`<option value="${node.id}"${node.id === id ? html` selected` : ''}>${node.name}</option>`,
      );
  const groups = KINDS.map(([kind, title]) => html`<optgroup label="${title}">${options(kind)}</optgroup>`);
  return html`<form action="/lineage"><label>Of <select name="of">${groups}</select></label> <button>Show</button></form>`;
};

/** Renders the inputs and users of one dataset, table or stage, as a picture and as lists. */
export function lineagePage(nodes: LineageGraph, id: string): Page {
  const node = nodes.get(id)!;
  const these = (ids: readonly string[]): LineageNode[] => ids.map((each) => nodes.get(each)!);
  const dataset =
    node.kind === 'dataset'
      ? html`<p><a href="/datasets/${encodeURIComponent(node.name)}">All that is known of the dataset</a></p>`
      : '';
  return {
    title: `Lineage of ${node.name}`,
    at: '/lineage',
    modules: ['lineage_page.mjs'],
    body: html`<style>${new Markup(LINEAGE_STYLE)}</style><h1>Lineage of ${node.name}</h1>${choice(nodes, id)}
<p>${node.doc} <span class="note">${node.detail}${node.rows === null ? '' : `, ${node.rows.toLocaleString('en-AU')} rows`}</span></p>${dataset}
${lineagePicture(nodes, id)}
<p class="note">From left to right, two steps to either side. Every box leads to its own picture.</p>
${list('Inputs', these(node.reads), 'The releases of a publisher.')}${list('Used by', these(node.readBy), 'Nothing: it is served.')}`,
  };
}
