import { type Logger, pino, stdTimeFunctions } from 'pino';
import type { Progress } from '../pipelines/report/progress.ts';
import type { OnRunEvent, RunEvent } from '../pipelines/report/run_event.ts';
import type { Config } from '../schema/config.ts';
import { printStatus } from './print.ts';
import { redact } from './redact.ts';

/** Opens a logger of JSON lines to standard error, or to a stream, without secrets. */
export function openLog(level: Config['log']['level'], to?: { write(line: string): void }): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: (line) => redact(line) as Record<string, unknown>,
      },
      hooks: {
        logMethod(args, method) {
          method.apply(
            this,
            args.map((each) => (typeof each === 'string' ? redact(each) : each)) as typeof args,
          );
        },
      },
    },
    to ?? { write: (line: string) => printStatus(line.trimEnd()) },
  );
}

/** Logs the events of a run with run, stage and partitions. */
export function logEvents(log: Logger): OnRunEvent {
  let run: number | null = null;
  return (event: RunEvent) => {
    run = event.run_id;
    const line = log.child({ run });
    switch (event.event) {
      case 'run_started':
        return line.info({ command: event.command }, 'run started');
      case 'dataset_done': {
        const { dataset, release, action, rows, seconds } = event.dataset;
        return line.info({ dataset, release, action, rows, seconds }, `dataset ${action}`);
      }
      case 'stage_started':
        return line.info({ stage: event.stage, partitions: event.partitions }, 'stage started');
      case 'batch_done':
        return line.debug({ stage: event.stage, partition: event.cells, rows: event.rows }, 'batch done');
      case 'retrying': {
        const { subject: stage, cells: partition, attempt, wait_ms, code, message } = event;
        return line.warn(
          { stage, partition, attempt, wait_ms, code, error: message },
          'failed, trying again',
        );
      }
      case 'partition_failed': {
        const { stage, partition, attempts, code, message } = event.partition;
        return line.error({ stage, partition, attempts, code, error: message }, 'partition failed');
      }
      case 'stage_done': {
        const { stage, partitions_run, partitions_unchanged, rows_written, seconds, account } = event.stage;
        return line.info(
          { stage, partitions_run, partitions_unchanged, rows_written, seconds, account },
          'stage done',
        );
      }
      case 'run_done': {
        const { state, publication, seconds, peak_memory_mb, error, audit } = event.report;
        const failed = audit
          .filter((check) => check.status === 'fail')
          .map(({ check, message }) => `${check}: ${message}`);
        const level = state === 'failed' || state === 'refused' ? 'error' : 'info';
        return line[level]({ state, publication, seconds, peak_memory_mb, error, failed }, `run ${state}`);
      }
    }
  };
}

/** Logs progress: the end of each phase. */
export function logProgress(log: Logger): Progress {
  return {
    start: (name, total) => {
      const started = performance.now();
      let done = 0;
      let rows = 0;
      return {
        done: (units = 1) => {
          done += units;
        },
        rows: (n) => {
          rows += n;
        },
        end: () => log.debug({ done, total, rows, seconds: (performance.now() - started) / 1000 }, name),
      };
    },
  };
}
