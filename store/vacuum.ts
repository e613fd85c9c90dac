import type pg from 'pg';
import { ident } from '../schema/ddl.ts';

/**
 * Minimum dead rows, and minimum ratio to live rows, for a vacuum. A vacuum reads all indexes of a table, so one each night would cost time
 * by table size, not by change.
 */
const DEAD_MIN = 200;
const DEAD_SHARE = 0.1;
/** Share of dead rows above which VACUUM FULL runs; a plain vacuum would not shrink the file. */
const FULL_SHARE = 0.2;
/** Share of changed rows above which a served table or the journal is analysed again: readers' queries are planned by its statistics. */
const CHANGED_SHARE = 0.1;
/** Maximum wait for a locked table, which is then left for the next night. */
const LOCK_MS = 1000;

/** Control tables that readers see through views of the schema serving. */
const READ_TABLES: ReadonlySet<string> = new Set([
  'control.publication',
  'control.change',
  'control.dataset_catalogue',
]);

/** Result of the vacuum at the end of a run. */
export interface Vacuumed {
  tables: number;
  /** Number of these that VACUUM FULL rewrote. */
  rewritten: number;
  dead_rows: number;
  seconds: number;
}

interface DeadTable {
  schema: string;
  name: string;
  dead: number;
  share: number;
  /** True: enough of its rows are dead. */
  is_dead: boolean;
}

/**
 * Vacuums dead rows of runs, so that their space is reused, and analyses served tables with many changes. An embedded server stops before
 * its autovacuum would run, and readers' queries would be planned with wrong sizes. Rewrites tables without readers if many of their rows
 * are dead; never locks tables that readers see, directly or through views. A failure here does not fail the run.
 */
export async function vacuumDead(client: pg.ClientBase): Promise<Vacuumed> {
  const started = performance.now();
  // From PostgreSQL 15 on: counts what this session did right now.
  await client.query('SELECT pg_stat_force_next_flush()').catch(() => undefined);
  const { rows } = await client.query<DeadTable>(
    `SELECT * FROM (SELECT schemaname AS schema, relname AS name, n_dead_tup::float8 AS dead,
         (n_dead_tup / GREATEST(n_live_tup + n_dead_tup, 1)::float8) AS share,
         n_dead_tup >= $1::float8 AND n_dead_tup > $2::float8 * n_live_tup AS is_dead,
         (schemaname = 'serving' OR (schemaname, relname) = ('control', 'change')) AND n_mod_since_analyze > $3::float8 * n_live_tup AS is_changed
       FROM pg_stat_user_tables WHERE schemaname IN ('control', 'record', 'asset', 'staged', 'serving')) t
     WHERE is_dead OR is_changed ORDER BY dead DESC, 1, 2`,
    [DEAD_MIN, DEAD_SHARE, CHANGED_SHARE],
  );
  const done: Vacuumed = { tables: 0, rewritten: 0, dead_rows: 0, seconds: 0 };
  await client.query(`SET lock_timeout = ${LOCK_MS}`);
  for (const { schema, name, dead, share, is_dead } of rows) {
    const isSeen = schema === 'serving' || READ_TABLES.has(`${schema}.${name}`);
    const full = !isSeen && share > FULL_SHARE;
    const target = `${ident(schema)}.${ident(name)}`;
    if (!is_dead) {
      await client.query(`ANALYZE (SKIP_LOCKED) ${target}`).catch(() => undefined);
      continue;
    }
    const ok = await client
      .query(full ? `VACUUM (FULL, ANALYZE) ${target}` : `VACUUM (ANALYZE, SKIP_LOCKED) ${target}`)
      .then(
        () => true,
        () => false,
      );
    if (!ok) continue;
    done.tables++;
    done.dead_rows += dead;
    if (full) done.rewritten++;
  }
  await client.query('SET lock_timeout = 0');
  done.seconds = (performance.now() - started) / 1000;
  return done;
}
