import type pg from 'pg';

/** A column of a table that the second publication changes in some rows, and what it then is. */
interface Changed {
  table: 'parcel_shape' | 'property';
  key: string;
  set: string;
}

/** A parcel that was drawn otherwise: its WKB has a byte of its last ordinate turned; an address with another name. */
const CHANGED: readonly Changed[] = [
  {
    table: 'parcel_shape',
    key: 'parcel_id',
    set: 'geom = set_byte(t.geom, length(t.geom) - 4, 255 - get_byte(t.geom, length(t.geom) - 4))',
  },
  { table: 'property', key: 'gnaf_pid', set: "address = t.address || ' EAST'" },
];

/** Books what is served as publication 1. */
async function book(
  client: pg.ClientBase,
  publication: number,
  rows: number,
  updated: number,
): Promise<void> {
  const tables = CHANGED.map(({ table }) => ({
    table,
    rows,
    inserted: 0,
    updated,
    deleted: 0,
    base: publication === 1,
  }));
  await client.query(
    `WITH run AS (INSERT INTO control.run (command, state, finished_at, report) VALUES ('bench', 'published', now(), '{}') RETURNING run_id)
     INSERT INTO control.publication (publication_id, run_id, tables, datasets, audit) SELECT $1, run_id, $2, '[]', '[]' FROM run`,
    [publication, JSON.stringify(tables)],
  );
}

/**
 * Books what is served as publication 1, and a share of its parcels and of its addresses, spread over all of the ground, as changed by
 * publication 2, with the journal as the program writes it.
 */
export async function publishTwice(client: pg.ClientBase, rows: number, share: number): Promise<void> {
  await book(client, 1, rows, 0);
  await book(client, 2, rows, Math.round(rows * share));
  for (const { table, key, set } of CHANGED) {
    await client.query(
      `WITH was AS (SELECT * FROM serving.${table} WHERE (hashtext(${key}) & 65535) < $1::float8 * 65536),
         now AS (UPDATE serving.${table} t SET ${set} FROM was WHERE t.${key} = was.${key} RETURNING t.*)
       INSERT INTO control.change (publication_id, table_name, seq, change, key, before, after)
       SELECT 2, '${table}', row_number() OVER (ORDER BY ${key} COLLATE "C"), 'update', ${key}, to_jsonb(was), to_jsonb(now)
       FROM was JOIN now USING (${key})`,
      [share],
    );
  }
  await client.query('VACUUM ANALYZE control.change');
}
