import type pg from 'pg';
import { EVERY_MODEL } from '../stages/valuation_models.ts';

interface ModelRow {
  kind: string;
  region: string;
  as_of: string;
  outcome: 'kept' | 'reduced';
  failures: string[];
}

/** A sentence where the evidence that was written down is of an earlier month than the latest event. */
async function dayNotes(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ as_of: string; latest: string }>(
    `SELECT as_of::text AS as_of, latest::text AS latest FROM asset.valuation_day, (SELECT max(latest) AS latest FROM asset.valuation_month) m
     WHERE as_of < date_trunc('month', latest)`,
  );
  return rows.map(
    ({ as_of, latest }) =>
      `Homes are valued as of ${as_of}, the day of the evidence that was written down; the latest sale or rent is of ${latest}. pipeline evidence writes it down anew.`,
  );
}

/** Sentences of what the valuation lags behind, and of each region whose newest model does not serve, with the gates that it failed. */
export async function modelNotes(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<ModelRow>(
    `SELECT kind, region, as_of::text AS as_of, outcome, failures FROM ${EVERY_MODEL}
     WHERE outcome IN ('kept', 'reduced') ORDER BY kind, region`,
  );
  const models = rows.map(({ kind, region, as_of, outcome, failures }) => {
    const serves =
      outcome === 'kept' ? `that of ${as_of} goes on serving` : 'homes are valued without boosted trees';
    return `The newest model of ${kind}s in ${region} failed its gates; ${serves}. ${failures.join(' ')}`;
  });
  return [...(await dayNotes(client)), ...models];
}
