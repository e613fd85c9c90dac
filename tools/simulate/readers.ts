import pg from 'pg';
import { SERVING_TABLES } from '../../schema/serving/index.ts';
import { digestTable } from '../../store/journal/table_digest.ts';

const TABLES = SERVING_TABLES.filter(({ name }) =>
  ['property', 'property_event', 'property_risk', 'suburb'].includes(name),
);

/** What readers saw of each publication: the digests of some tables. */
export type Seen = Map<number, string>;

/** What one repeatable read transaction shows. */
async function readOnce(client: pg.Client): Promise<[publication: number, state: string]> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const { rows } = await client.query<{ id: number }>(
    'SELECT max(publication_id)::int AS id FROM control.publication',
  );
  const lines: string[] = [];
  for (const table of TABLES) {
    const { rows: n, digest } = await digestTable(client, table);
    lines.push(`${table.name} ${n} ${digest}`);
  }
  await client.query('COMMIT');
  return [rows[0]!.id, lines.join(', ')];
}

async function readUntil(
  urlNow: () => string,
  isOver: () => boolean,
  seen: Seen,
  wrong: string[],
): Promise<void> {
  // At least one read after the end, so that every publication of the night is seen whole.
  for (let isLast = false; !isLast; ) {
    isLast = isOver();
    const client = new pg.Client({ connectionString: urlNow() });
    client.on('error', () => undefined);
    try {
      await client.connect();
      do {
        const [publication, state] = await readOnce(client);
        const known = seen.get(publication);
        if (known === undefined) seen.set(publication, state);
        else if (known !== state)
          wrong.push(`a reader saw two states of publication ${publication}: ${known}; ${state}`);
        if (state.startsWith('property 0 ')) wrong.push(`a reader saw publication ${publication} empty`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      } while (!isOver());
    } catch {
      // Its server or session was killed; it connects again.
      if (!isOver()) await new Promise((resolve) => setTimeout(resolve, 20));
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

/** Starts readers; gives what ends them, and tells what was wrong. */
export function startReaders(urlNow: () => string, count: number, seen: Seen): () => Promise<string[]> {
  let over = false;
  const wrong: string[] = [];
  const readers = Array.from({ length: count }, () => readUntil(urlNow, () => over, seen, wrong));
  return async () => {
    over = true;
    await Promise.all(readers);
    return wrong;
  };
}
