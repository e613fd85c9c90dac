import type pg from 'pg';
import type { Config } from '../../schema/config.ts';
import { holdCandidate } from '../../store/journal/candidate.ts';
import { nextPublication } from '../../store/journal/journal.ts';
import { dryRun } from '../../store/system/dry_run.ts';
import { graph } from '../graph.ts';
import { servingStages } from '../publish/publication_context.ts';
import { type PublishOptions, publish } from '../publish/publish.ts';
import type { RunReport } from '../report/report.ts';
import { preview } from '../views/preview.ts';

/** Lists what a refresh would load or compute now, with the reasons. `base`: folder of relative dataset paths. */
export async function pendingWork(client: pg.ClientBase, config: Config, base: string): Promise<string[]> {
  const { datasets, stages } = await dryRun(client, (dry) => preview(dry, config, base));
  return [
    ...datasets
      .filter(({ action }) => action !== 'unchanged' && action !== 'kept')
      .map(({ dataset, reason }) => `dataset ${dataset}: ${reason}`),
    ...stages.flatMap(({ stage, run }) => Object.keys(run).map((reason) => `stage ${stage}: ${reason}`)),
  ];
}

/** Audits and publishes what is computed, and adds the result to the report. What is not published is held as the candidate. */
export async function publishRun(
  client: pg.ClientBase,
  { config, base }: { config: Config; base: string },
  report: RunReport,
  options: Omit<PublishOptions, 'runId'>,
): Promise<void> {
  const stages = graph(config);
  const result = await publish(client, stages, config, { ...options, runId: report.run_id });
  const { outcome, publication, tables } = result;
  report.notes.push(...result.notes);
  report.audit = result.audit;
  report.tables = tables;
  report.state = outcome;
  report.publication = outcome === 'published' ? publication : null;
  if (outcome !== 'refused' && outcome !== 'held') return;
  const candidate = {
    run_id: report.run_id,
    publication_id: publication ?? (await nextPublication(client)),
    kind: options.kind,
    selected: options.tables === null ? null : [...options.tables],
    tables,
    pending: await pendingWork(client, config, base),
  };
  const { api_role, candidate_readers } = config.database;
  const declared = servingStages(stages).map(({ output }) => output);
  await holdCandidate(client, candidate, declared, candidate_readers ? api_role : null);
}
