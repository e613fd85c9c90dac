import type pg from 'pg';

/** Runs `work` in a transaction, which is undone if it fails. `modes`: transaction modes, as in SQL. */
export async function inTransaction<T>(
  client: pg.ClientBase,
  work: () => Promise<T>,
  modes = '',
): Promise<T> {
  await client.query(`BEGIN ${modes}`);
  try {
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** Runs `work` in a transaction that sees one state of the database and writes nothing. */
export const inSnapshot = <T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> =>
  inTransaction(client, work, 'ISOLATION LEVEL REPEATABLE READ READ ONLY');
