import pg from 'pg';
import { expect, it } from 'vitest';
import { createTableSql } from '../../../schema/ddl.ts';
import { type Bbox, expandBbox } from '../../../schema/grid.ts';
import { col, nullable, table } from '../../../schema/table.ts';
import { listBatchKeys } from '../../../store/books/batch_keys.ts';
import { createDatabase } from '../../database.ts';

const homes = table({
  schema: 'asset',
  name: 'home',
  doc: 'Test.',
  columns: {
    cell: col('int4', 'Cell.'),
    key: col('text', 'Key.'),
    lon: nullable('float8', 'Longitude.'),
    lat: nullable('float8', 'Latitude.'),
    type: nullable('text', 'Type.'),
  },
  primaryKey: ['key'],
  tracked: 'key',
});

const looked = table({
  schema: 'asset',
  name: 'looked',
  doc: 'Test.',
  columns: {
    cell: col('int4', 'Cell.'),
    key: col('text', 'Key.'),
    reach_m: nullable('int4', 'How far it looked.'),
  },
  primaryKey: ['key'],
  tracked: 'key',
});

const HALO_M = 12_000;
const CHANGED: Bbox = [145, -38, 145, -38];
/** A place so many metres east of the change. */
const east = (metres: number): [lon: number, lat: number] => [expandBbox(CHANGED, metres)[2], -38];

/** Homes of cell 1 with how far they looked, null: no row; and of another cell, where nothing changed. */
const ROWS: readonly (readonly [
  key: string,
  cell: number,
  metres: number | null,
  reach: number | null,
  type: string,
])[] = [
  ['looked as far', 1, 990, 1000, 'house'],
  ['looked as far at units', 1, 990, 1000, 'unit'],
  ['looked less far', 1, 1100, 1000, 'house'],
  ['looked at all within the halo', 1, 11_900, HALO_M, 'house'],
  ['is farther than the halo', 1, 12_100, HALO_M, 'house'],
  ['never looked', 1, 11_900, null, 'house'],
  ['has no place', 1, null, null, 'house'],
  ['is elsewhere', 2, 0, 1000, 'house'],
];

const OF_ALL = ['looked as far', 'looked as far at units', 'looked at all within the halo', 'never looked'];
/** Of the sales that changed: their kind, by which of them a home is concerned, and what is listed. */
const KINDS: readonly [kind: string | null, column: string | null, listed: readonly string[]][] = [
  ['house', null, OF_ALL],
  [null, 'type', OF_ALL],
  ['house', 'type', OF_ALL.filter((key) => key !== 'looked as far at units')],
];

it.each(KINDS)(
  'lists the keys that looked as far as a changed row of kind %s, by %s',
  async (kind, column, listed) => {
    const database = await createDatabase();
    const client = new pg.Client({ connectionString: database.url });
    try {
      await client.connect();
      await client.query('CREATE SCHEMA asset; BEGIN');
      for (const sql of [homes, looked].flatMap((one) => createTableSql(one))) await client.query(sql);
      for (const [key, cell, metres, reach, type] of ROWS) {
        const [lon, lat] = metres === null ? [null, null] : east(metres);
        await client.query('INSERT INTO asset.home VALUES ($1, $2, $3, $4, $5)', [cell, key, lon, lat, type]);
        if (reach !== null)
          await client.query('INSERT INTO asset.looked VALUES ($1, $2, $3)', [cell, key, reach]);
      }
      const none = { own: [], named: {}, alike: {}, boxes: [] };
      await client.query(
        'CREATE SCHEMA control; CREATE TABLE control.key_change (change_id int, keys text[])',
      );
      await listBatchKeys(
        client,
        [
          {
            cell: 1,
            changes: {
              ...none,
              reached: {
                sale: [
                  [...CHANGED, kind],
                  [...expandBbox([140, -38, 140, -38], 5), kind],
                ],
              },
            },
          },
          { cell: 2, changes: { ...none, reached: {} } },
        ],
        {
          table: homes,
          partition: 'cell',
          key: 'key',
          looksAround: false,
          alike: {},
          reach: { sale: { column: 'reach_m', halo_m: HALO_M, kind: column } },
          output: looked,
        },
      );
      const { rows } = await client.query<{ key: string }>('SELECT key FROM batch_key ORDER BY key');
      expect(rows.map(({ key }) => key)).toEqual([...listed]);
    } finally {
      await client.end();
      await database.drop();
    }
  },
);
