import type pg from 'pg';
import { jsonText } from '../json_text.ts';

/** An action requested in the console. */
export interface Action {
  at: string;
  /** Name and address of the requester. */
  who: string;
  action: string;
  /** Details: gates, dataset, publication, reason. */
  detail: Record<string, unknown>;
  /** Request on the queue; null: it was not queued. */
  job_id: string | null;
}

/** Records an action before it is executed; returns its number. */
export async function noteAction(
  client: pg.ClientBase,
  { who, action, detail }: Pick<Action, 'who' | 'action' | 'detail'>,
): Promise<number> {
  const { rows } = await client.query<{ id: number }>(
    'INSERT INTO control.action (who, action, detail) VALUES ($1, $2, $3) RETURNING action_id AS id',
    [who, action, jsonText(detail)],
  );
  return rows[0]!.id;
}

/** Records the queue request of an action. */
export const noteTaken = async (client: pg.ClientBase, id: number, jobId: string): Promise<void> =>
  void (await client.query('UPDATE control.action SET job_id = $2 WHERE action_id = $1', [id, jobId]));

/** Lists the last actions, newest first. */
export async function listActions(client: pg.ClientBase, limit: number): Promise<Action[]> {
  const { rows } = await client.query<Action>(
    `SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS at, who, action, detail, job_id
     FROM control.action ORDER BY action_id DESC LIMIT $1`,
    [limit],
  );
  return rows;
}
