import type pg from 'pg';
import type { Config } from '../../schema/config.ts';
import { openPool } from '../../store/database.ts';
import { health } from '../views/health.ts';
import { noticeOfLate } from './notice.ts';
import { sendNotice } from './webhook.ts';

/** How often it is looked whether runs are late. */
const LOOK_MS = 60_000;
/** Seconds after which a database that says nothing is given up until the next look. */
const ANSWER_S = 10;

/** What says that a late run was told of: the last run that had succeeded then. */
const CLAIM = `INSERT INTO control.meta (key, value) VALUES ('late_told', $1)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE control.meta.value <> excluded.value RETURNING value`;

const LAST = `SELECT run_id FROM control.run WHERE state IN ('published', 'unchanged') ORDER BY run_id DESC LIMIT 1`;

/** A late run that nobody else has told of: the last one that had succeeded, and its age beside the limit, in hours. */
interface OverdueRun {
  since: number;
  age_h: number;
  limit_h: number;
}

/** Claims the telling of a late run; null: none is late, or somebody else tells. */
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
 * Tells the webhook once when no run has succeeded for longer than ops.fresh_h, whichever process notices first and however often it is
 * restarted; what was not delivered is told again at the next look.
 * @returns what went wrong; null: nothing was late, it was told, or somebody else has told it
 */
export async function notifyIfOverdue(url: string, config: Config): Promise<string | null> {
  if (config.ops.webhook.url === null) return null;
  const pool = openPool(url, 1, { answer_s: ANSWER_S });
  try {
    const late = await claim(pool, config.ops.fresh_h);
    if (late === null) return null;
    // No connection is held meanwhile: one that says nothing for so long as a receiver may take would be given up.
    const failure = await sendNotice(config, noticeOfLate(late.since, late));
    if (failure !== null) await pool.query(`DELETE FROM control.meta WHERE key = 'late_told'`);
    return failure;
  } finally {
    await pool.end();
  }
}

/** Looks every minute until it is closed; `onFailure` hears of what went wrong. A configuration without a webhook looks at nothing. */
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
