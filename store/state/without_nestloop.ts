import type pg from 'pg';

/** Does something in a transaction, in which the server joins no rows one by one: it would where it takes many rows for few. */
export async function withoutNestloop<T>(client: pg.ClientBase, run: () => Promise<T>): Promise<T> {
  await client.query('SET LOCAL enable_nestloop = off');
  const result = await run();
  await client.query('SET LOCAL enable_nestloop = on');
  return result;
}
