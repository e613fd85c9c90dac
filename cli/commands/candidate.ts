import { checkAccepted } from '../../pipelines/publish/acceptable.ts';
import { discardCandidate, publishCandidate } from '../../pipelines/run/publish_candidate.ts';
import { withDatabase } from '../database.ts';
import { listen } from '../listen.ts';
import { type ConfigFlags, loadConfig, loadWithDatasets } from '../load_config.ts';
import { printLine } from '../print.ts';
import { renderRefresh } from '../render_run.ts';
import { exitOfReport } from './refresh.ts';

type PublishFlags = ConfigFlags & { json?: boolean; verbose?: boolean; accept: string[]; reason?: string };

/** Publishes the held candidate. Exit code 3: its gates failed. */
export async function publishCommand(flags: PublishFlags): Promise<void> {
  const { config, base } = await loadWithDatasets(flags);
  checkAccepted(flags.accept, flags.reason, config);
  const accepted = { gates: flags.accept, reason: flags.reason ?? '' };
  const report = await withDatabase(
    config,
    async (url) => {
      const { onEvent, close } = listen(config, flags);
      return publishCandidate({ url, config, base, accepted, onEvent }).finally(close);
    },
    config.queue.lease_s,
  );
  printLine(flags.json ? JSON.stringify(report) : renderRefresh(flags.verbose ?? false, null)(report));
  process.exitCode = exitOfReport(report);
}

/** Discards the held candidate. */
export async function discardCommand(flags: ConfigFlags & { json?: boolean }): Promise<void> {
  const { config } = await loadConfig(flags);
  const run_id = await withDatabase(config, (url) => discardCandidate(url, config), config.queue.lease_s);
  printLine(
    flags.json
      ? JSON.stringify({ run_id })
      : `discarded the candidate of run ${run_id}; the next refresh computes it again from what is loaded`,
  );
}
