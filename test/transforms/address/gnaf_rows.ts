import { statSync } from 'node:fs';
import { gnafAdapter } from '../../../sources/gnaf/adapter.ts';
import type { IndexSource } from '../../../transforms/address/match/index_rows.ts';

const TABLES: Readonly<Record<string, keyof IndexSource>> = {
  address: 'addresses',
  address_alias: 'address_aliases',
  address_parent: 'address_parents',
  locality: 'localities',
  locality_alias: 'locality_aliases',
  locality_neighbour: 'locality_neighbours',
  street: 'streets',
  street_alias: 'street_aliases',
};

type Rows = {
  [K in keyof IndexSource]-?: NonNullable<IndexSource[K]> extends Iterable<infer T> | infer _ ? T[] : never;
};

/** The record rows of a G-NAF zip, as the adapter reads them. */
export async function gnafRows(path: string): Promise<Rows> {
  const rows = Object.fromEntries(Object.values(TABLES).map((name) => [name, []])) as unknown as Rows;
  const dataset = {
    id: 'gnaf',
    files: [{ path, bytes: statSync(path).size, sha256: '' }],
    release: null,
    crs: null,
    options: {},
  };
  const { release, parts } = await gnafAdapter.discover(dataset);
  for (const part of parts)
    for await (const { records } of gnafAdapter.readPart(release, part, {}))
      for (const { table, rows: batch } of records ?? []) {
        const name = TABLES[table.name];
        if (name !== undefined) (rows[name] as unknown[]).push(...batch);
      }
  return rows;
}
