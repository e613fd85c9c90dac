import { html } from '../html.ts';
import type { Page } from '../page.ts';

/** The board of the queues at a path, within the console. */
export const queuePage = (board: string): Page => ({
  title: 'Queue',
  at: '/queue',
  full: true,
  body: html`<h1 class="unseen">Queue</h1><iframe src="${board}" title="Queues with their jobs"></iframe>`,
});
