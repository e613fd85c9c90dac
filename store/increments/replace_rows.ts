import type pg from 'pg';
import { ident } from '../../schema/ddl.ts';
import type { Bbox } from '../../schema/grid.ts';
import { partitionSql } from '../../schema/partition.ts';
import { partitionColumn, type Table } from '../../schema/table.ts';
import { digestSql, intArray, outputTarget, source, stageOfServing } from '../tables/table_rows.ts';
import type { CellChange } from './key_changes.ts';

/** Rows of a table that a transaction replaces: the rows of listed keys (store/increments/batch_keys.ts), or all rows of some partitions. */
export type Replaced = 'listed' | readonly number[];

/** SQL condition: a row is among the replaced ones. */
function isReplaced(table: Table, replaced: Replaced): string {
  const partition = partitionSql(table);
  return replaced === 'listed'
    ? `(${partition}, ${ident(table.tracked!)}) IN (SELECT cell, key FROM batch_key)`
    : `${partition} = ANY (${intArray(replaced)})`;
}

const SIDES = ['west', 'south', 'east', 'north'] as const;

/** Returns SQL for the sides of the box around a key's rows, for tables with an extent; null sides: no extent. */
const sidesOf = ({ extent }: Table): string =>
  SIDES.map(
    (side, i) =>
      `${extent === null ? 'NULL::float8' : `${i < 2 ? 'min' : 'max'}(${ident(extent[i]!)})`} AS ${side}`,
  ).join(', ');

/** SQL for the box around the rows of a key before and after. */
const SIDES_OF_BOTH = SIDES.map(
  (side, i) => `${i < 2 ? 'LEAST' : 'GREATEST'}(o.${side}, n.${side}) AS ${side}`,
).join(', ');

/** Returns a query that sums rows by partition, by home cell, and by key. */
const byKey = (table: Table, from: string): string =>
  `SELECT ${partitionSql(table)} AS cell, ${table.home === null ? partitionSql(table) : ident(table.home)} AS place, ${ident(table.tracked!)} AS key,
     count(*)::int AS rows, ${digestSql(Object.keys(table.columns))} AS digest, ${sidesOf(table)} FROM ${from} GROUP BY 1, 2, 3`;

export interface Replacement extends CellChange {
  /** Number of replaced keys that have rows now. */
  keys_written: number;
}

/** Changes of a replacement for the log: by the partition that computed the rows, and by their home cell. */
interface ReplacementLog {
  made: Replacement[];
  changes: Replacement[];
}

/** Reads what changed for the keys of each partition, or of each home cell, from `compared_key`. */
async function changesBy(
  client: pg.ClientBase,
  column: 'cell' | 'place',
  { extent }: Table,
): Promise<Replacement[]> {
  const { rows } = await client.query<
    Omit<Replacement, 'delta' | 'named' | 'boxes'> & { delta: string; boxes: Bbox[] | null }
  >(
    `SELECT cell, sum(delta)::text AS delta, (COALESCE(sum(rows_after), 0) - COALESCE(sum(rows_before), 0))::int AS rows,
       (count(rows_after) - count(rows_before))::int AS filled, count(rows_after)::int AS keys_written, count(*)::int AS keys_seen,
       COALESCE(array_agg(key ORDER BY key COLLATE "C") FILTER (WHERE differs), '{}') AS keys,
       array_agg(ARRAY[west, south, east, north] ORDER BY key COLLATE "C") FILTER (WHERE differs AND west IS NOT NULL) AS boxes
     FROM (SELECT ${column} AS cell, key, sum(delta) AS delta, sum(rows_before) AS rows_before, sum(rows_after) AS rows_after,
         bool_or(differs) AS differs, min(west) AS west, min(south) AS south, max(east) AS east, max(north) AS north FROM compared_key GROUP BY 1, 2) k GROUP BY cell ORDER BY cell`,
  );
  return rows.map(({ delta, boxes, ...row }) => ({
    ...row,
    delta: BigInt(delta),
    named: null,
    boxes: extent === null ? null : (boxes ?? []),
  }));
}

/** Temporary table of the new rows. */
const MADE = 'made_row';

/** Compares the rows to be replaced with the new rows; leaves their keys in `compared_key`. */
async function compare(client: pg.ClientBase, table: Table, replaced: Replaced): Promise<ReplacementLog> {
  const keys = [partitionColumn(table), table.tracked].flatMap((name) =>
    name === null ? [] : [ident(name)],
  );
  const before = byKey(table, source(table, isReplaced(table, replaced)));
  await client.query(
    `ANALYZE ${MADE} (${keys.join(', ')});
     CREATE TEMP TABLE compared_key ON COMMIT DROP AS
     SELECT cell, place, key, ${SIDES_OF_BOTH}, o.rows AS rows_before, n.rows AS rows_after, COALESCE(n.digest, 0) - COALESCE(o.digest, 0) AS delta,
       (o.rows, o.digest) IS DISTINCT FROM (n.rows, n.digest) AS differs
     FROM (${before}) o FULL JOIN (${byKey(table, MADE)}) n USING (cell, place, key);
     ANALYZE compared_key`,
  );
  const changesMade = await changesBy(client, 'cell', table);
  const changes = table.home === null ? changesMade : await changesBy(client, 'place', table);
  // Listed keys are not all keys of the cell.
  const isWhole = replaced !== 'listed';
  return {
    made: changesMade,
    changes: isWhole ? changes : changes.map((change) => ({ ...change, keys_seen: null })),
  };
}

/**
 * Replaces only the rows of keys that differ. Keys of a serving table that differ from the published ones are listed in control.staged_key;
 * a partition without published rows is staged as a whole.
 */
async function writeDifferences(client: pg.ClientBase, table: Table): Promise<void> {
  const target = outputTarget(table);
  if (table.schema === 'serving')
    await client.query(
      `INSERT INTO control.staged_key (stage, cell, key) SELECT DISTINCT $1, cell, key FROM compared_key c
       WHERE differs AND EXISTS (SELECT FROM control.published p WHERE p.table_name = $2 AND p.cell = c.cell) ON CONFLICT DO NOTHING`,
      [stageOfServing(table), table.name],
    );
  const differs = (alias: string): string =>
    `(${partitionSql(table, `${alias}.`)}, ${alias}.${ident(table.tracked!)}) IN (SELECT cell, key FROM compared_key WHERE differs)`;
  const names = Object.keys(table.columns).map(ident).join(', ');
  await client.query(
    `DELETE FROM ${target} t WHERE ${differs('t')}; INSERT INTO ${target} (${names}) SELECT ${names} FROM ${MADE} m WHERE ${differs('m')}`,
  );
}

export interface Replacing<T> extends ReplacementLog {
  result: T;
  /** Table with all new rows; if nothing was replaced, it also has other rows. */
  made_in: string;
}

/**
 * Replaces rows of a table by the rows that `write` writes into a given table, inside the caller's transaction. Returns the keys whose rows
 * changed; unchanged rows are not written. Without a tracked column, or if nothing is replaced, it returns none.
 */
export async function replaceRows<T>(
  client: pg.ClientBase,
  table: Table,
  replaced: Replaced,
  write: (target: string) => Promise<T>,
): Promise<Replacing<T>> {
  const target = outputTarget(table);
  if (replaced.length === 0 || table.tracked === null) {
    if (replaced.length > 0) await client.query(`DELETE FROM ${target} WHERE ${isReplaced(table, replaced)}`);
    return { result: await write(target), made: [], changes: [], made_in: target };
  }
  await client.query(
    `DROP TABLE IF EXISTS compared_key, ${MADE}; CREATE TEMP TABLE ${MADE} (LIKE ${target} INCLUDING STORAGE) ON COMMIT DROP`,
  );
  const result = await write(MADE);
  const changes = await compare(client, table, replaced);
  await writeDifferences(client, table);
  return { result, ...changes, made_in: MADE };
}
