import type { RunFigures } from '../../pipelines/views/run_history.ts';
import { bars } from '../charts.ts';
import { html, Markup } from '../html.ts';

const FIGURES: readonly [string, (run: RunFigures) => number | null][] = [
  ['Seconds', ({ seconds }) => Number(seconds.toFixed(1))],
  ['Rows that stages wrote', ({ rows_written }) => rows_written],
  ['Rows served after a publication', ({ rows_served }) => (rows_served > 0 ? rows_served : null)],
  ['Rejects', ({ rejects }) => rejects],
  ['Peak memory, MB', ({ peak_memory_mb }) => peak_memory_mb],
  ['Size of the database, MB', ({ database_mb }) => database_mb],
];

/** Plots durations, rows and sizes of the last runs. */
export function historyCharts(runs: readonly RunFigures[]): Markup {
  if (runs.length < 2) return new Markup('');
  const plots = FIGURES.map(([title, of]) => {
    const known = runs.filter((run) => of(run) !== null);
    if (known.length === 0) return '';
    return bars({
      title: `${title}, the last ${known.length} runs`,
      names: known.map(({ run_id }) => `run ${run_id}`),
      series: [{ name: title, values: known.map((run) => of(run)!) }],
    });
  });
  return html`<h2 id="history">History</h2>${plots.map((plot, i) => (plot === '' ? '' : html`<details${i === 0 ? html` open` : ''}><summary>${FIGURES[i]![0]}</summary>${plot}</details>`))}`;
}
