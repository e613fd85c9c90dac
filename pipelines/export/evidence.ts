import { link, mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type pg from 'pg';
import { valuationSaleAsset } from '../../schema/assets/valuation.ts';
import { EtlError } from '../../schema/errors.ts';
import type { Table } from '../../schema/table.ts';
import { evidenceFile } from '../../sources/evidence/adapter.ts';
import { orderedRows } from '../../store/ordered_rows.ts';
import { systemError } from '../../store/system_error.ts';
import { csvFile } from './text_file.ts';

/** What was written. */
export interface WrittenEvidence {
  file: string;
  /** Day of valuation. */
  as_of: string;
  sales: number;
  rents: number;
}

/** The sales as the adapter `evidence` reads them: the partition of the model, and whether one is recent, follow from the rest. */
function writtenTable(): Table {
  const { model_partition: _model, is_recent: _recent, ...columns } = valuationSaleAsset.columns;
  return { ...valuationSaleAsset, columns };
}

/**
 * Writes the sales and rents that the valuation is made from, as they were computed last, to a CSV in a folder, whole or not at all.
 * Evidence that is there already is not replaced.
 * @throws EtlError no_evidence where there is none, output_not_ours where the file is there, and those of systemError
 */
export async function writeEvidence(client: pg.ClientBase, out: string): Promise<WrittenEvidence> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    const { rows } = await client.query<{ as_of: string }>(
      'SELECT as_of::text AS as_of FROM asset.valuation_day',
    );
    const as_of = rows[0]?.as_of;
    if (as_of === undefined)
      throw new EtlError('no_evidence', 'No sale or rent is loaded: there is no evidence to write down.');
    const path = join(resolve(out), evidenceFile(as_of));
    const partial = `${path}.${process.pid}.part`;
    await mkdir(resolve(out), { recursive: true });
    const counts = { sale: 0, rent: 0 };
    try {
      const table = writtenTable();
      const file = await csvFile(partial, table);
      for await (const batch of orderedRows(client, table, 'asset')) {
        for (const { kind } of batch) counts[kind as keyof typeof counts]++;
        await file.add(batch);
      }
      await file.end();
      await link(partial, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST')
        throw new EtlError(
          'output_not_ours',
          `${path} is there already, and is left as it is: the valuation of that day was made from it. Move it away to write it again.`,
          { details: { path } },
        );
      throw systemError(error as Error, path) ?? error;
    } finally {
      await rm(partial, { force: true });
    }
    return { file: path, as_of, sales: counts.sale, rents: counts.rent };
  } finally {
    await client.query('ROLLBACK').catch(() => undefined);
  }
}
