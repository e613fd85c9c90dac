import type pg from 'pg';
import { qualified } from '../../schema/ddl.ts';
import { EtlError, type Reject } from '../../schema/errors.ts';
import type { Bbox } from '../../schema/grid.ts';
import type { Table } from '../../schema/table.ts';
import { digestSql, intArray, readAll, readBox, readCells, readKeys } from '../../store/assets.ts';
import { copyInto } from '../../store/copy_binary.ts';
import type { PlannedPartition, Selection } from './plan.ts';
import type { Scope, Stage, StageAccount, StageInput, StageResult } from './stage.ts';

type AnyRow = Record<string, unknown>;

/** Where the rows of a stage go: serving rows wait in the schema `staged` until they are published. */
export const outputTarget = (table: Table): string =>
  qualified(table, table.schema === 'serving' ? 'staged' : table.schema);

/** Sorts by primary key, comparing code units and nulls first, so that a computation sees the same order whatever the storage gave. */
function sortByKey(rows: AnyRow[], keys: readonly string[]): AnyRow[] {
  return rows.sort((a, b) => {
    for (const key of keys) {
      const x = a[key] as string | number | null;
      const y = b[key] as string | number | null;
      if (x === y) continue;
      if (x === null) return -1;
      if (y === null || x > y) return 1;
      return -1;
    }
    return 0;
  });
}

/** The smallest box around all boxes. */
function unionBox(boxes: readonly Bbox[]): Bbox {
  return boxes.reduce((a, b) => [
    Math.min(a[0], b[0]),
    Math.min(a[1], b[1]),
    Math.max(a[2], b[2]),
    Math.max(a[3], b[3]),
  ]);
}

/** Columns that sorting and splitting need besides those the computation asked for. */
function columnsToRead(input: StageInput): string[] {
  const extra = [...input.table.primaryKey, ...('cell' in input.table.columns ? ['cell'] : [])];
  return [...new Set([...input.columns, ...extra])];
}

/** Reads the rows of one input for all partitions of a batch, sorted. */
async function readInput(
  client: pg.ClientBase,
  input: StageInput,
  selections: readonly Selection[],
  subjectRows: readonly AnyRow[],
): Promise<AnyRow[]> {
  const { table, where, scope } = input;
  const columns = columnsToRead(input);
  if (scope.kind === 'all') return sortByKey(await readAll(client, table, columns, where), table.primaryKey);
  if (selections[0]?.kind === 'keys') {
    const by = scope.kind === 'near' ? scope.unplaced : (scope as Extract<Scope<never>, { kind: 'keys' }>);
    const keys = new Set<string>();
    for (const row of subjectRows) {
      const key = by.of(row as never);
      if (key !== null) keys.add(key);
    }
    if (keys.size === 0) return [];
    return sortByKey(await readKeys(client, table, columns, by.column, [...keys], where), table.primaryKey);
  }
  const cells = new Set<number>();
  const boxes: Bbox[] = [];
  for (const selection of selections) {
    if (selection.kind === 'box') boxes.push(selection.box);
    if (selection.kind === 'box' || selection.kind === 'cells')
      for (const cell of selection.cells) cells.add(cell);
  }
  const rows =
    boxes.length > 0
      ? await readBox(client, table, columns, [...cells], unionBox(boxes), where)
      : await readCells(client, table, columns, [...cells], where);
  return sortByKey(rows, table.primaryKey);
}

const meets = (row: AnyRow, [minLon, minLat, maxLon, maxLat]: Bbox): boolean =>
  (row.min_lon as number) <= maxLon &&
  (row.max_lon as number) >= minLon &&
  (row.min_lat as number) <= maxLat &&
  (row.max_lat as number) >= minLat;

/** Splits the rows of a batch among its partitions. */
class InputSplitter {
  readonly #rows: AnyRow[];
  readonly #byCell = new Map<number, AnyRow[]>();

  constructor(rows: AnyRow[], hasCell: boolean) {
    this.#rows = rows;
    if (!hasCell) return;
    for (const row of rows) {
      const group = this.#byCell.get(row.cell as number);
      if (group) group.push(row);
      else this.#byCell.set(row.cell as number, [row]);
    }
  }

  take(selection: Selection, keys: readonly string[]): AnyRow[] {
    if (selection.kind === 'keys' || selection.kind === 'all') return this.#rows;
    if (selection.kind === 'box') return this.#rows.filter((row) => meets(row, selection.box));
    if (selection.cells.length === 1) return this.#byCell.get(selection.cells[0]!) ?? [];
    return sortByKey(
      selection.cells.flatMap((cell) => this.#byCell.get(cell) ?? []),
      keys,
    );
  }
}

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

interface Computed extends StageResult {
  partition: PlannedPartition;
}

/** Reads and computes all partitions of a batch; writes nothing. */
async function compute(
  client: pg.ClientBase,
  stage: Stage,
  params: Readonly<Record<string, unknown>>,
  partitions: readonly PlannedPartition[],
): Promise<Computed[]> {
  const names = [stage.subject, ...Object.keys(stage.inputs).filter((name) => name !== stage.subject)];
  const splitters: Record<string, InputSplitter> = {};
  let subjectRows: AnyRow[] = [];
  for (const name of names) {
    const input = stage.inputs[name]!;
    const selections = partitions.map((partition) => partition.selections[name]!);
    const rows = await readInput(client, input, selections, subjectRows);
    if (name === stage.subject) subjectRows = rows;
    splitters[name] = new InputSplitter(rows, 'cell' in input.table.columns);
  }
  return partitions.map((partition) => {
    const rows = Object.fromEntries(
      names.map((name) => [
        name,
        splitters[name]!.take(partition.selections[name]!, stage.inputs[name]!.table.primaryKey),
      ]),
    );
    const result = stage.compute(rows, { cell: partition.cell, params });
    checkAccount(stage, partition.cell, result.account, result.rejects?.length ?? 0);
    return { ...result, partition };
  });
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
  const rows = results.map(({ partition, rows: output, refs, account, rejects }) => ({
    cell: partition.cell,
    fingerprint: partition.fingerprint,
    digest: byCell.get(partition.cell) ?? '0',
    rows: output.length,
    refs: [...(refs ?? [])].sort((a, b) => a - b),
    account: { ...account, rejects: rejects?.length ?? 0 },
  }));
  await client.query(
    `INSERT INTO control.partition (stage, cell, fingerprint, output_digest, rows, refs, account, staged, run_id)
     SELECT $1, (p->>'cell')::int, p->'fingerprint', (p->>'digest')::numeric, (p->>'rows')::int,
       ARRAY(SELECT jsonb_array_elements_text(p->'refs')::int), p->'account', $2, $3
     FROM jsonb_array_elements($4::jsonb) p
     ON CONFLICT (stage, cell) DO UPDATE SET fingerprint = excluded.fingerprint, output_digest = excluded.output_digest,
       rows = excluded.rows, refs = excluded.refs, account = excluded.account, staged = excluded.staged,
       run_id = excluded.run_id, computed_at = now()`,
    [stage.name, stage.output.schema === 'serving', runId, JSON.stringify(rows)],
  );
}

export interface BatchSummary {
  partitions: number;
  rows: number;
}

/** Computes a batch of partitions and writes rows, digests, accounts and fingerprints in one transaction. */
export async function runBatch(
  client: pg.ClientBase,
  stage: Stage,
  params: Readonly<Record<string, unknown>>,
  partitions: readonly PlannedPartition[],
  runId: number,
): Promise<BatchSummary> {
  const run = partitions.filter((partition) => partition.action === 'run');
  const results = run.length > 0 ? await compute(client, stage, params, run) : [];
  await client.query('BEGIN');
  try {
    await checkRun(client, runId);
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
    if (results.length > 0) {
      const copy = copyInto(client, outputTarget(stage.output), stage.output.columns);
      for (const result of results) await copy.write(result.rows as AnyRow[]);
      await copy.end();
      for (const { partition, rejects } of results)
        await writeRejects(client, stage, partition.cell, rejects ?? []);
      await record(client, stage, results, runId);
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
  return {
    partitions: partitions.length,
    rows: results.reduce((sum, result) => sum + result.rows.length, 0),
  };
}
