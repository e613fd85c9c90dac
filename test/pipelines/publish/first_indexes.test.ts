import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FirstIndexes } from '../../../pipelines/publish/first_indexes.ts';
import { startRun } from '../../../pipelines/run/run_books.ts';
import { configSchema } from '../../../schema/config.ts';
import { SERVING_TABLES } from '../../../schema/serving/index.ts';
import { setUpDatabase } from '../../../store/database.ts';
import { hasKeyAhead } from '../../../store/first_rows.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';

const SESSION = 'first_indexes_test';
const ROLE = `first_indexes_${process.pid}`;
const STOP = SERVING_TABLES.find((table) => table.name === 'stop')!;
const SETTING = SERVING_TABLES.find((table) => table.name === 'setting')!;

describe('indexes ahead of the first publication', () => {
  let database: TestDatabase;
  let client: pg.Client;
  let runId: number;

  beforeAll(async () => {
    database = await createDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const declared = { records: [], assets: [], serving: SERVING_TABLES, stageOf: new Map<string, string>() };
    await setUpDatabase(client, declared, { role: ROLE, statement_timeout_s: 60, idle_timeout_s: 60 }, false);
  });

  beforeEach(async () => {
    await client.query(`UPDATE control.run SET state = 'failed'`);
    runId = (await startRun(client, 'refresh', configSchema.parse({ datasets: {} }))).run_id;
  });

  afterAll(async () => {
    await client?.query(`DROP OWNED BY ${ROLE}`);
    await client?.query(`DROP ROLE ${ROLE}`);
    await client?.end();
    await database?.drop();
  });

  const start = (): Promise<FirstIndexes | null> =>
    FirstIndexes.start(client, database.url, SESSION, runId, () => true);
  const built = async (): Promise<boolean[]> => [
    await hasKeyAhead(client, STOP),
    await hasKeyAhead(client, SETTING),
  ];

  it('are built table by table, and taken off by the next run', async () => {
    const first = (await start())!;
    first.add(STOP);
    first.add(SETTING);
    await first.done();
    expect(await built()).toEqual([true, true]);
    await first.close();
    const next = (await start())!;
    expect(await built()).toEqual([false, false]);
    await next.close();
  });

  it('are not begun once they are closed, nor for a run that another one has taken over', async () => {
    const closed = (await start())!;
    await closed.close();
    closed.add(STOP);
    await closed.done();
    expect(await built()).toEqual([false, false]);
    const superseded = (await start())!;
    await client.query(`UPDATE control.run SET state = 'failed' WHERE run_id = $1`, [runId]);
    superseded.add(STOP);
    await superseded.done();
    expect(await built()).toEqual([false, false]);
    await superseded.close();
  });

  it('leave a table alone that cannot have them', async () => {
    const row = `('n', 1, 'metres')`;
    await client.query(`INSERT INTO staged.setting (name, value, unit) VALUES ${row}, ${row}`);
    const first = (await start())!;
    first.add(SETTING);
    first.add(STOP);
    await first.done();
    expect(await built()).toEqual([true, false]);
    await first.close();
    await client.query('TRUNCATE staged.setting');
  });

  it('are not built where something is published', async () => {
    await client.query(
      `INSERT INTO control.publication (publication_id, run_id, kind, tables, datasets, audit) VALUES (1, $1, 'refresh', '[]', '[]', '[]')`,
      [runId],
    );
    expect(await start()).toBeNull();
  });
});
