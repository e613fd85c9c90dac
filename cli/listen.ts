import { noticeOfRun } from '../pipelines/notify/notice.ts';
import { sendNotice } from '../pipelines/notify/webhook.ts';
import type { Progress } from '../pipelines/report/progress.ts';
import type { OnRunEvent } from '../pipelines/report/run_event.ts';
import type { Config } from '../schema/config.ts';
import { maskText } from '../store/system/mask_url.ts';
import { logEvents, logProgress, openLog } from './log.ts';
import { printStatus } from './print.ts';
import { progressFor } from './progress.ts';

/** Callbacks that follow a run. */
export interface RunListener {
  progress: Progress;
  onEvent: OnRunEvent;
  /** Waits until everything is written and sent. */
  close(): Promise<void>;
}

/** Builds progress, log and notifications of runs from the configuration and flags. */
export function listen(config: Config, flags: { json?: boolean; verbose?: boolean }): RunListener {
  const log = config.log.format === 'json' ? openLog(config.log.level) : null;
  const logged = log && logEvents(log);
  const notices: Promise<string | null>[] = [];
  return {
    progress: log ? logProgress(log) : progressFor(flags.json ?? false, flags.verbose ? 'all' : 'long'),
    onEvent: (event) => {
      logged?.(event);
      const notice = event.event === 'run_done' && noticeOfRun(event.report);
      if (notice) notices.push(sendNotice(config, notice));
    },
    close: async () => {
      for (const failure of await Promise.all(notices)) {
        if (failure === null) continue;
        if (log) log.warn({ error: failure }, 'webhook not told');
        else printStatus(`warning: ${maskText(failure)}`);
      }
    },
  };
}
