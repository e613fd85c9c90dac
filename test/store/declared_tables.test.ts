import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setUp } from '../../pipelines/run/set_up.ts';
import { configSchema } from '../../schema/config.ts';
import { setUpAccounts } from '../../store/accounts/account_set_up.ts';
import { openPool, withClient } from '../../store/database.ts';
import { createDatabase, type TestDatabase } from '../database.ts';

const config = configSchema.parse({ datasets: {} });

describe('a database of another program version', () => {
  let database: TestDatabase;
  let pool: ReturnType<typeof openPool>;

  beforeAll(async () => {
    database = await createDatabase();
    pool = openPool(database.url, 1);
    await withClient(pool, (client) => setUp(client, config));
    await withClient(pool, setUpAccounts);
  });

  afterAll(async () => {
    await pool?.end();
    await database?.drop();
  });

  const shapes = () => database.query('SELECT key, value FROM control.meta ORDER BY key');

  it.each([
    [
      'version',
      '1',
      /control schema version 1; this program needs \d+\. Use that program version, or make a new database/,
    ],
    ['version', '99', /control schema version 99/],
    ['table:record.zone_piece', 'other', /made the table record\.zone_piece; .*make a new database/],
    ['table:staged.property', 'other', /made the table staged\.property/],
    ['table:serving.property', 'other', /made the table serving\.property/],
  ])('is refused by readers and runs, and left as it is: %s %s', async (key, value, message) => {
    const [before] = await database.query<{ value: string }>(
      'SELECT value FROM control.meta WHERE key = $1',
      [key],
    );
    await database.query('UPDATE control.meta SET value = $2 WHERE key = $1', [key, value]);
    const changed = await shapes();
    for (const isRun of [false, true])
      await expect(withClient(pool, (client) => setUp(client, config, isRun))).rejects.toMatchObject({
        code: 'schema_version',
        message: expect.stringMatching(message),
      });
    expect(await shapes()).toEqual(changed);
    await database.query('UPDATE control.meta SET value = $2 WHERE key = $1', [key, before!.value]);
    await withClient(pool, (client) => setUp(client, config, true));
  });

  it.each(['1', '99'])('is refused if its accounts have version %s', async (version) => {
    await database.query(`UPDATE account.meta SET value = $1 WHERE key = 'version'`, [version]);
    await expect(withClient(pool, setUpAccounts)).rejects.toMatchObject({
      code: 'schema_version',
      message: expect.stringMatching(`accounts of the database have version ${version}; this program needs`),
    });
  });
});
