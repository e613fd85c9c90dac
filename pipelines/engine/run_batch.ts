import type pg from 'pg';
import { ident, qualified } from '../../schema/ddl.ts';
import { EtlError, type Reject } from '../../schema/errors.ts';
import type { Table } from '../../schema/table.ts';
import { digestSql, intArray } from '../../store/assets.ts';
import { copyInto } from '../../store/copy_binary.ts';
import { unforce } from '../../store/forced.ts';
import { takeHandedOut } from '../../store/handed_out.ts';
import type { PlannedPartition } from './plan.ts';
import { type Inputs, readInputs } from './read_inputs.ts';
import { ResourceCache } from './resources.ts';
import type { Stage, StageAccount } from './stage.ts';

type AnyRow = Record<string, unknown>;

/** Where the rows of a stage go: serving rows wait in the schema `staged` until they are published. */
export const outputTarget = (table: Table): string =>
  qualified(table, table.schema === 'serving' ? 'staged' : table.schema);

/** Fails where the account of a partition does not balance. */
function checkAccount(stage: Stage, cell: number, account: StageAccount, rejects: number): void {
  const dropped = Object.values(account.drops).reduce((sum, n) => sum + n, 0);
  if (account.in !== account.out + dropped + rejects) {
    throw new EtlError(
      'unbalanced',
      `Stage ${stage.name}, cell ${cell}: ${account.in} rows in, but ${account.out} out + ${rejects} rejected + ${dropped} dropped.`,
      { details: { stage: stage.name, cell, account } },
    );
  }
}

/** What the books keep of a computed partition; its rows are in the table. */
interface Computed {
  partition: PlannedPartition;
  rows: number;
  refs: readonly number[];
  account: StageAccount;
  rejects: readonly Reject[];
}

/** Computes the partitions one after the other and writes the rows of each before the next: one is in memory at a time. */
async function computeAndWrite(
  client: pg.ClientBase,
  stage: Stage,
  params: Readonly<Record<string, unknown>>,
  partitions: readonly PlannedPartition[],
  inputs: Inputs,
  resource: unknown,
): Promise<Computed[]> {
  const copy = copyInto(client, outputTarget(stage.output), stage.output.columns);
  const computed: Computed[] = [];
  try {
    for (const partition of partitions) {
      const { rows, refs, account, rejects } = stage.compute(inputs(partition), {
        cell: partition.cell,
        params,
        resource,
      });
      checkAccount(stage, partition.cell, account, rejects?.length ?? 0);
      await copy.write(rows as AnyRow[]);
      computed.push({ partition, rows: rows.length, refs: refs ?? [], account, rejects: rejects ?? [] });
    }
    await copy.end();
  } catch (error) {
    // The connection takes no other statement, ROLLBACK included, before the COPY is broken off.
    copy.abort();
    throw error;
  }
  return computed;
}

/**
 * Fencing: a run that was declared dead must not write any more. Holds the run's row until commit, so that declaring it
 * dead waits for what is just being committed; a weaker lock would let both through.
 */
async function checkRun(client: pg.ClientBase, runId: number): Promise<void> {
  const found = await client.query(
    `SELECT 1 FROM control.run WHERE run_id = $1 AND state = 'running' FOR SHARE`,
    [runId],
  );
  if (found.rowCount === 0)
    throw new EtlError('run_superseded', `Run ${runId} is not running any more; another took over.`);
}

/** Deletes the earlier output and rejects of the given cells. */
async function clear(client: pg.ClientBase, stage: Stage, cells: readonly number[]): Promise<void> {
  if (cells.length === 0) return;
  await client.query(`DELETE FROM ${outputTarget(stage.output)} WHERE cell = ANY (${intArray(cells)})`);
  await client.query('DELETE FROM control.reject WHERE stage = $1 AND cell = ANY ($2)', [stage.name, cells]);
}

async function writeRejects(
  client: pg.ClientBase,
  stage: Stage,
  cell: number,
  rejects: readonly Reject[],
): Promise<void> {
  for (const { code, file, at, message } of rejects) {
    await client.query(
      'INSERT INTO control.reject (stage, cell, code, file, at, message) VALUES ($1, $2, $3, $4, $5, $6)',
      [stage.name, cell, code, file, at, message],
    );
  }
}

/** Records the partitions of a batch with the digest of what was written. */
async function record(
  client: pg.ClientBase,
  stage: Stage,
  results: readonly Computed[],
  runId: number,
): Promise<void> {
  const cells = results.map((result) => result.partition.cell);
  const columns = Object.keys(stage.output.columns);
  const digests = await client.query<{ cell: number; digest: string }>(
    `SELECT cell, ${digestSql(columns)}::text AS digest FROM ${outputTarget(stage.output)}
     WHERE cell = ANY (${intArray(cells)}) GROUP BY cell`,
  );
  const byCell = new Map(digests.rows.map((row) => [row.cell, row.digest]));
  const rows = results.map(({ partition, rows: written, refs, account, rejects }) => ({
    cell: partition.cell,
    fingerprint: partition.fingerprint,
    digest: byCell.get(partition.cell) ?? '0',
    rows: written,
    refs: [...refs].sort((a, b) => a - b),
    account: { ...account, rejects: rejects.length },
    reason: partition.reason,
  }));
  await client.query(
    `INSERT INTO control.partition (stage, cell, fingerprint, output_digest, rows, refs, account, staged, run_id, reason)
     SELECT $1, (p->>'cell')::int, p->'fingerprint', (p->>'digest')::numeric, (p->>'rows')::int,
       ARRAY(SELECT jsonb_array_elements_text(p->'refs')::int), p->'account', $2, $3, p->>'reason'
     FROM jsonb_array_elements($4::jsonb) p
     ON CONFLICT (stage, cell) DO UPDATE SET fingerprint = excluded.fingerprint, output_digest = excluded.output_digest,
       rows = excluded.rows, refs = excluded.refs, account = excluded.account, staged = excluded.staged,
       run_id = excluded.run_id, reason = excluded.reason, computed_at = now()`,
    [stage.name, stage.output.schema === 'serving', runId, JSON.stringify(rows)],
  );
  await recordHomes(client, stage, cells);
}

/** Records what the partitions put into each cell where rows are looked for. */
async function recordHomes(client: pg.ClientBase, stage: Stage, cells: readonly number[]): Promise<void> {
  const { home } = stage.output;
  if (home === null) return;
  await client.query('DELETE FROM control.home WHERE stage = $1 AND cell = ANY ($2)', [stage.name, cells]);
  await client.query(
    `INSERT INTO control.home (stage, cell, home, rows, digest)
     SELECT $1, cell, ${ident(home)}, count(*), ${digestSql(Object.keys(stage.output.columns))}
     FROM ${outputTarget(stage.output)} WHERE cell = ANY (${intArray(cells)}) GROUP BY cell, ${ident(home)}`,
    [stage.name],
  );
}

/** What a batch came to. */
export interface BatchSummary {
  /** Cells that were computed or removed. */
  cells: number[];
  rows: number;
}

/** Where a batch has its partitions from: the list itself, or their cells, where they are in the ledger of what is handed out. */
export type BatchSource = readonly PlannedPartition[] | { cells: readonly number[] };

const isListed = (source: BatchSource): source is readonly PlannedPartition[] => Array.isArray(source);

/** The transaction of a batch, from the rows that it reads to what is recorded of it. */
async function transact(
  client: pg.ClientBase,
  stage: Stage,
  params: Readonly<Record<string, unknown>>,
  source: BatchSource,
  runId: number,
  resources: ResourceCache,
): Promise<BatchSummary> {
  await checkRun(client, runId);
  const partitions = isListed(source)
    ? source
    : await takeHandedOut<PlannedPartition>(client, runId, stage.name, source.cells);
  const cells = partitions.map((partition) => partition.cell);
  if (cells.length === 0) return { cells, rows: 0 };
  const run = partitions.filter((partition) => partition.action === 'run');
  const inputs: Inputs = run.length > 0 ? await readInputs(client, stage, run) : () => ({});
  // All partitions of a batch need the same one (plan.ts, batches).
  const resource = run.length > 0 ? await resources.get(client, stage, run[0]!) : undefined;
  await unforce(client, stage.name, cells);
  await clear(
    client,
    stage,
    partitions.filter((partition) => partition.replaces).map((partition) => partition.cell),
  );
  const removed = partitions
    .filter((partition) => partition.action === 'remove')
    .map((partition) => partition.cell);
  if (removed.length > 0) {
    await client.query('DELETE FROM control.partition WHERE stage = $1 AND cell = ANY ($2)', [
      stage.name,
      removed,
    ]);
  }
  if (run.length === 0) return { cells, rows: 0 };
  const results = await computeAndWrite(client, stage, params, run, inputs, resource);
  for (const { partition, rejects } of results) await writeRejects(client, stage, partition.cell, rejects);
  await record(client, stage, results, runId);
  return { cells, rows: results.reduce((sum, result) => sum + result.rows, 0) };
}

/**
 * Computes a batch of partitions and writes rows, digests, accounts and fingerprints in one transaction. Of partitions from the
 * ledger it computes those that nobody else has in hand or has recorded, which may be none.
 */
export async function runBatch(
  client: pg.ClientBase,
  stage: Stage,
  params: Readonly<Record<string, unknown>>,
  source: BatchSource,
  runId: number,
  resources: ResourceCache = new ResourceCache(),
): Promise<BatchSummary> {
  await client.query('BEGIN');
  try {
    const summary = await transact(client, stage, params, source, runId, resources);
    await client.query('COMMIT');
    return summary;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
