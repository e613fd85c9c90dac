import type { TimelineSpan } from '../../pipelines/report/timeline.ts';
import type { RunProgress } from '../../pipelines/views/run_history.ts';
import { html, htmlTable, type Markup, moment } from '../html.ts';
import type { Page } from '../page.ts';

/** Answer to the browser's polling. */
export interface LiveProgress {
  state: string;
  seconds: number;
  /** Markup of the changing part of the page. */
  body: string;
}

const share = ({ done, total }: TimelineSpan): Markup =>
  html`<progress max="${Math.max(1, total)}" value="${Math.min(done, Math.max(1, total))}"></progress> ${done.toLocaleString('en-AU')} of ${total.toLocaleString('en-AU')}`;

const tableOf = (pieces: readonly TimelineSpan[], seconds: number): Markup =>
  htmlTable(
    ['what', 'done', 'rows', 'rows/s', 'since'],
    pieces.map((piece) => {
      const took = Math.max(0.001, (piece.to_s ?? seconds) - piece.from_s);
      return [piece.name, share(piece), piece.rows, Math.round(piece.rows / took), `${took.toFixed(0)} s`];
    }),
  );

const phaseTable = (phases: readonly TimelineSpan[], seconds: number): Markup =>
  htmlTable(
    ['phase', 'done', 'took'],
    phases.map((phase) => [
      phase.name,
      share(phase),
      `${((phase.to_s ?? seconds) - phase.from_s).toFixed(0)} s`,
    ]),
  );

/** Shows the progress of a run: phases, current work, finished work. */
function progressBody({ line, seconds, pieces }: RunProgress): Markup {
  const open = pieces.filter(({ to_s, isPhase }) => to_s === null && !isPhase);
  const phases = pieces.filter(({ isPhase }) => isPhase);
  const ended = pieces.filter(({ to_s, isPhase }) => to_s !== null && !isPhase).reverse();
  const began = html`<p>${line.command}, began ${moment(line.started_at)}, ${seconds.toFixed(0)} s ago.</p>`;
  if (pieces.length === 0)
    return html`${began}<p class="note">It has not said yet what it does: it says so every two seconds.</p>`;
  return html`${began}<h2>Phases</h2>${phaseTable(phases, seconds)}
<h2>In hand</h2>${open.length > 0 ? tableOf(open, seconds) : html`<p>Nothing at the moment.</p>`}
<details><summary>done: ${ended.length}</summary>${tableOf(ended, seconds)}</details>`;
}

export const liveProgress = (progress: RunProgress): LiveProgress => ({
  state: progress.line.state,
  seconds: progress.seconds,
  body: progressBody(progress).text,
});

/** Renders the page of a running run, which updates itself until the run ends. */
export function progressPage(progress: RunProgress): Page {
  const { run_id, state } = progress.line;
  return {
    title: `run ${run_id}: ${state}`,
    at: '/runs/',
    modules: ['run_page.mjs'],
    body: html`<h1>run ${run_id}: <span id="state">${state}</span></h1><p id="lost" class="fail" hidden>The console does not answer; what stands here is what it said last.</p><div id="progress" data-run="${run_id}" aria-live="off">${progressBody(progress)}</div>`,
  };
}
