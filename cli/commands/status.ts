import { openQueueState } from '../../jobs/queue_state.ts';
import { readDatasets } from '../../pipelines/views/dataset_view.ts';
import { listRuns, status } from '../../pipelines/views/status.ts';
import { ADAPTERS } from '../../sources/index.ts';
import { listPublications } from '../../store/journal/journal.ts';
import { statusText } from '../render_brief.ts';
import { renderPublications, renderRuns } from '../render_journal.ts';
import { renderSources, renderSourcesBriefly, type SourcesReport } from '../render_sources.ts';
import { wholeFlag } from '../whole_flag.ts';
import { type InspectFlags, inspect } from './inspect.ts';
import { queueText } from './jobs.ts';

type StatusFlags = InspectFlags & {
  datasets?: boolean;
  publications?: boolean;
  runs?: boolean;
  limit: string;
};

/** Lists each loaded dataset with release, rows, CRS, age compared with its release cycle, coverage, licence and last load. */
async function datasets(flags: InspectFlags): Promise<void> {
  await inspect(
    flags,
    async (client, { config }): Promise<SourcesReport> => {
      const { datasets: sources, not_loaded } = await readDatasets(client, config);
      return {
        sources,
        not_loaded: not_loaded.map(({ dataset }) => dataset),
        failed: not_loaded.filter(({ failed }) => failed !== null),
        adapters: ADAPTERS.map(({ name }) => name),
      };
    },
    flags.verbose ? renderSources : renderSourcesBriefly,
  );
}

/** Prints what is loaded and published; with a flag, only the datasets, publications or runs. */
export async function statusCommand(flags: StatusFlags): Promise<void> {
  const limit = wholeFlag('--limit', flags.limit, 1);
  if (flags.datasets) await datasets(flags);
  else if (flags.publications)
    await inspect(flags, (client) => listPublications(client, limit), renderPublications);
  else if (flags.runs) await inspect(flags, (client) => listRuns(client, limit), renderRuns);
  else
    await inspect(
      flags,
      async (client, { config }, url) => ({
        ...(await status(client)),
        queue: await openQueueState(url, client, config.queue),
      }),
      (found) => `${statusText(found, flags.verbose ?? false)}\n${queueText(found.queue)}`,
    );
}
