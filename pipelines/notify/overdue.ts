import type pg from 'pg';
import type { Config } from '../../schema/config.ts';
import { openPool } from '../../store/database.ts';
import { health } from '../views/health.ts';
import { noticeOfOverdue } from './notice.ts';
import { sendNotice } from './webhook.ts';

/** Interval of the check for overdue runs. */
const LOOK_MS = 60_000;
/** Seconds after which an unresponsive database is given up until the next check. */
const ANSWER_S = 10;

/** Claims the notice by recording the last successful run; returns no row if it was recorded before. */
const CLAIM = `INSERT INTO control.meta (key, value) VALUES ('late_told', $1)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE control.meta.value <> excluded.value RETURNING value`;

const LAST = `SELECT run_id FROM control.run WHERE state IN ('published', 'unchanged') ORDER BY run_id DESC LIMIT 1`;

/** An overdue run that nobody else has reported: the last successful run, its age and the limit, in hours. */
interface OverdueRun {
  since: number;
  age_h: number;
  limit_h: number;
}

/** Claims the notice of an overdue run; null: nothing is overdue, or another process claimed it. */
async function claim(pool: pg.Pool, limit_h: number): Promise<OverdueRun | null> {
  const client = await pool.connect();
  try {
    const { age_h } = await health(client, limit_h);
    if (age_h === null || age_h <= limit_h) return null;
    const since = (await client.query<{ run_id: number }>(LAST)).rows[0]!.run_id;
    const { rowCount } = await client.query(CLAIM, [String(since)]);
    return rowCount === 0 ? null : { since, age_h, limit_h };
  } finally {
    client.release();
  }
}

/**
 * Notifies the webhook once if no run has succeeded for longer than ops.fresh_h, whichever process notices first, even after restarts. A
 * failed notice is sent again at the next check.
 * @returns the failure; null: nothing was overdue, it was reported, or another process reported it
 */
export async function notifyIfOverdue(url: string, config: Config): Promise<string | null> {
  if (config.ops.webhook.url === null) return null;
  const pool = openPool(url, 1, { answer_s: ANSWER_S });
  try {
    const overdue = await claim(pool, config.ops.fresh_h);
    if (overdue === null) return null;
    // The connection is released first, because it would time out while a slow receiver responds.
    const failure = await sendNotice(config, noticeOfOverdue(overdue.since, overdue));
    if (failure !== null) await pool.query(`DELETE FROM control.meta WHERE key = 'late_told'`);
    return failure;
  } finally {
    await pool.end();
  }
}

/** Checks every minute until closed; `onFailure` receives failures. Does nothing without a configured webhook. */
export function watchOverdueRuns(
  url: string,
  config: Config,
  onFailure: (message: string) => void,
): { close(): Promise<void> } {
  if (config.ops.webhook.url === null) return { close: async () => undefined };
  let looking: Promise<void> = Promise.resolve();
  const look = (): void => {
    looking = looking
      .then(async () => {
        const failure = await notifyIfOverdue(url, config);
        if (failure !== null) onFailure(failure);
      })
      .catch((error: Error) => onFailure(`whether runs are late cannot be told: ${error.message}`));
  };
  look();
  const timer = setInterval(look, LOOK_MS).unref();
  return {
    close: async () => {
      clearInterval(timer);
      await looking;
    },
  };
}
