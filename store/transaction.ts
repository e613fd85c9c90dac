import type pg from 'pg';

/** Transaction that sees one state of the database and writes nothing. */
const READ_SNAPSHOT = 'ISOLATION LEVEL REPEATABLE READ READ ONLY';

/** Runs `work` in a transaction, which is undone if it fails. `mode`: transaction modes, such as `READ_SNAPSHOT`. */
export async function inTransaction<T>(client: pg.ClientBase, work: () => Promise<T>, mode = ''): Promise<T> {
  await client.query(`BEGIN ${mode}`);
  try {
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
