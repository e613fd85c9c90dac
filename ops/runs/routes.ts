import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import type { Backend } from '../../jobs/backend.ts';
import { undecidedRun } from '../../jobs/operator/operate_view.ts';
import { summariseChanges } from '../../pipelines/views/change_summary.ts';
import { readDetail } from '../../pipelines/views/run_detail.ts';
import { runHistory, runProgress } from '../../pipelines/views/run_history.ts';
import { readRun } from '../../pipelines/views/run_reports.ts';
import { listRuns } from '../../pipelines/views/status.ts';
import type { Config } from '../../schema/config.ts';
import { EtlError } from '../../schema/errors.ts';
import { listPublications, readPublication } from '../../store/journal/journal.ts';
import { changeSentence } from '../changes/sentence.ts';
import { mayOf, whyNoActions } from '../forms.ts';
import { html, type Markup } from '../html.ts';
import type { ReadRunner } from '../map/tiles.ts';
import { sendConsole } from '../page.ts';
import { reportOf } from '../report_page.ts';
import { decisionPart } from './decision.ts';
import { runsPage } from './list_page.ts';
import { metricsPage, PLOTTED_RUNS_MAX } from './metrics_page.ts';
import { liveProgress, progressPage } from './progress_page.ts';

/** Maximum runs and publications in the list. */
const LISTED = 200;

const numberOf = (run: string): number => {
  if (!/^[0-9]{1,9}$/.test(run)) throw new EtlError('config_invalid', 'A run is a number.');
  return Number(run);
};

/** Renders in a sentence what a run published changed. `id`: its publication; null: none. */
async function publishedPart(client: pg.ClientBase, id: number | null): Promise<Markup> {
  if (id === null) return html``;
  const summary = await summariseChanges(client, { after: id - 1, upTo: id }, { pid: null, suburb: null });
  return html`<p>${changeSentence(await readPublication(client, id), summary)}</p>`;
}

/** Adds the list of runs, the report of a finished run, the progress of a running one, and plots of the last runs. */
export function addRuns(
  app: FastifyInstance,
  runRead: ReadRunner,
  backend: Backend | null,
  config: Config,
): void {
  const why = whyNoActions(config, backend);
  app.get('/runs', async (_request, reply) => {
    const page = await runRead(async (client) =>
      runsPage(await listRuns(client, LISTED), await listPublications(client, LISTED), Date.now()),
    );
    return sendConsole(reply, page);
  });
  app.get('/metrics/plots', async (_request, reply) =>
    sendConsole(reply, metricsPage(await runRead((client) => runHistory(client, PLOTTED_RUNS_MAX)))),
  );
  app.get<{ Params: { run: string } }>('/runs/:run', async (request, reply) => {
    const run = numberOf(request.params.run);
    const may = mayOf(why, request, reply);
    const page = await runRead(async (client) => {
      const progress = await runProgress(client, run);
      if (progress?.line.state === 'running') return progressPage(progress);
      const { line, report } = await readRun(client, run);
      // A run that was killed leaves only its last progress.
      const pieces = progress?.pieces ?? [];
      const shownReport =
        report.timeline || pieces.length === 0 ? report : { ...report, timeline: { pieces, threads: [] } };
      const undecided = await undecidedRun(client, config, run);
      const detail = await readDetail(client, report.publication);
      const first =
        undecided === null ? await publishedPart(client, line.publication) : decisionPart(may, undecided);
      return { ...reportOf(shownReport, detail, line, first), at: '/runs/', modules: ['operate_page.mjs'] };
    });
    return sendConsole(reply, page);
  });
  app.get<{ Params: { run: string } }>('/runs/:run/progress', async (request, reply) => {
    const run = numberOf(request.params.run);
    const progress = await runRead((client) => runProgress(client, run));
    if (progress === null) throw new EtlError('config_invalid', `There is no run ${run}.`);
    return reply.send(liveProgress(progress));
  });
}
