import type pg from 'pg';
import { ANY_STATE, unreadAreaAsset } from '../../schema/assets/coverage.ts';
import { qualified } from '../../schema/ddl.ts';
import { coverageAreaRecord, coveragePieceRecord } from '../../schema/records/coverage.ts';

/** Returns a sentence for each dataset with a coverage that does not count in a state, with the row or kind that decided. */
export async function coverageNotes(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ dataset: string; theme: string; state: string; reason: string }>(
    `WITH claimed AS (
       SELECT dataset, theme FROM ${qualified(coverageAreaRecord)}
       UNION SELECT dataset, theme FROM ${qualified(coveragePieceRecord)}
     )
     SELECT dataset, theme, state, min(reason COLLATE "C") AS reason
     FROM ${qualified(unreadAreaAsset)} JOIN claimed USING (dataset, theme)
     WHERE west IS NULL GROUP BY dataset, theme, state ORDER BY dataset, theme, state`,
  );
  return rows.map(
    ({ dataset, theme, state, reason }) =>
      `Dataset ${dataset}: its coverage of ${theme} does not count${state === ANY_STATE ? '' : ` in ${state}`}, so a place without a feature is not assessed: ${reason}.`,
  );
}
