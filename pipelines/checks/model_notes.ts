import type pg from 'pg';
import { modelOfPartition } from '../../schema/model_partition.ts';
import { EVERY_MODEL } from '../stages/valuation/valuation_models.ts';

interface ModelRow {
  kind: string;
  region: string;
  as_of: string;
  outcome: 'kept' | 'reduced';
  failures: string[];
}

/** Growth of a state's sales and rents since its model of the month was trained. */
export interface EvidenceDrift {
  kind: string;
  /** State abbreviation. */
  state: string;
  /** Training sales or rents of the month's model, and those now loaded before the valuation date. */
  in_model: number;
  now: number;
}

/** Computes the drift by kind and state, in that order. Reads control tables only. */
export async function evidenceDrift(client: pg.ClientBase): Promise<EvidenceDrift[]> {
  const { rows } = await client.query<{ cell: number; in_model: number; now: number }>(
    `SELECT p.cell, p.rows AS in_model, COALESCE(h.rows, 0)::int AS now FROM control.partition p
     LEFT JOIN (SELECT home, sum(rows) AS rows FROM control.home WHERE stage = 'valuation_sale' GROUP BY home) h ON h.home = p.cell
     WHERE p.stage = 'model_evidence' ORDER BY p.cell DESC`,
  );
  return rows.map(({ cell, ...counts }) => ({ ...modelOfPartition(cell), ...counts }));
}

/** Minimum growth or loss for a note, as a share. */
const MIN_DRIFT = 0.1;

/** Returns whether the sales of a model have grown or shrunk enough to retrain it. */
export const hasDrifted = ({ in_model, now }: EvidenceDrift): boolean =>
  Math.abs(now - in_model) > MIN_DRIFT * in_model;

const driftNote = ({ kind, state, in_model, now }: EvidenceDrift): string =>
  `The model of ${kind}s in ${state} was trained on ${in_model.toLocaleString('en-AU')} ${kind}s this month; ${now.toLocaleString('en-AU')} are loaded now. refresh --retrain trains it again; otherwise the first run of next month does.`;

/** Returns a sentence for each model whose sales have drifted, and for each region whose newest model failed its gates, naming them. */
export async function modelNotes(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<ModelRow>(
    `SELECT kind, region, as_of::text AS as_of, outcome, failures FROM ${EVERY_MODEL}
     WHERE outcome IN ('kept', 'reduced') ORDER BY kind, region`,
  );
  const models = rows.map(({ kind, region, as_of, outcome, failures }) => {
    const serves =
      outcome === 'kept'
        ? `the model of ${as_of} stays in service`
        : 'homes are valued without boosted trees';
    return `The newest model of ${kind}s in ${region} failed its gates; ${serves}. ${failures.join(' ')}`;
  });
  return [...(await evidenceDrift(client)).filter(hasDrifted).map(driftNote), ...models];
}
