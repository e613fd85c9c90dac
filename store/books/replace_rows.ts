import type pg from 'pg';
import { ident } from '../../schema/ddl.ts';
import type { Bbox } from '../../schema/grid.ts';
import { partitionSql } from '../../schema/partition.ts';
import type { Table } from '../../schema/table.ts';
import { digestSql, intArray, outputTarget, source, stageOfServing } from '../assets.ts';
import type { CellChange } from './key_changes.ts';

/** Which rows of a table a transaction replaces: those of the keys that it lists (store/books/batch_keys.ts), or all of some partitions. */
export type Replaced = 'listed' | readonly number[];

/** SQL condition: a row is among the replaced ones. */
function isReplaced(table: Table, replaced: Replaced): string {
  const partition = partitionSql(table);
  return replaced === 'listed'
    ? `(${partition}, ${ident(table.tracked!)}) IN (SELECT cell, key FROM batch_key)`
    : `${partition} = ANY (${intArray(replaced)})`;
}

/** Of a cell in which more keys differ it is not written down where: planning holds the boxes. */
const MOST_BOXES = 1000;

const SIDES = ['west', 'south', 'east', 'north'] as const;

/** SQL for the sides of the box around the rows of a key, of a table whose rows are looked for by place; null: there is none. */
const sidesOf = ({ extent }: Table): string =>
  SIDES.map(
    (side, i) =>
      `${extent === null ? 'NULL::float8' : `${i < 2 ? 'min' : 'max'}(${ident(extent[i]!)})`} AS ${side}`,
  ).join(', ');

/** The box around the rows of a key before and after. */
const SIDES_OF_BOTH = SIDES.map(
  (side, i) => `${i < 2 ? 'LEAST' : 'GREATEST'}(o.${side}, n.${side}) AS ${side}`,
).join(', ');

/** SQL for the kind of the rows of a key; null: they are of several, or their table has none. */
const kindOf = ({ kind }: Table): string =>
  kind === null
    ? 'NULL::text'
    : `CASE WHEN count(*) = count(${ident(kind)}) AND min(${ident(kind)}) = max(${ident(kind)}) THEN min(${ident(kind)}) END`;

/** The kind of the rows of a key before and after. */
const KIND_OF_BOTH =
  'CASE WHEN o.rows IS NULL THEN n.kind WHEN n.rows IS NULL OR o.kind = n.kind THEN o.kind END AS kind';

/** Rows summed up by partition, by where they are looked for, and by key, as a query. */
const byKey = (table: Table, from: string): string =>
  `SELECT ${partitionSql(table)} AS cell, ${table.home === null ? partitionSql(table) : ident(table.home)} AS place, ${ident(table.tracked!)} AS key,
     count(*)::int AS rows, ${digestSql(Object.keys(table.columns))} AS digest, ${sidesOf(table)}, ${kindOf(table)} AS kind FROM ${from} GROUP BY 1, 2, 3`;

/** Changes of a replacement in a cell. */
export interface Replacement extends CellChange {
  /** Replaced keys that have rows now. */
  keys_written: number;
}

/** Changes of a replacement, by the partition that made the rows, and by the cell where they belong, for the log. */
export interface Changes {
  made: Replacement[];
  changes: Replacement[];
}

/** What became of the keys of each partition, or of each cell where rows are looked for, by `compared_key`. */
async function changesBy(
  client: pg.ClientBase,
  column: 'cell' | 'place',
  { extent, kind }: Table,
): Promise<Replacement[]> {
  const { rows } = await client.query<
    Omit<Replacement, 'delta' | 'boxes'> & { delta: string; boxes: Bbox[] | null; kinds: (string | null)[] }
  >(
    `SELECT cell, sum(delta)::text AS delta, (COALESCE(sum(rows_after), 0) - COALESCE(sum(rows_before), 0))::int AS rows,
       (count(rows_after) - count(rows_before))::int AS filled, count(rows_after)::int AS keys_written, count(*)::int AS keys_seen,
       COALESCE(array_agg(key ORDER BY key COLLATE "C") FILTER (WHERE differs), '{}') AS keys,
       array_agg(ARRAY[west, south, east, north] ORDER BY key COLLATE "C") FILTER (WHERE differs AND west IS NOT NULL) AS boxes,
       array_agg(kind ORDER BY key COLLATE "C") FILTER (WHERE differs AND west IS NOT NULL) AS kinds
     FROM (SELECT ${column} AS cell, key, sum(delta) AS delta, sum(rows_before) AS rows_before, sum(rows_after) AS rows_after,
         bool_or(differs) AS differs, min(west) AS west, min(south) AS south, max(east) AS east, max(north) AS north,
         CASE WHEN count(*) = count(kind) AND min(kind) = max(kind) THEN min(kind) END AS kind FROM compared_key GROUP BY 1, 2) k GROUP BY cell ORDER BY cell`,
  );
  return rows.map(({ delta, boxes, kinds, ...row }) => ({
    ...row,
    delta: BigInt(delta),
    boxes:
      extent === null || row.keys.length > MOST_BOXES
        ? null
        : (boxes ?? []).map((box, i) => (kind === null ? box : [...box, kinds[i]!])),
  }));
}

/** Compares the rows kept in `replaced_key` with those that are there now; leaves the keys in `compared_key`. */
async function compare(client: pg.ClientBase, table: Table, replaced: Replaced): Promise<Changes> {
  const now = byKey(table, `${outputTarget(table)} WHERE ${isReplaced(table, replaced)}`);
  await client.query(
    `DROP TABLE IF EXISTS compared_key; CREATE TEMP TABLE compared_key ON COMMIT DROP AS
     SELECT cell, place, key, ${SIDES_OF_BOTH}, ${KIND_OF_BOTH}, o.rows AS rows_before, n.rows AS rows_after, COALESCE(n.digest, 0) - COALESCE(o.digest, 0) AS delta,
       (o.rows, o.digest) IS DISTINCT FROM (n.rows, n.digest) AS differs
     FROM replaced_key o FULL JOIN (${now}) n USING (cell, place, key); DROP TABLE replaced_key; ANALYZE compared_key`,
  );
  const made = await changesBy(client, 'cell', table);
  const changes = table.home === null ? made : await changesBy(client, 'place', table);
  // Of listed keys that is no share of the cell.
  const isWhole = replaced !== 'listed';
  return { made, changes: isWhole ? changes : changes.map((change) => ({ ...change, keys_seen: null })) };
}

/**
 * For a tracked serving table, keeps only the rows of the keys that `replaceRows` found to differ from the published ones staged, and
 * lists them in control.staged_key; a partition without published rows is staged as a whole. Call it once the replaced partitions are
 * recorded, since a digest covers all of their rows.
 */
export async function stageDifferences(
  client: pg.ClientBase,
  table: Table,
  replaced: Replaced,
): Promise<void> {
  if (table.schema !== 'serving' || table.tracked === null || replaced.length === 0) return;
  const stage = stageOfServing(table);
  const isPublished = (cell: string): string =>
    `EXISTS (SELECT FROM control.published p WHERE p.table_name = $2 AND p.cell = ${cell})`;
  await client.query(
    `INSERT INTO control.staged_key (stage, cell, key) SELECT $1, cell, key FROM compared_key c
     WHERE differs AND ${isPublished('c.cell')} ON CONFLICT DO NOTHING`,
    [stage, table.name],
  );
  const [cell, key] = [partitionSql(table, 's.'), `s.${ident(table.tracked)}`];
  // The server does not know yet how many rows were written, and would look for the keys one by one.
  await client.query('SET LOCAL enable_nestloop = off');
  await client.query(
    `DELETE FROM ${outputTarget(table)} s USING compared_key c
     WHERE ${cell} = ANY (ARRAY(SELECT DISTINCT cell FROM compared_key)) AND c.cell = ${cell} AND c.key = ${key} AND NOT c.differs
       AND ${isPublished('c.cell')} AND NOT EXISTS (SELECT FROM control.staged_key k WHERE k.stage = $1 AND k.cell = c.cell AND k.key = c.key)`,
    [stage, table.name],
  );
  await client.query('SET LOCAL enable_nestloop = on');
}

/** More listed keys than these are looked for by hashing all rows: the server expects few, and would look for each by itself. */
const MANY_KEYS = 2000;

async function areMany(client: pg.ClientBase, replaced: Replaced): Promise<boolean> {
  if (replaced !== 'listed') return false;
  const { rows } = await client.query<{ n: number }>('SELECT count(*)::int AS n FROM batch_key');
  return rows[0]!.n > MANY_KEYS;
}

/**
 * Replaces rows of a table by those that `write` writes, inside the caller's transaction, and returns the keys whose rows changed.
 * Without a tracked column, or where nothing is replaced, it returns none.
 */
export async function replaceRows<T>(
  client: pg.ClientBase,
  table: Table,
  replaced: Replaced,
  write: () => Promise<T>,
): Promise<Changes & { result: T }> {
  if (replaced.length === 0) return { result: await write(), made: [], changes: [] };
  const isTracked = table.tracked !== null;
  const where = isReplaced(table, replaced);
  if (isTracked)
    await client.query(
      `SET LOCAL enable_nestloop = ${(await areMany(client, replaced)) ? 'off' : 'on'};
       CREATE TEMP TABLE replaced_key ON COMMIT DROP AS ${byKey(table, source(table, where))}; ANALYZE replaced_key;
       SET LOCAL enable_nestloop = on`,
    );
  await client.query(`DELETE FROM ${outputTarget(table)} WHERE ${where}`);
  const result = await write();
  return { result, ...(isTracked ? await compare(client, table, replaced) : { made: [], changes: [] }) };
}
