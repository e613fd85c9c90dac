import { closest } from 'fastest-levenshtein';
import type pg from 'pg';
import { EtlError } from '../schema/errors.ts';
import { SERVING_TABLES } from '../schema/serving/index.ts';
import type { Table } from '../schema/table.ts';
import {
  type Change,
  latestPublication,
  type Publication,
  readablePublication,
  readChanges,
  readPublication,
} from '../store/journal.ts';

/** A change with its key by column, and the columns that differ. */
export interface KeyedChange {
  publication: number;
  table: string;
  change: 'base' | 'insert' | 'update' | 'delete';
  /** Primary key by column; null for a base, which lists no rows. */
  key: Record<string, unknown> | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

const tableOf = (name: string): Table | undefined => SERVING_TABLES.find((table) => table.name === name);

function keyed({ publication_id, table_name, change, key, before, after }: Change): KeyedChange {
  const names = tableOf(table_name)?.primaryKey;
  const row = after ?? before ?? {};
  const columns = names ? Object.fromEntries(names.map((name) => [name, row[name]])) : { key };
  return { publication: publication_id, table: table_name, change, key: columns, before, after };
}

/** Names of the columns in which the sides of a change differ. */
export const differing = ({ before, after }: KeyedChange): string[] =>
  Object.keys({ ...before, ...after }).filter(
    (name) => JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]),
  );

/** What one publication changed. */
export interface Diff {
  publication: Pick<Publication, 'publication_id' | 'published_at' | 'kind' | 'restores' | 'reason'>;
  tables: {
    table: string;
    rows: number;
    inserted: number;
    updated: number;
    deleted: number;
    base: boolean;
  }[];
  /** The first changes of each table, as many as were asked for. */
  changes: KeyedChange[];
}

/** Says what a publication changed, with the first `limit` changes of each table. Null: the last publication. */
export async function diff(
  client: pg.ClientBase,
  id: number | null,
  table: string | null,
  limit: number,
): Promise<Diff> {
  if (table !== null && !tableOf(table)) {
    const names = SERVING_TABLES.map((each) => each.name);
    throw new EtlError(
      'config_invalid',
      `--table ${table}: there is no such table. Did you mean ${closest(table, names)}?`,
    );
  }
  const latest = await latestPublication(client);
  if (latest === null) throw new EtlError('unknown_publication', 'Nothing is published.');
  const publication = await readPublication(client, id ?? latest.publication_id);
  // Its own changes must be there, which those of the publication itself are while the one before can be read.
  if (publication.publication_id > 1) await readablePublication(client, publication.publication_id - 1);
  const tables = publication.tables.filter((each) => table === null || each.table === table);
  const changes: KeyedChange[] = [];
  for (const each of tables) {
    let n = 0;
    if (limit === 0) break;
    for await (const change of readChanges(
      client,
      publication.publication_id,
      each.table,
      Math.min(limit, 1000),
    )) {
      changes.push(keyed(change));
      if (++n >= limit) break;
    }
  }
  const { publication_id, published_at, kind, restores, reason } = publication;
  return {
    publication: { publication_id, published_at, kind, restores, reason },
    tables: tables.map(({ table: name, rows, inserted, updated, deleted, base }) => ({
      table: name,
      rows,
      inserted,
      updated,
      deleted,
      base: base ?? false,
    })),
    changes,
  };
}

/** An entry of the feed. `begin` and `end` enclose a publication: what lies between is one transaction. */
export type FeedEntry =
  | {
      event: 'begin';
      publication: number;
      published_at: string;
      kind: Publication['kind'];
      restores: number | null;
    }
  | ({ event: 'change' } & KeyedChange)
  | { event: 'end'; publication: number };

/**
 * All changes after a publication, in order: publications by number, tables in the order in which they are published, rows by
 * key. One snapshot; a page in memory at a time. A table whose first rows came with a publication has one entry `base`: read the
 * table as it is. @throws EtlError journal_pruned where changes in between are deleted
 */
export async function* feed(client: pg.ClientBase, after: number): AsyncGenerator<FeedEntry> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    if (after > 0) await readablePublication(client, after);
    const latest = await latestPublication(client);
    for (let id = after + 1; id <= (latest?.publication_id ?? 0); id++) {
      const publication = await readPublication(client, id);
      if (after === 0 && id === 1 && latest!.publication_id > 1) await readablePublication(client, 1);
      const { published_at, kind, restores } = publication;
      yield { event: 'begin', publication: id, published_at, kind, restores };
      for (const { table, base, inserted, updated, deleted } of publication.tables) {
        if (base) {
          yield {
            event: 'change',
            publication: id,
            table,
            change: 'base',
            key: null,
            before: null,
            after: null,
          };
        } else if (inserted + updated + deleted > 0) {
          for await (const change of readChanges(client, id, table))
            yield { event: 'change', ...keyed(change) };
        }
      }
      yield { event: 'end', publication: id };
    }
  } finally {
    await client.query('ROLLBACK');
  }
}
