import { html } from './html.ts';
import type { Page } from './page.ts';

/** What a browser shows where a page cannot be: `status` is that of HTTP, `code` that of an error. */
export const errorPage = (status: number, code: string, message: string): Page => ({
  title: status === 404 ? 'Not here' : 'No answer',
  at: '/error',
  body: html`<h1>${status === 404 ? 'That is not here' : 'This page has no answer now'}</h1><p>${message}</p><p class="note"><code>${code}</code>, status ${status}. <a href="/">What is served</a></p>`,
});
