import type pg from 'pg';
import type { Serving } from '../../schema/serving/database.ts';
import { servingOnClient } from './serving.ts';

/** A result and the publication it was read from; null: nothing is published. */
export interface ReadOf<T> {
  value: T;
  publication: number | null;
}

const BEGIN = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
const PUBLICATION = 'SELECT max(publication_id) AS publication FROM serving.publication';

/**
 * Reads in one snapshot: a read-only transaction that first reads which publication is served. `settings`: statements, each ending with a
 * semicolon, that set the transaction where sessions keep no settings; they are sent with its beginning.
 */
export async function readOf<T>(
  pool: pg.Pool,
  query: (db: Serving) => Promise<T>,
  settings = '',
): Promise<ReadOf<T>> {
  const client = await pool.connect();
  try {
    const results = (await client.query(`${BEGIN}; ${settings} ${PUBLICATION}`)) as unknown as pg.QueryResult<
      ReadOf<T>
    >[];
    const { publication } = results.at(-1)!.rows[0]!;
    return { value: await query(servingOnClient(client)), publication };
  } finally {
    // No caller waits for the end of a transaction that changed nothing.
    client.query('ROLLBACK').then(
      () => client.release(),
      (error: Error) => client.release(error),
    );
  }
}
