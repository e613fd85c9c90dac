import { html, htmlTable, type Markup } from '../html.ts';
import type { Page } from '../page.ts';

/** A property that a text may mean. */
export interface Candidate {
  gnaf_pid: string;
  address: string;
  score: number;
  rule: string;
}

const link = (pid: string, text: string): Markup =>
  html`<a href="/property/${encodeURIComponent(pid)}">${text}</a>`;

/** What an address text may mean, where it means no property for certain. */
export function foundPage(text: string, status: string, candidates: readonly Candidate[]): Page {
  const rows = candidates.map(({ gnaf_pid, address, score, rule }) => [
    link(gnaf_pid, address),
    html`<code>${gnaf_pid}</code>`,
    score,
    rule,
  ]);
  const says =
    candidates.length === 0
      ? html`<p class="fail">No property is like “${text}”. Write number, street and suburb, or a G-NAF id.</p>`
      : html`<p>“${text}” is ${status === 'ambiguous' ? 'ambiguous' : 'not certain'}. It may mean:</p>${htmlTable(['address', 'G-NAF id', 'score', 'rule'], rows)}`;
  return { title: 'Find a property', at: '/property', body: html`<h1>Find a property</h1>${says}` };
}

/** Where nothing is asked for: how to ask, and a property of each state to begin with. */
export function askPage(samples: readonly { state: string; sal: string; gnaf_pid: string }[]): Page {
  const rows = samples.map(({ state, sal, gnaf_pid }) => [state, sal, link(gnaf_pid, gnaf_pid)]);
  return {
    title: 'Find a property',
    at: '/property',
    body: html`<h1>Find a property</h1><p>Write an address, or a G-NAF id, into the field above; or click on a parcel of the <a href="/map">map</a>.</p>
${rows.length > 0 ? html`<h2>One of each state</h2>${htmlTable(['state', 'suburb', 'property'], rows)}` : ''}`,
  };
}

export { link as propertyLink };
