import type { AvmExplanation } from '../../pipelines/explain/explain_avm.ts';
import type { ValueHistory } from '../../pipelines/explain/value_history.ts';
import { html, htmlTable, moment } from '../html.ts';
import type { Page } from '../page.ts';
import { valueText } from './fields.ts';
import { contributions } from './valuation_view.ts';
import { propertyLink } from './view.ts';

/** Renders the origin and history of a served value. */
export function whyPage(history: ValueHistory): Page {
  const { gnaf_pid, table, field, computed } = history;
  const values = Object.entries(history.values).map(([key, value]) => [key, valueText(value)]);
  const sources = history.sources.map((each) => [
    each.what,
    each.key,
    each.dataset,
    each.release,
    each.place,
  ]);
  const changes = history.changes.map((each) => [
    String(each.publication_id),
    moment(each.published_at),
    each.kind,
    each.change,
    html`${valueText(each.before)} → ${valueText(each.after)}`,
    each.releases.join(', '),
    each.because.join('; '),
  ]);
  return {
    title: `${table}.${field} of ${gnaf_pid}`,
    at: '/property/',
    body: html`<h1>${table}.${field}</h1><p>of ${propertyLink(gnaf_pid, gnaf_pid)}, as of publication ${history.as_of}</p>
<h2>Value</h2>${htmlTable(['row', 'value'], values)}
<h2>Read from</h2>${sources.length > 0 ? htmlTable(['what', 'key', 'dataset', 'release', 'place in the file'], sources) : html`<p>No single record: it is counted or valued from many.</p>`}
<h2>Computed by</h2>${computed ? html`<p>${computed.stage}, version ${computed.version}, in run <a href="/runs/${computed.run_id}">${computed.run_id}</a> at ${moment(computed.computed_at)}, because: ${computed.reason}.</p>` : html`<p>Nothing is known of its computation.</p>`}
<h2>History</h2>${changes.length > 0 ? htmlTable(['publication', 'published', 'kind', 'change', 'from and to', 'rebuilt from', 'because'], changes) : html`<p>It has not changed.</p>`}
${history.known_from === null ? '' : html`<p class="note">Row changes are kept back to publication ${history.known_from}.</p>`}`,
  };
}

/** Renders how the value and the rent of a property are computed. */
export const valuationPage = (explained: AvmExplanation, address: string): Page => ({
  title: `Why this value: ${address}`,
  at: '/property/',
  body: html`<h1>Why this value</h1><p>of ${propertyLink(explained.gnaf_pid, address)}, computed again from the stored model, which matches the published value exactly</p>${contributions(explained)}`,
});
