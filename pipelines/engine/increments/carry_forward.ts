import type pg from 'pg';
import { ident } from '../../../schema/ddl.ts';
import { EtlError } from '../../../schema/errors.ts';
import type { Bbox } from '../../../schema/grid.ts';
import { partitionName, partitionSql } from '../../../schema/partition.ts';
import type { Replacement } from '../../../store/increments/replace_rows.ts';
import { type PartitionContent, readContents } from '../../../store/state/partition_records.ts';
import { extentSql, intArray, outputTarget, source } from '../../../store/tables/table_rows.ts';
import { checkAccount } from '../compute_partitions.ts';
import { type Computed, type PartitionRecord, writePartitions } from '../record.ts';
import type { Stage } from '../stage.ts';

/** Fails if the number of changed keys with rows differs from the computation's account. */
function checkKeys(stage: Stage, { partition, account }: Computed, written: number): void {
  if (written === account.out) return;
  throw new EtlError(
    'unbalanced',
    `Stage ${stage.name}, ${partitionName(stage.output.partition, partition.cell)}: ${account.out} of the changed keys have rows by its account, but ${written} were written.`,
    { details: { stage: stage.name, cell: partition.cell, account } },
  );
}

/** Drops of a whole partition: they must share one name, because only their sum is known. */
function dropsOf(stage: Stage, without: number, names: readonly string[]): Record<string, number> {
  if (without === 0) return {};
  const [name, ...others] = new Set(names);
  if (name === undefined || others.length > 0)
    throw new TypeError(`Stage ${stage.name} is computed by key and must drop rows under one name.`);
  return { [name]: without };
}

/** Returns a partition's record after some of its keys were computed: the previous record plus the changes of those keys. */
function recordOf(
  stage: Stage,
  { partition, account }: Computed,
  previous: PartitionContent,
  change: Replacement | undefined,
): PartitionRecord {
  const out = previous.account.out + (change?.filled ?? 0);
  const names = [...Object.keys(previous.account.drops), ...Object.keys(account.drops)];
  return {
    cell: partition.cell,
    fingerprint: partition.fingerprint,
    digest: String(BigInt(previous.output_digest) + (change?.delta ?? 0n)),
    rows: previous.rows + (change?.rows ?? 0),
    refs: previous.refs,
    extent: previous.extent,
    account: {
      in: partition.subject_rows,
      out,
      drops: dropsOf(stage, partition.subject_rows - out, names),
      rejects: 0,
    },
    reason: partition.reason,
  };
}

/** Reads the bounding boxes of partitions' rows, if the table declares an extent. Boxes can shrink, so they are computed from all rows. */
async function extentsOf(
  client: pg.ClientBase,
  { output }: Stage,
  cells: readonly number[],
): Promise<ReadonlyMap<number, Bbox>> {
  if (output.extent === null) return new Map();
  const { rows } = await client.query<{ cell: number; extent: Bbox | null }>(
    `SELECT ${partitionSql(output)} AS cell, ${extentSql(output)} AS extent
     FROM ${source(output, `${partitionSql(output)} = ANY (${intArray(cells)})`)} GROUP BY 1`,
  );
  return new Map(rows.flatMap(({ cell, extent }) => (extent === null ? [] : [[cell, extent] as const])));
}

/**
 * Updates the recorded content of each home cell with the changes of the keys in `compared_key` (store/increments/replace_rows.ts). Only boxes
 * of home cells with a changed key are recomputed.
 */
async function carryHomes(client: pg.ClientBase, { name, output }: Stage): Promise<void> {
  if (output.home === null) return;
  const [partition, home] = [partitionSql(output), ident(output.home)];
  await client.query(
    `INSERT INTO control.home AS h (stage, cell, home, rows, digest, extent)
     SELECT $1, cell, home, rows, delta, extent
     FROM (SELECT cell, place AS home, sum(delta) AS delta, COALESCE(sum(rows_after), 0) - COALESCE(sum(rows_before), 0) AS rows
       FROM compared_key WHERE differs GROUP BY 1, 2) changed
     LEFT JOIN (SELECT ${partition} AS cell, ${home} AS home, ${extentSql(output)} AS extent FROM ${outputTarget(output)}
       WHERE (${partition}, ${home}) IN (SELECT cell, place FROM compared_key WHERE differs) GROUP BY 1, 2) boxes USING (cell, home)
     ON CONFLICT (stage, cell, home) DO UPDATE
       SET rows = h.rows + excluded.rows, digest = h.digest + excluded.digest, extent = excluded.extent`,
    [name],
  );
  await client.query('DELETE FROM control.home WHERE stage = $1 AND rows = 0', [name]);
}

/**
 * Records partitions after their listed keys were computed (store/increments/batch_keys.ts). Digest, rows and account change by the difference
 * of those keys.
 */
export async function carryForward(
  client: pg.ClientBase,
  stage: Stage,
  results: readonly Computed[],
  changes: readonly Replacement[],
  runId: number,
): Promise<void> {
  const contents = await readContents(
    client,
    stage.name,
    results.map(({ partition }) => partition.cell),
  );
  const extents = await extentsOf(client, stage, [...contents.keys()]);
  const changeOf = new Map(changes.map((change) => [change.cell, change]));
  const records = results.map((computed) => {
    const { cell } = computed.partition;
    checkKeys(stage, computed, changeOf.get(cell)?.keys_written ?? 0);
    const previous = { ...contents.get(cell)!, extent: extents.get(cell) ?? null };
    return recordOf(stage, computed, previous, changeOf.get(cell));
  });
  for (const { cell, account } of records) checkAccount(stage, cell, account, 0);
  await writePartitions(client, stage, records, runId);
  await carryHomes(client, stage);
}
