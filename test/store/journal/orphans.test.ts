import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTableSql } from '../../../schema/ddl.ts';
import { col, nullable, table } from '../../../schema/table.ts';
import { type Delta, deltaOf } from '../../../store/journal/differences.ts';
import { findOrphans } from '../../../store/journal/orphans.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';

const home = table({
  schema: 'serving',
  name: 'home',
  doc: 'Test.',
  columns: { id: col('text', 'Key.'), cell: col('int4', 'Cell.') },
  primaryKey: ['id'],
});
const child = (name: string) =>
  table({
    schema: 'serving',
    name,
    doc: 'Test.',
    columns: {
      n: col('int4', 'Key.'),
      cell: col('int4', 'Cell.'),
      id: nullable('text', 'Home.'),
    },
    primaryKey: ['n'],
  });
const [room, garden] = [child('room'), child('garden')];
const BASE: Delta = {
  inserted: 9,
  updated: 0,
  deleted: 0,
  rows_before: 0,
  rows_after: 9,
  base: true,
  isListed: false,
  hasOtherRows: false,
};
const STILL: Delta = { ...BASE, inserted: 0, base: false, isListed: true, hasOtherRows: false };

describe('references of several tables to one', () => {
  let database: TestDatabase;
  let client: pg.Client;
  const references = [room, garden].map((from) => ({ from, column: 'id', to: home, toColumn: 'id' }));
  const deltas = (of: Record<string, Delta>): ReadonlyMap<string, Delta> =>
    new Map(Object.entries({ home: STILL, room: STILL, garden: STILL, ...of }));

  beforeAll(async () => {
    database = await createDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query('CREATE SCHEMA serving');
    for (const each of [home, room, garden]) for (const sql of createTableSql(each)) await client.query(sql);
    await client.query(`INSERT INTO serving.home VALUES ('a', 1), ('b', 1)`);
    await client.query(`INSERT INTO serving.room VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 1, NULL)`);
    await client.query(
      `INSERT INTO serving.garden VALUES (1, 1, 'a'), (2, 1, 'y'), (3, 1, 'x'), (4, 1, 'x')`,
    );
  });

  afterAll(async () => {
    await client?.end();
    await database?.drop();
  });

  it('are counted for each of them, with values that are not there; nulls refer to nothing', async () => {
    expect(await findOrphans(client, references, deltas({ room: BASE, garden: BASE }))).toEqual([
      { rows: 0, examples: [] },
      { rows: 3, examples: ['x', 'y'] },
    ]);
  });

  it('are checked for written rows and removed targets', async () => {
    expect(await findOrphans(client, references, deltas({}))).toEqual([
      { rows: 0, examples: [] },
      { rows: 0, examples: [] },
    ]);
    await client.query(`DELETE FROM serving.home WHERE id = 'b'`);
    for (const each of [home, room])
      await client.query(
        `CREATE TEMP TABLE ${deltaOf(each)} (${each.primaryKey[0]} ${each === home ? 'text' : 'int'}, change text, before jsonb, after jsonb)`,
      );
    await client.query(`INSERT INTO ${deltaOf(home)} VALUES ('b', 'delete', '{"id": "b"}', NULL)`);
    await client.query(`INSERT INTO ${deltaOf(room)} VALUES (4, 'insert', NULL, '{"id": "z"}')`);
    const found = await findOrphans(
      client,
      [references[0]!],
      deltas({ home: { ...STILL, deleted: 1 }, room: { ...STILL, inserted: 1 } }),
    );
    expect(found).toEqual([{ rows: 2, examples: ['b', 'z'] }]);
  });
});
