import type pg from 'pg';

/** Runs work in a transaction without nested loop joins, which the server chooses if it underestimates the rows. */
export async function withoutNestloop<T>(client: pg.ClientBase, run: () => Promise<T>): Promise<T> {
  await client.query('SET LOCAL enable_nestloop = off');
  const result = await run();
  await client.query('SET LOCAL enable_nestloop = on');
  return result;
}
