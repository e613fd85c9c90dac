import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type pg from 'pg';
import { EtlError } from '../../schema/errors.ts';
import { writeNew } from '../../store/system/output_path.ts';
import { modelJson } from '../../transforms/avm/model_json.ts';
import { EVERY_MODEL } from '../stages/valuation/valuation_models.ts';

interface TrainedModel {
  kind: string;
  region: string;
  model_id: string;
  as_of: string;
  artefact: Uint8Array;
  evidence: Uint8Array;
}

/**
 * Writes each trained model to a JSON file of a folder, such as `sale_VIC.json`; `readModelJson` reads it. Files with these names are
 * never replaced. Returns the files.
 * @throws EtlError no_evidence if no model is trained, output_not_ours, and the errors of systemError
 */
export async function writeModels(client: pg.ClientBase, folder: string): Promise<string[]> {
  const { rows } = await client.query<{ kind: string; region: string }>(
    `SELECT kind, region FROM ${EVERY_MODEL} ORDER BY kind, region`,
  );
  if (rows.length === 0) throw new EtlError('no_evidence', 'No model has been trained yet.');
  await mkdir(resolve(folder), { recursive: true });
  const files: string[] = [];
  for (const { kind, region } of rows) {
    const result = await client.query<TrainedModel>(
      `SELECT kind, region, model_id, as_of::text AS as_of, artefact, evidence FROM ${EVERY_MODEL} WHERE kind = $1 AND region = $2`,
      [kind, region],
    );
    const { artefact, evidence, ...about } = result.rows[0]!;
    const file = join(resolve(folder), `${kind}_${region}.json`);
    await writeNew(file, modelJson(about, artefact, evidence));
    files.push(file);
  }
  return files;
}
