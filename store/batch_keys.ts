import type pg from 'pg';
import { ident } from '../schema/ddl.ts';
import type { Bbox } from '../schema/grid.ts';
import { placeColumns, type Table } from '../schema/table.ts';
import { intArray, source } from './assets.ts';

/** What says which keys of a partition are to be computed (pipelines/engine/changed_keys.ts). */
interface Listed {
  cell: number;
  changes: {
    own: readonly number[];
    named: Readonly<Record<string, readonly number[]>>;
    boxes: readonly Bbox[];
  } | null;
}

/** The rows that keys are of: their table, SQL for the partition that they are looked for in, and the column of the key. */
export interface Subjects {
  table: Table;
  partition: string;
  key: string;
}

/** Lists the keys of partitions in the temporary table `batch_key` (cell, key), until the transaction ends. */
export async function listBatchKeys(
  client: pg.ClientBase,
  partitions: readonly Listed[],
  subjects: Subjects,
): Promise<void> {
  await client.query(
    'CREATE TEMP TABLE batch_key (cell int, key text, PRIMARY KEY (cell, key)) ON COMMIT DROP',
  );
  const pairs = partitions.flatMap(({ cell, changes }) =>
    (changes?.own ?? []).map((id) => [cell, id] as const),
  );
  await client.query(
    `INSERT INTO batch_key SELECT DISTINCT p.cell, k.key
     FROM unnest($1::int[], $2::int[]) p (cell, change_id) JOIN control.key_change c USING (change_id), unnest(c.keys) k (key)`,
    [pairs.map(([cell]) => cell), pairs.map(([, id]) => id)],
  );
  await listNamed(client, partitions, subjects);
  await listNear(client, partitions, subjects);
  await client.query('ANALYZE batch_key');
}

/** Lists the keys of the subject rows that have a changed value in a column. */
async function listNamed(
  client: pg.ClientBase,
  partitions: readonly Listed[],
  { table, partition, key }: Subjects,
): Promise<void> {
  const columns = new Set(partitions.flatMap(({ changes }) => Object.keys(changes?.named ?? {})));
  for (const column of columns) {
    const pairs = partitions.flatMap(({ cell, changes }) =>
      (changes?.named[column] ?? []).map((id) => [cell, id] as const),
    );
    const cells = intArray([...new Set(pairs.map(([cell]) => cell))]);
    await client.query(
      `INSERT INTO batch_key SELECT DISTINCT p.cell, s.key
       FROM unnest($1::int[], $2::int[]) p (cell, change_id) JOIN control.key_change c USING (change_id), unnest(c.keys) k (value),
         (SELECT ${partition} AS cell, ${ident(key)} AS key, ${ident(column)} AS value FROM ${source(table, `${partition} = ANY (${cells})`)}) s
       WHERE s.cell = p.cell AND s.value = k.value ON CONFLICT DO NOTHING`,
      [pairs.map(([cell]) => cell), pairs.map(([, id]) => id)],
    );
  }
}

/** Lists the keys of the subject rows that lie in one of the boxes of their partition. */
async function listNear(
  client: pg.ClientBase,
  partitions: readonly Listed[],
  { table, partition, key }: Subjects,
): Promise<void> {
  const boxes = partitions.flatMap(({ cell, changes }) =>
    (changes?.boxes ?? []).map((box) => [cell, ...box] as const),
  );
  if (boxes.length === 0) return;
  const [west, south, east, north] = placeColumns(table)!.map((name) => ident(name));
  const cells = intArray([...new Set(boxes.map(([cell]) => cell))]);
  await client.query(
    `INSERT INTO batch_key SELECT DISTINCT b.cell, s.key
     FROM unnest($1::int[], $2::float8[], $3::float8[], $4::float8[], $5::float8[]) b (cell, west, south, east, north),
       (SELECT ${partition} AS cell, ${ident(key)} AS key, ${west} AS west, ${south} AS south, ${east} AS east, ${north} AS north
        FROM ${source(table, `${partition} = ANY (${cells})`)}) s
     WHERE s.cell = b.cell AND s.west <= b.east AND s.east >= b.west AND s.south <= b.north AND s.north >= b.south ON CONFLICT DO NOTHING`,
    [0, 1, 2, 3, 4].map((i) => boxes.map((box) => box[i])),
  );
}
