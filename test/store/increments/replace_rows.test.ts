import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTableSql } from '../../../schema/ddl.ts';
import { col, table } from '../../../schema/table.ts';
import { replaceRows } from '../../../store/increments/replace_rows.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';

const things = table({
  schema: 'asset',
  name: 'thing',
  doc: 'Test.',
  columns: {
    cell: col('int4', 'Cell.'),
    key: col('text', 'Key.'),
    no: col('int4', 'Number.'),
    value: col('int4', 'Value.'),
  },
  primaryKey: ['key', 'no'],
  tracked: 'key',
});
/** Its rows lie at a longitude of `no` and a latitude of `value`. */
const placed = { ...things, extent: ['no', 'value', 'no', 'value'] as const };
const untracked = { ...things, tracked: null };

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('CREATE SCHEMA asset');
  for (const sql of [createTableSql(things)].flat()) await client.query(sql);
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const put =
  (rows: readonly (readonly [cell: number, key: string, no: number, value: number])[]) =>
  async (target = 'asset.thing') => {
    for (const row of rows) await client.query(`INSERT INTO ${target} VALUES ($1, $2, $3, $4)`, [...row]);
    return rows.length;
  };
const all = async () =>
  (await client.query('SELECT * FROM asset.thing ORDER BY cell, key, no')).rows.map((row) =>
    Object.values(row),
  );

/** Does `work` in a transaction on a table of three cells, and takes it back. */
async function onThree<T>(work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    await put([
      [1, 'changes', 1, 10],
      [1, 'stays', 1, 11],
      [2, 'goes', 1, 20],
      [3, 'stays too', 1, 30],
    ])();
    return await work();
  } finally {
    await client.query('ROLLBACK');
  }
}

it('replaces partitions, and returns the keys that were added, removed or changed', () =>
  onThree(async () => {
    const { result, changes } = await replaceRows(
      client,
      things,
      [1, 2],
      put([
        [1, 'changes', 1, 12],
        [1, 'changes', 2, 13],
        [1, 'comes', 1, 14],
        [1, 'stays', 1, 11],
      ]),
    );
    expect(result).toBe(4);
    expect(changes).toMatchObject([
      { cell: 1, rows: 2, filled: 1, keys: ['changes', 'comes'], keys_seen: 3, keys_written: 3 },
      { cell: 2, rows: -1, filled: -1, keys: ['goes'], keys_seen: 1, keys_written: 0 },
    ]);
    expect(changes[0]!.delta).not.toBe(0n);
    expect(await all()).toHaveLength(5);
  }));

it('replaces the listed keys alone', () =>
  onThree(async () => {
    await client.query('CREATE TEMP TABLE batch_key (cell int, key text) ON COMMIT DROP');
    await client.query("INSERT INTO batch_key VALUES (1, 'changes'), (3, 'stays too'), (3, 'never was')");
    const rows = [
      [1, 'changes', 1, 99],
      [3, 'stays too', 1, 30],
    ] as const;
    const { changes } = await replaceRows(client, things, 'listed', put(rows));
    expect(changes).toMatchObject([
      { cell: 1, rows: 0, filled: 0, keys: ['changes'], keys_written: 1 },
      { cell: 3, rows: 0, filled: 0, keys: [], delta: 0n, keys_written: 1 },
    ]);
    // How large a share of the cell they are is not known: a log that left them out would have the whole cell computed.
    expect(changes.map(({ keys_seen }) => keys_seen)).toEqual([null, null]);
    expect(await all()).toEqual([
      [1, 'changes', 1, 99],
      [1, 'stays', 1, 11],
      [2, 'goes', 1, 20],
      [3, 'stays too', 1, 30],
    ]);
  }));

it('rewrites the rows of a key that differs, and leaves the other rows untouched', () =>
  onThree(async () => {
    const places = async () =>
      (await client.query('SELECT key, ctid::text AS at FROM asset.thing WHERE cell = 1 ORDER BY key')).rows;
    const [, stays] = await places();
    await replaceRows(
      client,
      things,
      [1],
      put([
        [1, 'changes', 1, 12],
        [1, 'stays', 1, 11],
      ]),
    );
    const [changes, stayed] = await places();
    expect(stayed).toEqual(stays);
    expect(changes.at).not.toBe(stays.at);
    expect(await all()).toContainEqual([1, 'changes', 1, 12]);
  }));

it('returns the opposite difference for the reverse change', () =>
  onThree(async () => {
    const there = await replaceRows(client, things, [2], put([[2, 'goes', 1, 21]]));
    const back = await replaceRows(client, things, [2], put([[2, 'goes', 1, 20]]));
    expect(back.changes[0]!.delta).toBe(-there.changes[0]!.delta);
  }));

it('returns no changes for a table without a tracked column, or without partitions', () =>
  onThree(async () => {
    expect((await replaceRows(client, untracked, [1], put([]))).changes).toEqual([]);
    expect((await replaceRows(client, things, [], put([[9, 'first', 1, 1]]))).changes).toEqual([]);
    expect(await all()).toEqual([
      [2, 'goes', 1, 20],
      [3, 'stays too', 1, 30],
      [9, 'first', 1, 1],
    ]);
  }));

it('returns the boxes of the rows before and after for a table with coordinates', () =>
  onThree(async () => {
    const { changes } = await replaceRows(
      client,
      placed,
      [1, 2],
      put([
        [1, 'changes', 3, 8],
        [1, 'stays', 1, 11],
        [1, 'comes', 5, 6],
        [1, 'comes', 7, 9],
      ]),
    );
    expect(changes.map(({ cell, keys, boxes }) => [cell, keys, boxes])).toEqual([
      [
        1,
        ['changes', 'comes'],
        [
          [1, 8, 3, 10],
          [5, 6, 7, 9],
        ],
      ],
      [2, ['goes'], [[1, 20, 1, 20]]],
    ]);
  }));
