import type pg from 'pg';
import { ident } from '../../schema/ddl.ts';
import type { Bbox } from '../../schema/grid.ts';
import { placeColumns, type Table } from '../../schema/table.ts';
import { intArray, source } from '../tables/table_rows.ts';
import { boxSql, meetsPlaces, type Sides } from './near_places.ts';

/** Changes that determine which keys of a partition are computed (pipelines/engine/increments/changed_keys.ts). */
interface PartitionChanges {
  cell: number;
  changes: {
    own: readonly number[];
    named: Readonly<Record<string, readonly number[]>>;
    boxes: readonly Bbox[];
  } | null;
}

/** Rows of keys: their table, SQL for their partition, and the key column. */
export interface KeyedRows {
  table: Table;
  partition: string;
  key: string;
  /** True: features near the keys are read (`isNearListed`). */
  looksAround: boolean;
}

/**
 * Lists the keys of partitions in the temporary table `batch_key` (cell, key) until the transaction ends. If the stage reads features
 * nearby, also lists the boxes of their rows in `batch_place`.
 */
export async function listBatchKeys(
  client: pg.ClientBase,
  partitions: readonly PartitionChanges[],
  subjects: KeyedRows,
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
  if (subjects.looksAround) await listPlaces(client, partitions, subjects);
}

/**
 * Returns a FROM item of the subject rows of some partitions that have a location: partition, key and box. `where`: a further condition.
 */
function placedRows(
  { table, partition, key }: KeyedRows,
  sides: Sides,
  cells: string,
  where = 'true',
): string {
  const rows = source(table, `${partition} = ANY (${cells}) AND ${sides[0]} IS NOT NULL AND ${where}`);
  return `(SELECT ${partition} AS cell, ${ident(key)} AS key, ${boxSql(sides)} AS place FROM ${rows}) s`;
}

/** Returns the sides of the rows' boxes; null: they have no location. */
const placeOf = ({ table }: KeyedRows): Sides | null =>
  (placeColumns(table)?.map((name) => ident(name)) as [string, string, string, string] | undefined) ?? null;

async function listPlaces(
  client: pg.ClientBase,
  partitions: readonly PartitionChanges[],
  subjects: KeyedRows,
): Promise<void> {
  const placeColumns = placeOf(subjects);
  if (placeColumns === null) return;
  const cells = intArray(partitions.map(({ cell }) => cell));
  await client.query(
    `CREATE TEMP TABLE batch_place ON COMMIT DROP AS
     SELECT place FROM ${placedRows(subjects, placeColumns, cells)} JOIN batch_key USING (cell, key);
     CREATE INDEX ON batch_place USING gist (place); ANALYZE batch_place`,
  );
}

/** SQL condition: a feature is within `reach` (degrees of longitude and latitude) of the box of a listed key. */
export const isNearListed = (
  client: pg.ClientBase,
  alias: string,
  reach: readonly [number, number],
): Promise<string> =>
  meetsPlaces(
    client,
    'batch_place',
    [`${alias}.min_lon`, `${alias}.min_lat`, `${alias}.max_lon`, `${alias}.max_lat`],
    reach,
  );

/**
 * Lists the keys of subject rows with a changed value in a column: a value logged for that column, else a changed key of the tracked table.
 */
async function listNamed(
  client: pg.ClientBase,
  partitions: readonly PartitionChanges[],
  { table, partition, key }: KeyedRows,
): Promise<void> {
  const columns = new Set(partitions.flatMap(({ changes }) => Object.keys(changes?.named ?? {})));
  for (const column of columns) {
    const pairs = partitions.flatMap(({ cell, changes }) =>
      (changes?.named[column] ?? []).map((id) => [cell, id] as const),
    );
    const cells = intArray([...new Set(pairs.map(([cell]) => cell))]);
    await client.query(
      `CREATE TEMP TABLE changed_value ON COMMIT DROP AS SELECT DISTINCT p.cell, k.value
       FROM unnest($1::int[], $2::int[]) p (cell, change_id) JOIN control.key_change c USING (change_id), jsonb_array_elements_text(COALESCE(c.named->$3, to_jsonb(c.keys))) k (value)`,
      [pairs.map(([cell]) => cell), pairs.map(([, id]) => id), column],
    );
    // IS TRUE keeps the list from becoming a join: it is hashed, and each row is read once.
    await client.query(
      `INSERT INTO batch_key SELECT DISTINCT s.cell, s.key
         FROM (SELECT ${partition} AS cell, ${ident(key)} AS key, ${ident(column)} AS value FROM ${source(table, `${partition} = ANY (${cells})`)}) s
         WHERE ((cell, value) IN (SELECT cell, value FROM changed_value)) IS TRUE ON CONFLICT DO NOTHING;
       DROP TABLE changed_value`,
    );
  }
}

/** Lists the keys of subject rows inside a changed box. A box of another partition counts too, so cells need not be compared. */
async function listNear(
  client: pg.ClientBase,
  partitions: readonly PartitionChanges[],
  subjects: KeyedRows,
): Promise<void> {
  const boxes = partitions.flatMap(({ cell, changes }) =>
    (changes?.boxes ?? []).map((box) => [cell, ...box] as const),
  );
  if (boxes.length === 0) return;
  const cells = intArray([...new Set(boxes.map(([cell]) => cell))]);
  await client.query(
    'CREATE TEMP TABLE changed_place (place box) ON COMMIT DROP; CREATE INDEX ON changed_place USING gist (place)',
  );
  await client.query(
    `INSERT INTO changed_place SELECT box(point(west, south), point(east, north))
     FROM (SELECT DISTINCT * FROM unnest($1::float8[], $2::float8[], $3::float8[], $4::float8[])) b (west, south, east, north)`,
    [1, 2, 3, 4].map((i) => boxes.map((box) => box[i])),
  );
  await client.query('ANALYZE changed_place');
  const placeColumns = placeOf(subjects)!;
  const near = await meetsPlaces(client, 'changed_place', placeColumns);
  await client.query(
    `INSERT INTO batch_key SELECT DISTINCT cell, key FROM ${placedRows(subjects, placeColumns, cells, near)} ON CONFLICT DO NOTHING`,
  );
}
