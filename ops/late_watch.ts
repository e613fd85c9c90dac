import { noticeOfLate } from '../pipelines/notify/notice.ts';
import { sendNotice } from '../pipelines/notify/webhook.ts';
import type { Config } from '../schema/config.ts';
import { openPool } from '../store/database.ts';
import { health } from './health.ts';

/** How often it is looked whether runs are late. */
const LOOK_MS = 60_000;
/** Seconds after which a database that says nothing is given up until the next look. */
const ANSWER_S = 10;

/** What says that a late run was told of: the last run that had succeeded then. */
const CLAIM = `INSERT INTO control.meta (key, value) VALUES ('late_told', $1)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE control.meta.value <> excluded.value RETURNING value`;

const LAST = `SELECT run_id FROM control.run WHERE state IN ('published', 'unchanged') ORDER BY run_id DESC LIMIT 1`;

/**
 * Tells the webhook once when no run has succeeded for longer than ops.fresh_h, whichever process notices first and however often it is
 * restarted; what was not delivered is told again at the next look.
 * @returns what went wrong; null: nothing was late, it was told, or somebody else has told it
 */
export async function tellIfLate(url: string, config: Config): Promise<string | null> {
  if (config.ops.webhook.url === null) return null;
  const pool = openPool(url, 1, { answer_s: ANSWER_S });
  try {
    const client = await pool.connect();
    try {
      const { age_h } = await health(client, config.ops.fresh_h);
      const limit_h = config.ops.fresh_h;
      if (age_h === null || age_h <= limit_h) return null;
      const since = (await client.query<{ run_id: number }>(LAST)).rows[0]!.run_id;
      if ((await client.query(CLAIM, [String(since)])).rowCount === 0) return null;
      const failure = await sendNotice(config, noticeOfLate(since, { age_h, limit_h }));
      if (failure !== null) await client.query(`DELETE FROM control.meta WHERE key = 'late_told'`);
      return failure;
    } finally {
      client.release();
    }
  } finally {
    await pool.end();
  }
}

/** Looks every minute until it is closed; `onFailure` hears of what went wrong. A configuration without a webhook looks at nothing. */
export function watchLate(
  url: string,
  config: Config,
  onFailure: (message: string) => void,
): { close(): Promise<void> } {
  if (config.ops.webhook.url === null) return { close: async () => undefined };
  let looking: Promise<void> = Promise.resolve();
  const look = (): void => {
    looking = looking
      .then(async () => {
        const failure = await tellIfLate(url, config);
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
