import type { RunFigures } from '../../pipelines/views/run_history.ts';
import { linePlot } from '../charts.ts';
import { card, FIRST_STEPS, html, type Markup, nothing } from '../html.ts';
import type { Page } from '../page.ts';

const FIGURES: readonly [string, (run: RunFigures) => number | null][] = [
  ['Seconds', ({ seconds }) => Number(seconds.toFixed(1))],
  ['Rows that stages wrote', ({ rows_written }) => rows_written],
  ['Rows served after a publication', ({ rows_served }) => (rows_served > 0 ? rows_served : null)],
  ['Rejected rows', ({ rejects }) => rejects],
  ['Peak memory, MB', ({ peak_memory_mb }) => peak_memory_mb],
  ['Size of the database, MB', ({ database_mb }) => database_mb],
];
/** Minimum and maximum runs of a plot. */
const LEAST = 2;
export const PLOTTED_RUNS_MAX = 30;

function plotOf([title, of]: (typeof FIGURES)[number], runs: readonly RunFigures[]): Markup | '' {
  const runsWithValue = runs.filter((run) => of(run) !== null);
  if (runsWithValue.length < LEAST) return '';
  const points = runsWithValue.map((run) => ({ name: `run ${run.run_id}`, value: of(run)! })).reverse();
  return card(title, linePlot(title, points));
}

/** Renders durations, rows and sizes of the last runs, oldest first. `runs`: newest first. */
export const metricsPage = (runs: readonly RunFigures[]): Page => ({
  title: 'Metrics',
  at: '/metrics/plots',
  body: html`<h1>Metrics</h1><p>The last <a href="/runs">runs</a>, at most ${PLOTTED_RUNS_MAX}. Prometheus reads more at <a href="/metrics">/metrics</a>, probes read <a href="/healthz">/healthz</a>.</p>
${
  runs.length < LEAST
    ? nothing(`Plots need ${LEAST} finished runs.`, FIRST_STEPS)
    : html`<div class="cards" style="--card:22rem">${FIGURES.map((figure) => plotOf(figure, runs))}</div>`
}`,
});
