import type pg from 'pg';
import { ident } from '../../schema/ddl.ts';
import type { Reject } from '../../schema/errors.ts';
import type { Bbox } from '../../schema/grid.ts';
import { partitionSql } from '../../schema/partition.ts';
import { digestSql, extentSql, intArray } from '../../store/tables/table_rows.ts';
import type { Fingerprint } from './fingerprint.ts';
import type { PlannedPartition } from './plan.ts';
import type { Stage, StageAccount } from './stage.ts';

/** A computed partition before it is recorded; its rows are written. */
export interface Computed {
  partition: PlannedPartition;
  rows: number;
  refs: readonly number[];
  account: StageAccount;
  rejects: readonly Reject[];
}

/** Record of a partition after it was computed. */
export interface PartitionRecord {
  cell: number;
  fingerprint: Fingerprint;
  digest: string;
  rows: number;
  refs: readonly number[];
  extent: Bbox | null;
  account: StageAccount & { rejects: number };
  reason: string;
}

/** Records partitions, replacing their earlier records. */
export async function writePartitions(
  client: pg.ClientBase,
  stage: Stage,
  records: readonly PartitionRecord[],
  runId: number,
): Promise<void> {
  await client.query(
    `INSERT INTO control.partition (stage, cell, fingerprint, output_digest, rows, refs, extent, account, staged, run_id, reason)
     SELECT $1, (p->>'cell')::int, p->'fingerprint', (p->>'digest')::numeric, (p->>'rows')::int,
       ARRAY(SELECT jsonb_array_elements_text(p->'refs')::int),
       CASE jsonb_typeof(p->'extent') WHEN 'array' THEN ARRAY(SELECT jsonb_array_elements_text(p->'extent')::float8) END, p->'account', $2, $3, p->>'reason'
     FROM jsonb_array_elements($4::jsonb) p
     ON CONFLICT (stage, cell) DO UPDATE SET fingerprint = excluded.fingerprint, output_digest = excluded.output_digest,
       rows = excluded.rows, refs = excluded.refs, extent = excluded.extent, account = excluded.account, staged = excluded.staged,
       run_id = excluded.run_id, reason = excluded.reason, computed_at = now()`,
    [stage.name, stage.output.schema === 'serving', runId, JSON.stringify(records)],
  );
}

/** Records the rejects of a partition. */
export async function writeRejects(
  client: pg.ClientBase,
  stage: Stage,
  cell: number,
  rejects: readonly Reject[],
): Promise<void> {
  for (const { code, file, at, message, gnaf_pid } of rejects) {
    await client.query(
      'INSERT INTO control.reject (stage, cell, code, file, at, message, gnaf_pid) VALUES ($1, $2, $3, $4, $5, $6, $7)',
      [stage.name, cell, code, file, at, message, gnaf_pid ?? null],
    );
  }
}

/** Records partitions computed as a whole; their rows are in the table `madeIn`. */
export async function record(
  client: pg.ClientBase,
  stage: Stage,
  results: readonly Computed[],
  runId: number,
  madeIn: string,
): Promise<void> {
  const cells = results.map((result) => result.partition.cell);
  const byCell = await contentsOf(client, stage, cells, madeIn);
  const records = results.map(({ partition, rows, refs, account, rejects }) => ({
    cell: partition.cell,
    fingerprint: partition.fingerprint,
    digest: byCell.get(partition.cell)?.digest ?? '0',
    rows,
    refs: [...refs].sort((a, b) => a - b),
    extent: byCell.get(partition.cell)?.extent ?? null,
    account: { ...account, rejects: rejects.length },
    reason: partition.reason,
  }));
  await writePartitions(client, stage, records, runId);
  await recordHomes(client, stage, cells, madeIn);
}

/** Recorded content of a cell. */
interface Content {
  digest: string;
  extent: Bbox | null;
}

/** Reads digests and extents of cells' rows; cells without rows are missing. */
async function contentsOf(
  client: pg.ClientBase,
  { output }: Stage,
  cells: readonly number[],
  madeIn: string,
): Promise<Map<number, Content>> {
  const { rows } = await client.query<Content & { cell: number }>(
    `SELECT ${partitionSql(output)} AS cell, ${digestSql(Object.keys(output.columns))}::text AS digest, ${extentSql(output)} AS extent
     FROM ${madeIn} WHERE ${partitionSql(output)} = ANY (${intArray(cells)}) GROUP BY 1`,
  );
  return new Map(rows.map(({ cell, ...content }) => [cell, content]));
}

/** Records the rows that partitions wrote, by home cell. */
async function recordHomes(
  client: pg.ClientBase,
  stage: Stage,
  cells: readonly number[],
  madeIn: string,
): Promise<void> {
  const { home } = stage.output;
  if (home === null) return;
  await client.query('DELETE FROM control.home WHERE stage = $1 AND cell = ANY ($2)', [stage.name, cells]);
  await client.query(
    `INSERT INTO control.home (stage, cell, home, rows, digest, extent)
     SELECT $1, ${partitionSql(stage.output)}, ${ident(home)}, count(*), ${digestSql(Object.keys(stage.output.columns))}, ${extentSql(stage.output)}
     FROM ${madeIn} WHERE ${partitionSql(stage.output)} = ANY (${intArray(cells)}) GROUP BY 2, 3`,
    [stage.name],
  );
}
