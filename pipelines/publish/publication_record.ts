import type pg from 'pg';
import { nextPublication, type PublicationKind } from '../../store/journal/journal.ts';
import type { TableReport } from '../report/report.ts';

/** Records the digest of each table: the sum over its published cells. */
export async function noteDigests(client: pg.ClientBase, tables: readonly TableReport[]): Promise<void> {
  const { rows } = await client.query<{ table: string; digest: string }>(
    'SELECT table_name AS table, sum(digest)::text AS digest FROM control.published GROUP BY table_name',
  );
  const digests = new Map(rows.map((row) => [row.table, row.digest]));
  for (const report of tables) report.digest = digests.get(report.table) ?? '0';
}

/** Records a publication; its tables, datasets and audit are added later. */
export async function enterPublication(
  client: pg.ClientBase,
  runId: number,
  kind: PublicationKind,
  reason: string | null,
  restores: number | null = null,
): Promise<number> {
  const publication = await nextPublication(client);
  await client.query(
    `INSERT INTO control.publication (publication_id, run_id, kind, reason, restores, tables, datasets, audit)
     VALUES ($1, $2, $3, $4, $5, '[]', '[]', '[]')`,
    [publication, runId, kind, reason, restores],
  );
  return publication;
}
