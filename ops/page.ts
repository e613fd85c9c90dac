import type { FastifyReply } from 'fastify';
import { html, Markup } from './html.ts';
import { STYLE } from './look/style.ts';
import { assetPath } from './static.ts';

/** A page to send or save. */
export interface Page {
  title: string;
  body: Markup;
  /** Path in the console, for its navigation. Absent: the page is a file and links to nothing. */
  at?: string | undefined;
  /** Modules and style sheets that the page loads, by file name. A saved page has none: no script runs in it. */
  modules?: readonly string[];
  styles?: readonly string[];
  /** True if the page fills the window. */
  full?: boolean;
}

/** The menu: what runs, what is published, and what an operator does. */
const PLACES = [
  [
    ['/', 'Overview'],
    ['/runs', 'Runs'],
    ['/datasets', 'Datasets'],
    ['/lineage', 'Lineage'],
    ['/metrics/plots', 'Metrics'],
  ],
  [
    ['/map', 'Map'],
    ['/property', 'Property'],
    ['/tables', 'Tables'],
    ['/accuracy', 'Accuracy'],
  ],
  [
    ['/operate', 'Operate'],
    ['/jobs', 'Jobs'],
    ['/queue', 'Queue'],
  ],
] as const;

const navigation = (at: string): Markup => {
  const link = ([path, name]: readonly [string, string]): Markup => {
    if (path === at) return html`<a href="${path}" aria-current="page">${name}</a>`;
    const isBelow = path !== '/' && at.startsWith(`${path}/`);
    return html`<a href="${path}"${isBelow ? html` aria-current="true"` : ''}>${name}</a>`;
  };
  const links = PLACES.map((group) => html`<span class="menu">${group.map(link)}</span>`);
  return html`<a class="skip" href="#main">Skip to the content</a><header class="top"><a class="name" href="/">Property data pipeline</a>
<nav aria-label="Console">${links}</nav>
<div class="find"><form action="/property" role="search"><input id="find" name="q" type="search" aria-label="Address, suburb or G-NAF id" placeholder="Address or suburb" autocomplete="off" maxlength="400" required> <button>Find</button></form><ul id="found" aria-label="Suggestions" aria-live="polite"></ul></div></header>`;
};

/** Content security policies: a page without scripts, and a page with modules of the console. */
const STILL =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; base-uri 'none'";
const MOVING =
  "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; form-action 'self'; base-uri 'none'";

const policyOf = ({ at }: Page): string => (at === undefined ? STILL : MOVING);

/** Module of the search field, on every page of the console. */
const FIND = 'find.mjs';

/** Modules of a page with a map, preloaded together. */
const WITH_MAP = ['maplibre-gl.mjs', 'dom.mjs', 'map_view.mjs', 'map_style.mjs', 'map_colours.mjs'];
const preloads = (styles: readonly string[]): Markup[] =>
  styles.includes('maplibre-gl.css')
    ? WITH_MAP.map((name) => html`<link rel="modulepreload" href="${assetPath(name)}">`)
    : [];

/** Renders a page. A saved page loads nothing from elsewhere. */
export function render(page: Page): string {
  const { title, body, at, styles = [], full = false } = page;
  const modules = at === undefined ? [] : [FIND, ...(page.modules ?? [])];
  return `<!doctype html>\n${
    html`<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policyOf(page)}">
<title>${title}</title>${at === undefined ? '' : html`<link rel="icon" href="data:,">`}${preloads(styles)}${styles.map((name) => html`<link rel="stylesheet" href="${assetPath(name)}">`)}<style>${new Markup(STYLE)}</style>${modules.map(
      (name) => html`<script type="module" src="${assetPath(name)}"></script>`,
    )}</head><body>${at === undefined ? '' : navigation(at)}<main id="main"${full ? html` class="full"` : ''}>${body}</main></body></html>`
      .text
  }\n`;
}

/** Embeds data for a module, which reads them by the id. Escaped, so that they cannot end the element. */
export const dataFor = (id: string, data: unknown): Markup =>
  new Markup(
    `<script type="application/json" id="${id}">${JSON.stringify(data).replaceAll(/[<\u202a-\u202e\u2066-\u2069]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)}</script>`,
  );

export const sendConsole = (reply: FastifyReply, page: Page): FastifyReply =>
  reply
    .header('content-security-policy', `${policyOf(page)}; frame-ancestors 'none'`)
    .type('text/html; charset=utf-8')
    .send(render(page));
