import { randomUUID } from 'node:crypto';
import { maskText } from '../../store/system/mask_url.ts';
import { programVersion } from '../report/program_version.ts';
import type { RunReport } from '../report/report.ts';

const NOTICE_EVENTS = ['run.failed', 'run.refused', 'run.late'] as const;
type NoticeEvent = (typeof NOTICE_EVENTS)[number];

/** The JSON sent to the webhook. Fields may be added; existing ones keep their meaning. */
export interface WebhookPayload {
  /** The same for every delivery attempt, so that a receiver can drop repeats. */
  id: string;
  event: NoticeEvent;
  /** UTC, ISO 8601. */
  at: string;
  version: string;
  /** One sentence for people. */
  message: string;
  /** Null: no run could be started, or the notice concerns none. */
  run: { run_id: number; command: string; state: string; seconds: number } | null;
  error: { code: string; message: string } | null;
  /** Failed audit checks, at most 20. */
  failed_checks: { check: string; message: string }[];
  /** Hours since the last successful run, and the limit; null: another kind of notice. */
  late: { age_h: number; limit_h: number } | null;
}

const CHECKS = 20;
const LONGEST = 2000;

/** Masks secrets in a text and limits its length. */
const masked = (text: string): string => maskText(text).slice(0, LONGEST);

const base = (event: NoticeEvent, at: Date): Omit<WebhookPayload, 'message'> => ({
  id: randomUUID(),
  event,
  at: at.toISOString(),
  version: programVersion(),
  run: null,
  error: null,
  failed_checks: [],
  late: null,
});

/** Returns the notice of a failed or refused run; null: it was neither. */
export function noticeOfRun(report: RunReport, at = new Date()): WebhookPayload | null {
  const { run_id, command, state, seconds, error, audit } = report;
  if (state !== 'failed' && state !== 'refused') return null;
  const failed = audit.filter(({ status }) => status === 'fail');
  const event = state === 'failed' ? 'run.failed' : 'run.refused';
  const why = error ? `${error.code}: ${error.message}` : failed.map(({ check }) => check).join(', ');
  return {
    ...base(event, at),
    message: masked(`Run ${run_id} ${state}: ${why}`),
    run: { run_id, command, state, seconds: Number(seconds.toFixed(1)) },
    error: error && { code: error.code, message: masked(error.message) },
    failed_checks: failed.slice(0, CHECKS).map(({ check, message }) => ({ check, message: masked(message) })),
  };
}

/** Returns the notice of a refresh that could not start. */
export function noticeOfFailure(code: string, message: string, at = new Date()): WebhookPayload {
  return {
    ...base('run.failed', at),
    message: masked(`No run could be started: ${code}: ${message}`),
    error: { code, message: masked(message) },
  };
}

/** Returns the notice that no run has succeeded for too long. `since`: the last successful run. */
export function noticeOfOverdue(
  since: number,
  overdue: { age_h: number; limit_h: number },
  at = new Date(),
): WebhookPayload {
  const age_h = Number(overdue.age_h.toFixed(1));
  return {
    ...base('run.late', at),
    message: `No run has succeeded for ${age_h} hours (limit ${overdue.limit_h}); the last successful one was run ${since}.`,
    late: { age_h, limit_h: overdue.limit_h },
  };
}
