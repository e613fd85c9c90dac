import type pg from 'pg';

/** A schedule as a worker last saw it, or as an operator set or removed it. The database keeps it, because a queue may lose everything. */
export interface ScheduleNote {
  /** Scope of the schedule; it identifies the schedule. */
  subject: string;
  request: Record<string, unknown>;
  /** Null: an operator removed the schedule. */
  cron: string | null;
  timezone: string;
  set_by: 'configuration' | 'operator';
  /** Next time that was known, ISO 8601 in UTC. Null: not known. */
  next: string | null;
}

const PREFIX = 'schedule ';

/** Reads the notes of all schedules, by scope; none if the database is not set up. */
export async function readScheduleNotes(client: pg.ClientBase): Promise<Map<string, ScheduleNote>> {
  const metaTable = await client.query(`SELECT to_regclass('control.meta') AS meta`);
  if (metaTable.rows[0].meta === null) return new Map();
  const { rows } = await client.query<{ value: string }>(
    `SELECT value FROM control.meta WHERE starts_with(key, $1) ORDER BY key COLLATE "C"`,
    [PREFIX],
  );
  const notes = rows.map(({ value }) => JSON.parse(value) as ScheduleNote);
  return new Map(notes.map((note) => [note.subject, note]));
}

/** Writes a note. With `before`, the note that was read (null: none), another session's change since then stays. */
export async function writeScheduleNote(
  client: pg.ClientBase,
  note: ScheduleNote,
  before?: ScheduleNote | null,
): Promise<void> {
  await client.query(
    `INSERT INTO control.meta AS m (key, value) VALUES ($1, $2)
     ON CONFLICT (key) DO UPDATE SET value = excluded.value
     WHERE m.value <> excluded.value AND ($3 OR m.value = $4)`,
    [
      PREFIX + note.subject,
      JSON.stringify(note),
      before === undefined,
      before ? JSON.stringify(before) : null,
    ],
  );
}

/** Deletes the notes of removed schedules: a worker that starts sets the configured schedules again. */
export async function forgetRemovals(client: pg.ClientBase): Promise<void> {
  await client.query(
    `DELETE FROM control.meta WHERE starts_with(key, $1) AND value::jsonb->>'cron' IS NULL`,
    [PREFIX],
  );
}
