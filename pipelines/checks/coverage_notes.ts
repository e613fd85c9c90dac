import type pg from 'pg';
import { ANY_STATE, unreadAreaAsset } from '../../schema/assets/coverage.ts';
import { qualified } from '../../schema/ddl.ts';

/** Returns a sentence for each dataset that counts as covering nothing in a state, with the row that decided. */
export async function coverageNotes(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ dataset: string; theme: string; state: string; reason: string }>(
    `SELECT dataset, theme, state, min(reason COLLATE "C") AS reason FROM ${qualified(unreadAreaAsset)}
     WHERE west IS NULL GROUP BY dataset, theme, state ORDER BY dataset, theme, state`,
  );
  return rows.map(
    ({ dataset, theme, state, reason }) =>
      `Dataset ${dataset}: its coverage of ${theme} does not count${state === ANY_STATE ? '' : ` in ${state}`}, so a place without a feature is not assessed: ${reason}.`,
  );
}
