import { createHash } from 'node:crypto';
import type pg from 'pg';
import { columnSql, ident, qualified } from '../../schema/ddl.ts';
import { partitionSql } from '../../schema/partition.ts';
import { SERVING_TABLES } from '../../schema/serving/index.ts';
import type { Table } from '../../schema/table.ts';
import { isOutdated } from '../../store/declared_tables.ts';
import { conditionSql } from '../../store/tables/condition.ts';
import { allSql, intArray, listedSql } from '../../store/tables/table_rows.ts';
import { checkAccount } from './compute_partitions.ts';
import { checkedQueryView, dropQueryRelations, type ForeignQuery, queryRows } from './foreign_query.ts';
import { isReadByKey, keyOf } from './increments/changed_keys.ts';
import type { StageInput, StageInputs } from './input.ts';
import type { PlannedPartition } from './plan.ts';
import type { Computed } from './record.ts';
import { partitionSqlOf } from './slice.ts';
import { partitionedBy, type Stage, type Statement } from './stage.ts';

/** Returns a version number from a text's hash (28 bits, fits a server integer). */
const versionOf = (text: string): number =>
  Number.parseInt(createHash('sha256').update(text).digest('hex').slice(0, 7), 16);

/**
 * Declares a stage as an SQL query over its inputs by name. Scope `all`: it sees all rows. Scope `own`: it sees the rows of every partition
 * of a batch at once, or of the changed keys only, so it must pass partition numbers along. Its version follows from its text. The server's
 * read order must not matter: compare texts by `COLLATE "C"`, break ties, and sum integers, or fractions in a stated order.
 */
export function sqlStage<const I extends StageInputs>({
  sql,
  dropped = {},
  without = null,
  foreignQuery = null,
  ...declaration
}: {
  name: string;
  doc: string;
  subject: keyof I & string;
  frozenBy?: keyof I & string;
  inputs: I;
  output: Table;
  dropped?: Statement['dropped'];
  without?: string | null;
  foreignQuery?: ForeignQuery | null;
  sql: string;
}): Stage {
  return {
    frozenBy: null,
    ...declaration,
    version: versionOf(JSON.stringify(without === null ? [sql, dropped] : [sql, dropped, without])),
    by: partitionedBy(declaration.inputs[declaration.subject]!, declaration.output),
    isBatchedAlone: false,
    params: () => ({}),
    resource: null,
    compute: { sql, dropped, without, foreignQuery },
  };
}

/** Returns whether only rows of the changed keys are read from an input; otherwise all rows of its slice. */
function isListed(stage: Stage, input: StageInput, partitions: readonly PlannedPartition[]): boolean {
  return partitions[0]!.changes !== null && isReadByKey(stage, input);
}

/** Returns a query for the rows and columns of an input that some partitions see. */
function inputQuery(stage: Stage, input: StageInput, partitions: readonly PlannedPartition[]): string {
  const { table, columns, scope } = input;
  const where = input.where && `(${conditionSql(input.where)})`;
  const partition = partitionSqlOf(input);
  if (isListed(stage, input, partitions))
    return listedSql({ table, columns, where, partition }, keyOf(stage)!);
  if (scope.kind === 'all') return allSql(table, columns, where);
  const condition = `${partition} = ANY (${intArray(partitions.map(({ cell }) => cell))})`;
  return allSql(table, columns, where === undefined ? condition : `${condition} AND ${where}`);
}

/**
 * Returns the inputs as the WITH list of a statement. The server estimates few rows for the union of staged and served rows and would join
 * row by row. Rows of changed keys are first put into temporary tables, whose size it knows.
 */
async function readGiven(
  client: pg.ClientBase,
  stage: Stage,
  partitions: readonly PlannedPartition[],
): Promise<string> {
  const statements: string[] = [];
  const names: string[] = [];
  for (const [name, input] of Object.entries(stage.inputs)) {
    const query = isModel(input.table) ? await everyRow(client, input) : inputQuery(stage, input, partitions);
    if (!isListed(stage, input, partitions)) {
      names.push(`${ident(name)} AS NOT MATERIALIZED (${query})`);
      continue;
    }
    const viewName = ident(`given_${name}`);
    statements.push(
      `DROP TABLE IF EXISTS ${viewName}; CREATE TEMP TABLE ${viewName} ON COMMIT DROP AS ${query}; ANALYZE ${viewName}`,
    );
    names.push(`${ident(name)} AS NOT MATERIALIZED (SELECT * FROM ${viewName})`);
  }
  if (statements.length > 0) await client.query(statements.join('; '));
  return names.join(', ');
}

const isModel = (table: Table): boolean =>
  table.schema === 'serving' && !SERVING_TABLES.some((each) => each === table);

/** Returns a query for every row of a table. If a model's columns differ from its served table, only staged rows count. */
const everyRow = async (client: pg.ClientBase, { table, columns }: StageInput): Promise<string> =>
  isModel(table) && (await isOutdated(client, table))
    ? `SELECT ${columns.map(ident).join(', ')} FROM ${qualified(table, 'staged')}`
    : allSql(table, columns);

/** Returns the inputs of a foreign query as queries. Each of its partitions sees all rows. */
async function foreignInputs(client: pg.ClientBase, stage: Stage): Promise<Record<string, string>> {
  const inputNames: Record<string, string> = {};
  for (const [name, input] of Object.entries(stage.inputs)) inputNames[name] = await everyRow(client, input);
  return inputNames;
}

/**
 * Returns queries with the column types of a foreign query's inputs. Models return no rows: their tables may be missing or have outdated
 * columns.
 */
const typesOfGiven = ({ inputs }: Stage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, { table, columns }]) => {
      if (!isModel(table)) return [name, allSql(table, columns)];
      const nulls = columns.map((each) => `NULL::${columnSql(table.columns[each]!).type} AS ${ident(each)}`);
      return [name, `SELECT ${nulls.join(', ')} WHERE false`];
    }),
  );

/** Checks a foreign query against its header without computing it. @throws EtlError model_invalid */
export async function checkForeignQuery(client: pg.ClientBase, stage: Stage): Promise<void> {
  const { compute } = stage;
  if (typeof compute === 'function' || compute.foreignQuery === null) return;
  await client.query('BEGIN');
  try {
    await checkedQueryView(client, compute.foreignQuery, stage.output, typesOfGiven(stage), compute.sql);
  } finally {
    await client.query('ROLLBACK');
  }
}

/** Writes a statement's rows for some partitions to `target` in the transaction of a batch, and accounts for its subject rows. */
export async function runStatement(
  client: pg.ClientBase,
  stage: Stage,
  { sql, dropped, without, foreignQuery }: Statement,
  partitions: readonly PlannedPartition[],
  target: string,
): Promise<Computed[]> {
  const { inputs, output } = stage;
  const names = await readGiven(client, stage, partitions);
  const columns = Object.keys(output.columns).map(ident).join(', ');
  const query =
    foreignQuery === null
      ? sql
      : await queryRows(client, foreignQuery, output, await foreignInputs(client, stage), sql);
  const key = without === null ? 'NULL::text' : ident(output.tracked ?? output.primaryKey[0]!);
  const written = await client.query<{ cell: number; rows: number; keys: number }>(
    `WITH ${names}, made AS (
       INSERT INTO ${target} (${columns}) SELECT ${columns} FROM (${query}) made RETURNING ${partitionSql(output)} AS cell, ${key} AS key)
     SELECT cell, count(*)::int AS rows, count(DISTINCT key)::int AS keys FROM made GROUP BY cell`,
  );
  const subject = inputs[stage.subject]!;
  const partition = stage.by === 'whole' ? partitionSql({ partition: 'whole' }) : partitionSqlOf(subject);
  const drops = Object.entries(dropped).map(([name, test]) => `'${name}', count(*) FILTER (WHERE ${test})`);
  const countsRead = await client.query<{ cell: number; in: number; drops: Record<string, number> }>(
    `WITH ${names} SELECT ${partition} AS cell, count(*)::int AS "in", jsonb_build_object(${drops.join(', ')}) AS drops
     FROM ${ident(stage.subject)} GROUP BY cell`,
  );
  if (foreignQuery !== null) await dropQueryRelations(client, foreignQuery, output, Object.keys(inputs));
  const madeOf = new Map(written.rows.map((counts) => [counts.cell, counts]));
  const readOf = new Map(countsRead.rows.map((counts) => [counts.cell, counts]));
  return partitions.map((partition) => {
    const { cell } = partition;
    const { rows, keys } = madeOf.get(cell) ?? { rows: 0, keys: 0 };
    const counts = readOf.get(cell) ?? { in: 0, drops: {} };
    const all: Record<string, number> = without === null ? counts.drops : { [without]: counts.in - keys };
    const drops = Object.fromEntries(Object.entries(all).filter(([, n]) => n > 0));
    const leftOver = Object.values(drops).reduce((sum, n) => sum - n, counts.in);
    const account = { in: counts.in, out: without === null ? leftOver : keys, drops };
    checkAccount(stage, cell, account, 0);
    return { partition, rows, refs: [], account, rejects: [] };
  });
}
