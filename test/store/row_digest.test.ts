import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestSql } from '../../store/tables/table_rows.ts';
import { createDatabase, type TestDatabase } from '../database.ts';

describe('the digest of rows', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createDatabase();
  });

  afterAll(() => database?.drop());

  async function digestOf(...rows: readonly (readonly [string, number | null])[]): Promise<string> {
    const [found] = await database.query<{ digest: string }>(
      `SELECT ${digestSql(['key', 'price'])}::text AS digest FROM jsonb_to_recordset($1) r (key text, price float8)`,
      [JSON.stringify(rows.map(([key, price]) => ({ key, price })))],
    );
    return found!.digest;
  }

  it('is another where two rows swap a value, or one moves to another row', async () => {
    const digest = await digestOf(['a', 1], ['b', 2], ['c', null]);
    expect(await digestOf(['a', 2], ['b', 1], ['c', null])).not.toBe(digest);
    expect(await digestOf(['a', 1], ['b', null], ['c', 2])).not.toBe(digest);
    expect(await digestOf(['a', 1], ['b', 2])).not.toBe(digest);
  });

  it('depends on no order, and on no row twice over', async () => {
    expect(await digestOf(['b', 2], ['a', 1])).toBe(await digestOf(['a', 1], ['b', 2]));
    expect(await digestOf(['a', 1], ['a', 1])).not.toBe(await digestOf(['a', 1]));
    expect(await digestOf()).toBe('0');
  });
});
