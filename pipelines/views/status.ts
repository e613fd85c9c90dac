import type pg from 'pg';
import { SERVING_TABLES } from '../../schema/serving/index.ts';
import type { Table } from '../../schema/table.ts';
import { AS_OF_SCHEMA, withAsOf } from '../../store/journal/as_of.ts';
import { digestTable, type TableDigest } from '../../store/journal/table_digest.ts';
import { RUN_IS_HELD } from '../../store/locks.ts';
import { inSnapshot } from '../../store/transaction.ts';

/** What is loaded and published, and how the last runs ended. */
export interface PipelineStatus {
  publication: InService | null;
  tables: { table: string; rows: number }[];
  datasets: {
    dataset: string;
    release: string;
    parts: number;
    rows: number;
    rejects: number;
    loaded_at: string;
    /** Why the last run could not read a newer delivery of it; null: it could, or there was none. */
    kept: string | null;
  }[];
  runs: RunLine[];
}

/** The served publication. */
export interface InService {
  publication_id: number;
  run_id: number;
  published_at: string;
  kind: 'refresh' | 'backfill' | 'rollback';
  /** Publication that it restores, and why. */
  restores: number | null;
  reason: string | null;
  /** Whether computed rows differ from it and can only be published with --accept rollback. */
  held: boolean;
  /** Run whose result is held as the candidate; null: none. */
  candidate_of_run: number | null;
}

/** Returns the served publication; null: nothing is published. */
export async function inService(client: pg.ClientBase): Promise<InService | null> {
  const { rows } = await client.query<InService>(
    `SELECT publication_id, run_id, to_char(published_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS published_at, kind, restores, reason, held,
       (SELECT (value::jsonb->>'run_id')::int FROM control.meta WHERE key = 'candidate') AS candidate_of_run
     FROM control.publication ORDER BY publication_id DESC LIMIT 1`,
  );
  return rows[0] ?? null;
}

export interface RunLine {
  run_id: number;
  command: string;
  /** As recorded; `interrupted`: it ended without a record. */
  state: string;
  started_at: string;
  seconds: number | null;
  publication: number | null;
  /** Datasets that it could not read and whose last load it kept. */
  kept: string[];
  error: string | null;
}

/** Returns the last runs, newest first. */
export const listRuns = (client: pg.ClientBase, limit: number): Promise<RunLine[]> =>
  runLines(client, limit, null);

/** Returns the last runs, newest first, or the run with an id. */
export async function runLines(client: pg.ClientBase, limit: number, id: number | null): Promise<RunLine[]> {
  const { rows } = await client.query<RunLine>(
    `SELECT run_id, command,
       CASE WHEN report->'error'->>'code' = 'interrupted' THEN 'interrupted' WHEN state = 'running' AND NOT ${RUN_IS_HELD} THEN 'interrupted' ELSE state END AS state,
       to_char(started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS started_at,
       round(extract(epoch FROM finished_at - started_at)::numeric, 1)::float8 AS seconds,
       (SELECT p.publication_id FROM control.publication p WHERE p.run_id = r.run_id) AS publication,
       ARRAY(SELECT d->>'dataset' FROM jsonb_array_elements(report->'datasets') d WHERE d->>'action' = 'kept' ORDER BY 1) AS kept,
       report->'error'->>'message' AS error
     FROM control.run r WHERE $2::int IS NULL OR run_id = $2 ORDER BY run_id DESC LIMIT $1`,
    [limit, id],
  );
  return rows;
}

/** Reads the status. `runs`: number of last runs to list. */
export async function status(client: pg.ClientBase, runs = 5): Promise<PipelineStatus> {
  const publication = await inService(client);
  const tables = await client.query<{ table: string; rows: number }>(
    `SELECT table_name AS table, sum(rows)::float8 AS rows FROM control.published GROUP BY table_name ORDER BY table_name`,
  );
  const datasets = await client.query(
    `SELECT l.dataset, min(l.release) AS release, count(DISTINCT l.load_id)::int AS parts,
       COALESCE(sum((a->>'records')::bigint) FILTER (WHERE a->>'table' IS NOT NULL), 0)::float8 AS rows,
       COALESCE(sum((a->>'rejects')::bigint), 0)::float8 AS rejects,
       to_char(max(l.loaded_at), 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS loaded_at,
       (SELECT d->>'reason' FROM jsonb_array_elements((
           SELECT report->'datasets' FROM control.run WHERE state NOT IN ('running', 'failed') AND command NOT IN ('rollback', 'publish')
           ORDER BY run_id DESC LIMIT 1)) d
         WHERE d->>'dataset' = l.dataset AND d->>'action' = 'kept') AS kept
     FROM control.load l LEFT JOIN LATERAL jsonb_array_elements(l.accounts) a ON true
     WHERE l.state = 'active' GROUP BY l.dataset ORDER BY l.dataset`,
  );
  return {
    publication,
    tables: tables.rows,
    datasets: datasets.rows,
    runs: await listRuns(client, runs),
  };
}

/** Returns the digest of every serving table at a publication. */
export function digestsAsOf(
  client: pg.ClientBase,
  publication: number,
  tables: readonly Table[] = SERVING_TABLES,
): Promise<TableDigest[]> {
  return withAsOf(client, tables, publication, async () => {
    const out: TableDigest[] = [];
    for (const table of tables) out.push(await digestTable(client, table, AS_OF_SCHEMA));
    return out;
  });
}

/** Returns the digest of every serving table. Equal content has equal digests, on any server and however it was built. */
export async function digests(
  client: pg.ClientBase,
  tables: readonly Table[] = SERVING_TABLES,
): Promise<TableDigest[]> {
  return inSnapshot(client, async () => {
    const out: TableDigest[] = [];
    for (const table of tables) out.push(await digestTable(client, table));
    return out;
  });
}
