import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, it } from 'vitest';
import { loadConfig } from '../../../cli/load_config.ts';
import { checkRun } from '../../../pipelines/engine/run_batch.ts';
import { silent } from '../../../pipelines/report/progress.ts';
import { Timeline } from '../../../pipelines/report/timeline.ts';
import { recordProgress } from '../../../pipelines/run/run_records.ts';
import { setUp } from '../../../pipelines/run/set_up.ts';
import { PROGRAM } from '../../../store/database.ts';
import { endSilent, whilePresent } from '../../../store/state/presence.ts';
import { createDatabase } from '../../database.ts';
import { PATIENT } from '../../waiting.ts';

it('ends the sessions of a silent process, and leaves those of others alone', async () => {
  const database = await createDatabase();
  const clients: pg.Client[] = [];
  const ended = new Set<string>();
  const connect = async (what: string, application_name: string): Promise<void> => {
    const client = new pg.Client({ connectionString: database.url, application_name });
    client.on('error', () => ended.add(what));
    await client.connect();
    await client.query('BEGIN');
    clients.push(client);
  };
  try {
    await whilePresent(database.url, async (client, session) => {
      await whilePresent(database.url, async (_, other) => {
        await connect('silent', `${PROGRAM} 0123456789abcdef`);
        await connect('of a process that beats', other);
        await connect('of the process that asks', session);
        await connect('of something else', `${PROGRAM} doctor`);
        expect(await endSilent(client, 60)).toBe(0);
        // Longer than two beats: those who speak up have done so within it.
        await sleep(5200);
        expect(await endSilent(client, 5)).toBe(1);
        await expect.poll(() => endSilent(client, 5), PATIENT).toBe(0);
      });
    });
    expect([...ended]).toEqual(['silent']);
    // A session is told to end, and is gone a moment later.
    await expect
      .poll(
        () => database.query(`SELECT 1 FROM pg_stat_activity WHERE application_name LIKE '% beat %'`),
        PATIENT,
      )
      .toEqual([]);
  } finally {
    for (const client of clients) await client.end().catch(() => undefined);
    await database.drop();
  }
});

it('says the progress of a run with a later beat where a lock kept it from one', async () => {
  const database = await createDatabase();
  const client = new pg.Client({ connectionString: database.url });
  const holder = new pg.Client({ connectionString: database.url });
  try {
    await client.connect();
    await holder.connect();
    await setUp(client, (await loadConfig({ set: [`database.url=${database.url}`] }, {})).config);
    const [run] = await database.query<{ run_id: number }>(
      `INSERT INTO control.run (command, state) VALUES ('test', 'running') RETURNING run_id`,
    );
    const timeline = new Timeline(silent);
    timeline.progress.start('computing, stages', 3, 'phase');
    const says = recordProgress(run!.run_id, timeline);
    await holder.query('BEGIN');
    await holder.query('SELECT FROM control.run FOR UPDATE');
    await client.query(`SET lock_timeout = '50ms'`);
    await expect(says(client)).rejects.toThrow('lock timeout');
    await holder.query('COMMIT');
    // A batch in progress keeps the run from being closed, and not from saying how far it is.
    await holder.query('BEGIN');
    await checkRun(holder, run!.run_id);
    await says(client);
    expect(await database.query('SELECT progress FROM control.run')).toEqual([
      { progress: [expect.objectContaining({ name: 'computing, stages' })] },
    ]);
  } finally {
    await client.end();
    await holder.end();
    await database.drop();
  }
});
