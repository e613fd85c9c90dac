import type pg from 'pg';
import { ident, qualified } from '../schema/ddl.ts';
import type { Reject } from '../schema/errors.ts';
import { SPILL_OF } from '../schema/records/index.ts';
import type { Table } from '../schema/table.ts';
import { digestSql } from './assets.ts';
import { type CopyIn, copyInto } from './copy_binary.ts';
import { jsonText } from './json_text.ts';

/** Columns of a record that say where it came from and not what it is: they do not count in digests. */
const PROVENANCE: ReadonlySet<string> = new Set(['load_id', 'source_no']);

/** Name of the child table that holds the rows of one load. */
export const childName = (table: Table, loadId: number): string => `${table.name}_l${loadId}`;
const childTarget = (table: Table, loadId: number): string => `record.${ident(childName(table, loadId))}`;

/** A record row that repeats the key of an earlier one. */
export interface Duplicate {
  source_no: number;
  key: string;
}

/** One table of a load that is being written, in a transaction of its own connection. */
export class RecordWriter {
  readonly table: Table;
  readonly #client: pg.PoolClient;
  readonly #loadId: number;
  readonly #copy: CopyIn;
  #copying = true;
  #released = false;

  private constructor(table: Table, client: pg.PoolClient, loadId: number, copy: CopyIn) {
    this.table = table;
    this.#client = client;
    this.#loadId = loadId;
    this.#copy = copy;
  }

  /** Makes the child table and starts copying into it. Because both are one transaction, the COPY writes little WAL. */
  static async open(pool: pg.Pool, table: Table, loadId: number): Promise<RecordWriter> {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await client.query(
        `CREATE TABLE ${childTarget(table, loadId)} (LIKE ${qualified(table)} INCLUDING CONSTRAINTS, CHECK (load_id = ${loadId}))`,
      );
      return new RecordWriter(
        table,
        client,
        loadId,
        copyInto(client, childTarget(table, loadId), table.columns),
      );
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  async write(rows: readonly Record<string, unknown>[]): Promise<void> {
    await this.#copy.write(rows, { load_id: this.#loadId });
  }

  /** Ends the COPY; the rows become visible to the statements that follow in this transaction. */
  async end(): Promise<void> {
    await this.#copy.end();
    this.#copying = false;
  }

  /**
   * Builds the unique index of the key. Rows that repeat a key are deleted, except the first in the file, and returned.
   */
  async enforceKey(): Promise<Duplicate[]> {
    const target = childTarget(this.table, this.#loadId);
    const keys = this.table.primaryKey.map(ident).join(', ');
    const create = `CREATE UNIQUE INDEX ${ident(`${childName(this.table, this.#loadId)}_pk`)} ON ${target} (${keys})`;
    await this.#client.query('SAVEPOINT key');
    try {
      await this.#client.query(create);
      return [];
    } catch (error) {
      if ((error as { code?: string }).code !== '23505') throw error;
    }
    await this.#client.query('ROLLBACK TO SAVEPOINT key');
    const removed = await this.#client.query<Duplicate>(
      `WITH ranked AS (
         SELECT ctid AS id, row_number() OVER (PARTITION BY ${keys} ORDER BY source_no) AS n FROM ${target})
       DELETE FROM ${target} t USING ranked r WHERE t.ctid = r.id AND r.n > 1
       RETURNING t.source_no, concat_ws(' ', ${this.table.primaryKey.map((k) => `t.${ident(k)}`).join(', ')}) AS key`,
    );
    await this.#client.query(create);
    return removed.rows.sort((a, b) => a.source_no - b.source_no);
  }

  /** Deletes the rows derived from rejected features. */
  async removeSources(sourceNos: readonly number[]): Promise<void> {
    if (sourceNos.length === 0) return;
    await this.#client.query(
      `DELETE FROM ${childTarget(this.table, this.#loadId)} WHERE source_no = ANY ($1)`,
      [sourceNos],
    );
  }

  /** Number of source rows that are in the table. */
  async countSources(distinct: boolean): Promise<number> {
    const what = distinct ? 'DISTINCT source_no' : '*';
    const sql = `SELECT count(${what})::int AS n FROM ${childTarget(this.table, this.#loadId)}`;
    return (await this.#client.query<{ n: number }>(sql)).rows[0]!.n;
  }

  /** Indexes, per-cell digests and planner statistics; then commits. */
  async finish(): Promise<void> {
    const target = childTarget(this.table, this.#loadId);
    for (const [i, index] of this.table.indexes.entries()) {
      const name = ident(`${childName(this.table, this.#loadId)}_i${i}`);
      await this.#client.query(`CREATE INDEX ${name} ON ${target} (${index.columns.map(ident).join(', ')})`);
    }
    await this.#client.query(`ANALYZE ${target} (${this.#searched().map(ident).join(', ')})`);
    await this.#digest(target);
    await this.#client.query('COMMIT');
    this.#released = true;
    this.#client.release();
  }

  /** Columns that selections go by: statistics of the others serve no plan and cost more than the indexes. */
  #searched(): string[] {
    const { primaryKey, indexes, columns } = this.table;
    const names = [...primaryKey, ...indexes.flatMap((index) => index.columns)];
    const searched = [...new Set(names)];
    return searched.length > 0 ? searched : Object.keys(columns);
  }

  async #digest(target: string): Promise<void> {
    const names = Object.keys(this.table.columns).filter((name) => !PROVENANCE.has(name));
    const cell = 'cell' in this.table.columns ? 'cell' : '-1';
    const extent =
      'min_lon' in this.table.columns
        ? 'ARRAY[min(min_lon), min(min_lat), max(max_lon), max(max_lat)]'
        : 'NULL::float8[]';
    // By way of a temporary table, because PostgreSQL reads for INSERT … SELECT with one process only.
    await this.#client.query(
      `CREATE TEMP TABLE load_digest ON COMMIT DROP AS
       SELECT ${cell} AS cell, count(*) AS rows, ${digestSql(names)} AS digest, ${extent} AS extent
       FROM ${target} GROUP BY ${cell === '-1' ? '()' : cell} HAVING count(*) > 0`,
    );
    await this.#client.query(
      `INSERT INTO control.load_digest (load_id, table_name, cell, rows, digest, extent)
       SELECT $1, $2, cell, rows, digest, extent FROM pg_temp.load_digest`,
      [this.#loadId, this.table.name],
    );
  }

  /** Rolls the table back. */
  async abort(): Promise<void> {
    if (this.#released) return;
    this.#released = true;
    if (this.#copying) this.#copy.abort();
    else await this.#client.query('ROLLBACK').catch(() => undefined);
    this.#client.release(true);
  }
}

/**
 * Replaces the digests of a spill table by digests of the features themselves, so that a feature that changes is a change
 * of every cell it touches.
 */
export async function digestSpill(client: pg.ClientBase, table: Table, loadId: number): Promise<void> {
  const spill = SPILL_OF[table.name];
  if (spill === undefined) return;
  const names = Object.keys(table.columns).filter((name) => !PROVENANCE.has(name));
  const spillChild = `record.${ident(`${spill}_l${loadId}`)}`;
  const exists = await client.query('SELECT to_regclass($1) AS child', [spillChild]);
  if (exists.rows[0].child === null) return;
  const key = table.primaryKey.map((name) => `p.${ident(name)} = s.${ident(name)}`).join(' AND ');
  await client.query('DELETE FROM control.load_digest WHERE load_id = $1 AND table_name = $2', [
    loadId,
    spill,
  ]);
  await client.query(
    `INSERT INTO control.load_digest (load_id, table_name, cell, rows, digest)
     SELECT $1, $2, s.cell, count(*), ${digestSql(names, 'p.')}
     FROM ${spillChild} s JOIN ${childTarget(table, loadId)} p ON ${key} GROUP BY s.cell`,
    [loadId, spill],
  );
}

/** Stores rejects of a load, in batches. */
export async function insertRejects(
  client: pg.ClientBase,
  loadId: number,
  rejects: readonly Reject[],
): Promise<void> {
  for (let i = 0; i < rejects.length; i += 5000) {
    await client.query(
      `INSERT INTO control.reject (load_id, code, file, at, message)
       SELECT $1, r->>'code', r->>'file', r->>'at', r->>'message' FROM jsonb_array_elements($2::jsonb) r`,
      [loadId, jsonText(rejects.slice(i, i + 5000))],
    );
  }
}

/**
 * Drops the tables and books of loads that never became active: left by a run that was interrupted. The books go first:
 * that waits for what a session of the interrupted run is just committing, and fails all that it would commit later.
 */
export async function dropUnfinished(client: pg.ClientBase, tables: readonly Table[]): Promise<number> {
  const dead = await client.query(`DELETE FROM control.load WHERE state <> 'active'`);
  const names = new Set(tables.map((table) => table.name));
  const children = await client.query<{ child: string; name: string }>(
    `SELECT c.relname AS child, substring(c.relname FROM '^(.+)_l[0-9]+$') AS name FROM pg_class c
     WHERE c.relnamespace = 'record'::regnamespace AND c.relkind = 'r' AND NOT c.relispartition
       AND c.relname ~ '^.+_l[0-9]+$'
       AND substring(c.relname FROM '_l([0-9]+)$')::bigint NOT IN (SELECT load_id FROM control.load)`,
  );
  for (const { child, name } of children.rows) {
    if (names.has(name)) await client.query(`DROP TABLE IF EXISTS record.${ident(child)}`);
  }
  return dead.rowCount ?? 0;
}

/** Drops the tables and books of loads, inside the caller's transaction where there is one. */
export async function dropLoads(
  client: pg.ClientBase,
  tables: readonly Table[],
  loadIds: readonly number[],
): Promise<void> {
  for (const loadId of loadIds) {
    for (const table of tables) await client.query(`DROP TABLE IF EXISTS ${childTarget(table, loadId)}`);
    await client.query('DELETE FROM control.load WHERE load_id = $1', [loadId]);
  }
}

/** Makes the loads of a dataset the active ones and drops those they replace; one transaction, all parts or none. */
export async function activate(
  client: pg.ClientBase,
  tables: readonly Table[],
  dataset: string,
  loadIds: readonly number[],
): Promise<void> {
  await client.query('BEGIN');
  try {
    const old = await client.query<{ load_id: number }>(
      `SELECT load_id FROM control.load WHERE dataset = $1 AND state = 'active'`,
      [dataset],
    );
    await dropLoads(
      client,
      tables,
      old.rows.map((row) => row.load_id),
    );
    for (const loadId of loadIds) {
      for (const table of tables) {
        const child = childTarget(table, loadId);
        const found = await client.query('SELECT to_regclass($1) AS child', [child]);
        if (found.rows[0].child === null) continue;
        await client.query(
          `ALTER TABLE ${qualified(table)} ATTACH PARTITION ${child} FOR VALUES IN (${loadId})`,
        );
      }
      await client.query(`UPDATE control.load SET state = 'active' WHERE load_id = $1`, [loadId]);
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
