import type pg from 'pg';
import { assumedDatum } from '../../sources/formats/vector/settle_crs.ts';

/** Returns a sentence for each loaded dataset whose files name no Australian datum. */
export async function datumNotes(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ dataset: string; stated: string }>(
    `SELECT dataset, min(crs->>'stated') AS stated FROM control.load
     WHERE state = 'active' AND (crs->>'datum_assumed')::bool GROUP BY dataset ORDER BY dataset`,
  );
  return rows.map(({ dataset, stated }) => `${dataset}: ${assumedDatum(stated)}`);
}
