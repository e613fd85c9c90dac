import type { FastifyInstance } from 'fastify';
import { servedBox } from '../../contract/map/found_at.ts';
import type { Backend } from '../../jobs/backend.ts';
import { readQueueState } from '../../jobs/queue_state.ts';
import { readDatasets } from '../../pipelines/views/dataset_view.ts';
import { headlineCounts } from '../../pipelines/views/headline.ts';
import { health } from '../../pipelines/views/health.ts';
import { listRuns } from '../../pipelines/views/status.ts';
import type { Config } from '../../schema/config.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { heldCandidate } from '../../store/journal/candidate.ts';
import { latestPublication } from '../../store/journal/journal.ts';
import { mayOf, whyNoActions } from '../forms.ts';
import type { ReadRunner } from '../map/tiles.ts';
import { sendConsole } from '../page.ts';
import { overviewPage } from './page.ts';

/** Maximum runs searched for the first of those that failed one after the other. */
const SEARCHED = 50;

/** The first page. */
export function addOverview(
  app: FastifyInstance,
  db: Serving,
  runRead: ReadRunner,
  backend: Backend | null,
  config: Config,
): void {
  const why = whyNoActions(config, backend);
  app.get('/', async (request, reply) => {
    const box = await servedBox(db);
    const page = await runRead(async (client) =>
      overviewPage({
        health: await health(client, config.ops.fresh_h),
        publication: await latestPublication(client),
        counts: await headlineCounts(client),
        ...(await readDatasets(client, config)),
        runs: await listRuns(client, SEARCHED),
        candidate: (await heldCandidate(client))?.run_id ?? null,
        may: mayOf(why, request, reply),
        queue: await readQueueState(client, backend?.queue ?? null, config.queue),
        box,
        now: Date.now(),
      }),
    );
    return sendConsole(reply, page);
  });
}
