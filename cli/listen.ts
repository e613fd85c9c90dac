import { noticeOfRun } from '../pipelines/notify/notice.ts';
import { sendNotice } from '../pipelines/notify/webhook.ts';
import { openLineage } from '../pipelines/report/lineage.ts';
import type { Progress } from '../pipelines/report/progress.ts';
import type { OnRunEvent } from '../pipelines/report/run_event.ts';
import type { Config } from '../schema/config.ts';
import { maskText } from '../store/system/mask_url.ts';
import { logEvents, logProgress, openLog } from './log.ts';
import { say } from './print.ts';
import { progressFor } from './progress.ts';

/** Who hears of a run while it goes on. */
export interface Listener {
  progress: Progress;
  onEvent: OnRunEvent;
  /** Waits until all is written and sent. */
  close(): Promise<void>;
}

/** Progress, log, lineage and notices of runs, as configuration and flags say. `url` is that of the database. */
export function listen(config: Config, url: string, flags: { json?: boolean; verbose?: boolean }): Listener {
  const log = config.log.format === 'json' ? openLog(config.log.level) : null;
  const lineage = openLineage(config, url);
  const logged = log && logEvents(log);
  const notices: Promise<string | null>[] = [];
  return {
    progress: log ? logProgress(log) : progressFor(flags.json ?? false, flags.verbose ? 'all' : 'long'),
    onEvent: (event) => {
      logged?.(event);
      lineage?.onEvent(event);
      const notice = event.event === 'run_done' && noticeOfRun(event.report);
      if (notice) notices.push(sendNotice(config, notice));
    },
    close: async () => {
      const warn = (failure: string, what: string): void => {
        if (log) log.warn({ error: failure }, what);
        else say(`warning: ${maskText(failure)}`);
      };
      for (const failure of (await lineage?.close()) ?? []) warn(failure, 'lineage not sent');
      for (const failure of await Promise.all(notices))
        if (failure !== null) warn(failure, 'webhook not told');
    },
  };
}
