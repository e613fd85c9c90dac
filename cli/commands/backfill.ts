import { type BackfillSelection, planBackfill } from '../../pipelines/run/backfill.ts';
import { loadConfig } from '../load_config.ts';
import { renderBackfillPlan } from '../render_journal.ts';
import { wholeFlag } from '../whole_flag.ts';
import { inspect } from './inspect.ts';
import { type RefreshFlags, runRefresh } from './refresh.ts';

interface BackfillFlags extends RefreshFlags {
  stage: string;
  state?: string;
  sa3?: string;
  sal?: string;
  lga?: string;
  gnaf?: string[];
  sinceRelease?: string;
  dryRun?: boolean;
  limit?: string;
  concurrency?: string;
}

/** Recomputes partitions of a stage and everything that depends on them. Publishes with the same audit as a refresh. */
export async function backfillCommand(flags: BackfillFlags): Promise<void> {
  const { stage, state, sa3, sal, lga, sinceRelease } = flags;
  const selection: BackfillSelection = {
    stage,
    state: state?.toUpperCase(),
    sa3,
    sal,
    lga,
    gnaf: flags.gnaf?.length ? flags.gnaf : undefined,
    sinceRelease,
    limit: flags.limit === undefined ? undefined : wholeFlag('--limit', flags.limit, 1),
  };
  const { concurrency } = flags;
  const workers =
    concurrency === undefined ? flags.workers : String(wholeFlag('--concurrency', concurrency, 1));
  const all = { ...flags, workers };
  if (flags.dryRun) {
    await inspect(all, (client, { config }) => planBackfill(client, config, selection), renderBackfillPlan);
    return;
  }
  await runRefresh(await loadConfig(all), all, 'backfill', selection);
}
