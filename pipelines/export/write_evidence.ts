import { link, mkdir, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type pg from 'pg';
import { modelEvidenceAsset } from '../../schema/assets/valuation.ts';
import { EtlError } from '../../schema/errors.ts';
import { orderedRows } from '../../store/read/ordered_rows.ts';
import { systemError } from '../../store/system/system_error.ts';
import { csvFile } from './text_file.ts';

/** Written file and row count. */
export interface WrittenEvidence {
  file: string;
  /** Number of sales and rents. */
  rows: number;
}

/**
 * Writes the training sales and rents of the month's models to a CSV, for `refresh --evidence` of another database. The file is written
 * completely or not at all and never replaces an existing one.
 * @throws EtlError no_evidence if there are none, output_not_ours if the file exists, and errors of systemError
 */
export async function writeEvidence(client: pg.ClientBase, file: string): Promise<WrittenEvidence> {
  const path = resolve(file);
  const partial = `${path}.${process.pid}.part`;
  await mkdir(dirname(path), { recursive: true });
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    const csv = await csvFile(partial, modelEvidenceAsset, true);
    let rows = 0;
    for await (const batch of orderedRows(client, modelEvidenceAsset, 'asset')) {
      rows += batch.length;
      await csv.add(batch);
    }
    await csv.end();
    if (rows === 0)
      throw new EtlError('no_evidence', 'No model has been trained yet, so there is no evidence to write.');
    await link(partial, path);
    return { file: path, rows };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new EtlError('output_not_ours', `${path} already exists. Give another name.`, {
        details: { path },
      });
    throw systemError(error as Error, path) ?? error;
  } finally {
    await rm(partial, { force: true });
    await client.query('ROLLBACK').catch(() => undefined);
  }
}
