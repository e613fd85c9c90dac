import type pg from 'pg';
import { modelOfPartition } from '../../schema/model_partition.ts';
import { EVERY_MODEL } from '../stages/valuation_models.ts';

interface ModelRow {
  kind: string;
  region: string;
  as_of: string;
  outcome: 'kept' | 'reduced';
  failures: string[];
}

/** How the sales and rents of a state have grown since its model of the month was made. */
export interface EvidenceDrift {
  kind: string;
  /** State abbreviation. */
  state: string;
  /** Sales or rents that the model of the month is made from, and those that there are now before the day of valuation. */
  in_model: number;
  now: number;
}

/** From the books: no row is read. Ordered by kind and state. */
export async function evidenceDrift(client: pg.ClientBase): Promise<EvidenceDrift[]> {
  const { rows } = await client.query<{ cell: number; in_model: number; now: number }>(
    `SELECT p.cell, p.rows AS in_model, COALESCE(h.rows, 0)::int AS now FROM control.partition p
     LEFT JOIN (SELECT home, sum(rows) AS rows FROM control.home WHERE stage = 'valuation_sale' GROUP BY home) h ON h.home = p.cell
     WHERE p.stage = 'model_evidence' ORDER BY p.cell DESC`,
  );
  return rows.map(({ cell, ...counts }) => ({ ...modelOfPartition(cell), ...counts }));
}

/** From this share of growth or loss people are told that a model lags behind. */
const DRIFT_TOLD = 0.1;

/** Whether the sales of a model have grown or shrunk so much that it is worth training again. */
export const hasDrifted = ({ in_model, now }: EvidenceDrift): boolean =>
  Math.abs(now - in_model) > DRIFT_TOLD * in_model;

const driftNote = ({ kind, state, in_model, now }: EvidenceDrift): string =>
  `The model of ${kind}s in ${state} was trained on ${in_model.toLocaleString('en-AU')} ${kind}s this month, and ${now.toLocaleString('en-AU')} are loaded now. refresh --retrain trains it again; else the first run of the next month does.`;

/** Sentences of each model whose sales have drifted, and of each region whose newest model does not serve, with the gates that it failed. */
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
  return [...(await evidenceDrift(client)).filter(hasDrifted).map(driftNote), ...models];
}
