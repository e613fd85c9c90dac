import type pg from 'pg';
import { EtlError } from '../../schema/errors.ts';
import type { ChangeRow } from '../../schema/serving/database.ts';

export type PublicationKind = 'refresh' | 'backfill' | 'rollback';

export interface Publication {
  publication_id: number;
  run_id: number;
  published_at: string;
  kind: PublicationKind;
  /** Publication that this one restored; null: not a rollback. */
  restores: number | null;
  reason: string | null;
  /** True: computed rows are held back behind this rollback. */
  held: boolean;
  /** True: it can be read and rolled back to. */
  readable: boolean;
  tables: PublishedTable[];
  datasets: { dataset: string; release: string }[];
}

/** The record of one table of a publication; old records may lack the fields from `base` on. */
export interface PublishedTable {
  table: string;
  rows: number;
  inserted: number;
  updated: number;
  deleted: number;
  base?: boolean;
  /** Sum of the table's row hashes on this server; null: unknown. */
  digest?: string | null;
  shape?: string;
  /** Rows by state in this publication, and in the one before. Absent: not recorded. */
  facts?: { states: Readonly<Record<string, number>> };
  states_before?: Readonly<Record<string, number>>;
}

/** One row change; never `base`. */
export interface JournalChange extends ChangeRow {
  change: 'insert' | 'update' | 'delete';
  key: string;
}

const SELECT = `SELECT publication_id, run_id, kind, restores, reason, held, tables, datasets,
    to_char(published_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS published_at,
    publication_id >= (SELECT COALESCE(max(publication_id), 0) FROM control.publication WHERE pruned) AS readable
  FROM control.publication`;

/** SQL for the loaded releases, as a publication lists them. */
export const ACTIVE_DATASETS = `SELECT COALESCE(jsonb_agg(DISTINCT jsonb_build_object('dataset', dataset, 'release', release)), '[]')
  FROM control.load WHERE state = 'active'`;

/** Lists the last publications, newest first. */
export async function listPublications(client: pg.ClientBase, limit: number): Promise<Publication[]> {
  return (await client.query<Publication>(`${SELECT} ORDER BY publication_id DESC LIMIT $1`, [limit])).rows;
}

/** Returns the last publication; null: none. */
export async function latestPublication(client: pg.ClientBase): Promise<Publication | null> {
  return (await listPublications(client, 1))[0] ?? null;
}

/** Reads one publication. @throws EtlError unknown_publication if the number does not exist */
export async function readPublication(client: pg.ClientBase, id: number): Promise<Publication> {
  const { rows } = await client.query<Publication>(`${SELECT} WHERE publication_id = $1`, [id]);
  if (rows[0]) return rows[0];
  const latest = await latestPublication(client);
  const lastText = latest === null ? 'Nothing is published.' : `The last one is ${latest.publication_id}.`;
  throw new EtlError('unknown_publication', `There is no publication ${id}. ${lastText}`);
}

/** Reads one readable publication. @throws EtlError journal_pruned if its journal is deleted */
export async function readablePublication(client: pg.ClientBase, id: number): Promise<Publication> {
  const publication = await readPublication(client, id);
  if (publication.readable) return publication;
  const { rows } = await client.query<{ n: number }>(
    'SELECT max(publication_id) AS n FROM control.publication WHERE pruned',
  );
  throw new EtlError(
    'journal_pruned',
    `Publication ${id} is out of reach: row changes are kept back to publication ${rows[0]!.n}. Raise journal.keep_publications or journal.keep_mb to keep more from here on.`,
  );
}

export async function nextPublication(client: pg.ClientBase): Promise<number> {
  const sql = 'SELECT COALESCE(max(publication_id), 0) + 1 AS n FROM control.publication';
  return (await client.query<{ n: number }>(sql)).rows[0]!.n;
}

/** Lists publications from `from` on (inclusive) in which a table got its first rows, lowest first. Before them the table was empty. */
export async function basesOf(client: pg.ClientBase, table: string, from: number): Promise<number[]> {
  const { rows } = await client.query<{ id: number }>(
    `SELECT publication_id AS id FROM control.publication p, jsonb_array_elements(p.tables) t
     WHERE publication_id >= $2 AND t->>'table' = $1 AND (t->>'base')::bool ORDER BY 1`,
    [table, from],
  );
  return rows.map((row) => row.id);
}

/**
 * Reads which tables changed after a publication, each with the first later publication that wrote all of its rows (its base); undefined: none.
 */
export async function changedTables(
  client: pg.ClientBase,
  publication: number,
): Promise<ReadonlyMap<string, number | undefined>> {
  const { rows } = await client.query<{ name: string; base: number | null }>(
    `SELECT t->>'table' AS name, min(publication_id) FILTER (WHERE (t->>'base')::bool) AS base
     FROM control.publication p, jsonb_array_elements(p.tables) t
     WHERE publication_id > $1 AND ((t->>'base')::bool OR (t->>'inserted')::int + (t->>'updated')::int + (t->>'deleted')::int > 0)
     GROUP BY 1`,
    [publication],
  );
  return new Map(rows.map(({ name, base }) => [name, base ?? undefined]));
}

export interface JournalLimits {
  keep_publications: number;
  keep_mb: number;
}

/**
 * Records the size of the current publication's row changes, and deletes the oldest changes beyond the limits, but never this
 * publication's. Part of the publishing transaction. Returns the report's sentence about publications deleted for space.
 */
export async function pruneJournal(
  client: pg.ClientBase,
  latest: number,
  { keep_publications, keep_mb }: JournalLimits,
): Promise<string[]> {
  await client.query(
    `UPDATE control.publication SET journal_bytes =
       (SELECT COALESCE(sum(pg_column_size(c.*)), 0) FROM control.change c WHERE c.publication_id = $1) WHERE publication_id = $1`,
    [latest],
  );
  const { rows } = await client.query<{ id: number; is_old: boolean }>(
    `UPDATE control.publication p SET pruned = true FROM (
       SELECT publication_id, sum(journal_bytes) OVER (ORDER BY publication_id DESC) AS bytes FROM control.publication WHERE NOT pruned) s
     WHERE p.publication_id = s.publication_id AND p.publication_id < $1
       AND (p.publication_id <= $1 - $2::int + 1 OR s.bytes > $3::bigint * 1048576)
     RETURNING p.publication_id AS id, p.publication_id <= $1 - $2::int + 1 AS is_old`,
    [latest, keep_publications, keep_mb],
  );
  if (rows.length === 0) return [];
  await client.query('DELETE FROM control.change WHERE publication_id = ANY ($1)', [
    rows.map((row) => row.id),
  ]);
  const early = rows.filter(({ is_old }) => !is_old).map(({ id }) => id);
  if (early.length === 0) return [];
  return [
    `The journal reached journal.keep_mb, ${keep_mb} MB: the row changes of ${early.length} publications were deleted, and publications before ${Math.max(...early)} are out of reach.`,
  ];
}

/** Row changes read at a time. */
const PAGE = 1000;

/** Streams the row changes of one table in one publication, in key order, one page in memory at a time. */
export async function* readChanges(
  client: pg.ClientBase,
  publication: number,
  table: string,
): AsyncGenerator<JournalChange> {
  for (let seq = 0; ; ) {
    const { rows } = await client.query<JournalChange>(
      `SELECT publication_id, table_name, seq, change, key, before, after FROM control.change
       WHERE publication_id = $1 AND table_name = $2 AND seq > $3 ORDER BY seq LIMIT $4`,
      [publication, table, seq, PAGE],
    );
    yield* rows;
    if (rows.length < PAGE) return;
    seq = rows.at(-1)!.seq;
  }
}
