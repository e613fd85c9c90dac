import type { Config } from '../../schema/config.ts';
import { EtlError } from '../../schema/errors.ts';
import { dropCandidate, requireCandidate } from '../../store/journal/candidate.ts';
import { dropStaged } from '../../store/journal/publication.ts';
import { whilePresent } from '../../store/state/presence.ts';
import { inTransaction } from '../../store/transaction.ts';
import { graph } from '../graph.ts';
import type { Acceptance } from '../publish/gates.ts';
import { servingStages } from '../publish/publication_context.ts';
import type { RunReport } from '../report/report.ts';
import { now, type OnRunEvent } from '../report/run_event.ts';
import { pendingWork, publishRun } from './publish_run.ts';
import { finishRun, noteFailure, startRun, takeRunLock } from './run_records.ts';
import { setUp } from './set_up.ts';

export interface PublishCandidateOptions {
  url: string;
  config: Config;
  /** Base folder of relative dataset paths. */
  base: string;
  accepted: Acceptance;
  onEvent?: OnRunEvent;
}

/** Maximum reasons in the message about a candidate that is out of date. */
const REASONS = 5;

/**
 * Publishes the held candidate and nothing else. If its gates fail, it stays held.
 * @throws EtlError no_candidate; candidate_outdated if an input, a setting or the program changed since; locked
 */
export async function publishCandidate(options: PublishCandidateOptions): Promise<RunReport> {
  const { url, config, base, accepted, onEvent = () => undefined } = options;
  const started = performance.now();
  return whilePresent(url, async (client) => {
    await setUp(client, config);
    await takeRunLock(client, config.queue.lease_s);
    const { run_id, kind, selected, pending } = await requireCandidate(client);
    const changed = (await pendingWork(client, config, base)).filter((work) => !pending.includes(work));
    if (changed.length > 0) {
      const moreText = changed.length > REASONS ? ` and ${changed.length - REASONS} more` : '';
      throw new EtlError(
        'candidate_outdated',
        `The candidate of run ${run_id} is out of date: ${changed.slice(0, REASONS).join('; ')}${moreText}.`,
      );
    }
    const report = await startRun(client, 'publish', config);
    onEvent({ event: 'run_started', run_id: report.run_id, command: 'publish', at: now() });
    try {
      const tables = selected === null ? null : new Set(selected);
      await publishRun(client, options, report, { kind, accepted, tables, hold: false });
      report.notes.push(`The candidate of run ${run_id}.`);
    } catch (error) {
      noteFailure(report, error);
    }
    await finishRun(client, report, started);
    onEvent({ event: 'run_done', run_id: report.run_id, report, at: now() });
    return report;
  });
}

/**
 * Discards the held candidate and its computed rows. What was loaded stays, and the next refresh computes from it again. Returns the run
 * that computed it. @throws EtlError no_candidate, locked
 */
export async function discardCandidate(url: string, config: Config): Promise<number> {
  return whilePresent(url, async (client) => {
    await setUp(client, config);
    await takeRunLock(client, config.queue.lease_s);
    const { run_id } = await requireCandidate(client);
    await inTransaction(client, async () => {
      await dropCandidate(client);
      for (const { name, output } of servingStages(graph(config))) await dropStaged(client, output, name);
    });
    return run_id;
  });
}
