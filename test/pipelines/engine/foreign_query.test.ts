import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runForeignQuery } from '../../../pipelines/engine/foreign_query.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';

describe('a query that is not the program’s', () => {
  let database: TestDatabase;
  let client: pg.Client;
  let role: string;

  beforeAll(async () => {
    database = await createDatabase();
    [{ role }] = (await database.query<{ role: string }>('SELECT current_user AS role')) as [
      { role: string },
    ];
  });
  afterAll(() => database?.drop());

  const ask = async (text: string, timeout_s = 60): Promise<unknown> => {
    client = new pg.Client({ connectionString: database.url });
    client.on('error', () => undefined);
    await client.connect();
    try {
      await client.query('BEGIN');
      return await runForeignQuery(client, { file: 'models/x.sql', role, timeout_s }, text);
    } finally {
      await client.end().catch(() => undefined);
    }
  };

  it.each([
    ['SELECT 1 +', 'syntax error'],
    ['SELECT 1 / 0', 'division by zero'],
    ['SELECT 1; SELECT 2', 'multiple commands'],
    ['SELECT nothing', 'does not exist'],
  ])('is named with its file where it is at fault: %s', async (text, message) => {
    await expect(ask(text)).rejects.toMatchObject({
      code: 'model_invalid',
      message: expect.stringMatching(new RegExp(`^models/x.sql: .*${message}`)),
    });
  });

  it('is not blamed if the server ends its session', async () => {
    const asked = ask('SELECT pg_terminate_backend(pg_backend_pid())');
    await expect(asked).rejects.toMatchObject({ code: '57P01' });
  });
});
