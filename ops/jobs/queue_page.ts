import { html } from '../html.ts';
import type { Page } from '../page.ts';

/** Renders the queue board, framed in the console. */
export const queuePage = (board: string): Page => ({
  title: 'Queue',
  at: '/queue',
  full: true,
  body: html`<h1 class="unseen">Queue</h1><iframe src="${board}" title="Queues with their jobs"></iframe>`,
});
