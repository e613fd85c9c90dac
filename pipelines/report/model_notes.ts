import type pg from 'pg';
import { EVERY_MODEL } from '../stages/valuation_models.ts';

interface ModelRow {
  kind: string;
  region: string;
  as_of: string;
  outcome: 'kept' | 'reduced';
  failures: string[];
}

/** A sentence for each region whose newest valuation model does not serve, with the gates that it failed. */
export async function modelNotes(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<ModelRow>(
    `SELECT kind, region, as_of::text AS as_of, outcome, failures FROM ${EVERY_MODEL}
     WHERE outcome IN ('kept', 'reduced') ORDER BY kind, region`,
  );
  return rows.map(({ kind, region, as_of, outcome, failures }) => {
    const serves =
      outcome === 'kept' ? `that of ${as_of} goes on serving` : 'homes are valued without boosted trees';
    return `The newest model of ${kind}s in ${region} failed its gates; ${serves}. ${failures.join(' ')}`;
  });
}
