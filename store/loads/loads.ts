import type pg from 'pg';
import { ident, qualified } from '../../schema/ddl.ts';
import type { Reject } from '../../schema/errors.ts';
import type { Table } from '../../schema/table.ts';
import { type CopyIn, copyInto } from '../copy/copy_binary.ts';
import { jsonText } from '../json_text.ts';
import { inTransaction } from '../transaction.ts';
import { writeDeliveryChanges } from './delivery_changes.ts';
import { childName, childTarget, digestSteps } from './load_digest.ts';

/** Minimum rows of a large table: a smaller one is read faster whole than by an index, and statistics change no plan. */
const SMALL_ROWS = 500;

/** Statistics target of a large table: plans depend on the rows of a cell or a key. */
const STATISTICS = 10;

/** A record row that repeats the key of an earlier one. */
export interface Duplicate {
  source_no: number;
  key: string;
}

const createChild = (table: Table, loadId: number): string =>
  `CREATE TABLE ${childTarget(table, loadId)} (LIKE ${qualified(table)} INCLUDING CONSTRAINTS INCLUDING STORAGE, CHECK (load_id = ${loadId}))`;

/** Returns the statement that makes the key of a load's child table unique. */
const createKey = (table: Table, loadId: number): string =>
  `CREATE UNIQUE INDEX ${ident(`${childName(table, loadId)}_pk`)} ON ${childTarget(table, loadId)} (${table.primaryKey.map(ident).join(', ')})`;

/** Adds rows to the table of a load that is complete but not yet active. */
export async function addRows(
  client: pg.ClientBase,
  table: Table,
  loadId: number,
  rows: readonly Record<string, unknown>[],
): Promise<void> {
  if (rows.length === 0) return;
  const [filled] = await filledBy(client, [table], [loadId]);
  if (filled === undefined) await client.query(`${createChild(table, loadId)}; ${createKey(table, loadId)}`);
  const copy = copyInto(client, childTarget(table, loadId), table.columns, { load_id: loadId });
  for (const row of rows) copy.add(row);
  await copy.end();
}

/** Writer of one table of a load, in a transaction on its own connection. */
export class RecordWriter {
  readonly table: Table;
  readonly #client: pg.PoolClient;
  readonly #loadId: number;
  readonly #copy: CopyIn;
  #copying = true;
  #rows = 0;
  #released = false;

  private constructor(table: Table, client: pg.PoolClient, loadId: number, copy: CopyIn) {
    this.table = table;
    this.#client = client;
    this.#loadId = loadId;
    this.#copy = copy;
  }

  /** Creates the child table and starts copying into it. Because both are one transaction, the COPY writes little WAL. */
  static async open(pool: pg.Pool, table: Table, loadId: number): Promise<RecordWriter> {
    const client = await pool.connect();
    try {
      await client.query(`BEGIN; ${createChild(table, loadId)}`);
      return new RecordWriter(
        table,
        client,
        loadId,
        copyInto(client, childTarget(table, loadId), table.columns, { load_id: loadId }),
      );
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  async write(rows: readonly Record<string, unknown>[]): Promise<void> {
    this.#rows += rows.length;
    for (const row of rows) {
      this.#copy.add(row);
      if (this.#copy.isAhead) await this.#copy.taken();
    }
  }

  /** Ends the COPY; the rows become visible to later statements of this transaction. */
  async end(): Promise<void> {
    await this.#copy.end();
    this.#copying = false;
  }

  /** Builds the unique index of the key. Rows that repeat a key are deleted and returned, except the first in the file. */
  async enforceKey(): Promise<Duplicate[]> {
    const target = childTarget(this.table, this.#loadId);
    const keys = this.table.primaryKey.map(ident).join(', ');
    const create = createKey(this.table, this.#loadId);
    try {
      await this.#client.query(`SAVEPOINT key; ${create}`);
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

  /** Counts the source rows in the table. */
  async countSources(distinct: boolean): Promise<number> {
    const what = distinct ? 'DISTINCT source_no' : '*';
    const sql = `SELECT count(${what})::int AS n FROM ${childTarget(this.table, this.#loadId)}`;
    return (await this.#client.query<{ n: number }>(sql)).rows[0]!.n;
  }

  /** Builds indexes, per-cell digests and planner statistics; then commits. */
  async finish(): Promise<void> {
    const target = childTarget(this.table, this.#loadId);
    const indexes = this.table.indexes.map(
      ({ columns }, i) =>
        `CREATE INDEX ${ident(`${childName(this.table, this.#loadId)}_i${i}`)} ON ${target} (${columns.map(ident).join(', ')})`,
    );
    const statistics = `SET LOCAL default_statistics_target = ${STATISTICS}; ANALYZE ${target} (${this.#searched().map(ident).join(', ')})`;
    const small = this.#rows < SMALL_ROWS;
    const digests = digestSteps(this.table, target, this.#loadId, small);
    const steps = small ? digests : [...indexes, statistics, ...digests];
    await this.#client.query([...steps, 'COMMIT'].join(';\n'));
    this.#released = true;
    this.#client.release();
  }

  /** Returns the columns that queries select by: statistics of others help no plan and cost more than the indexes. */
  #searched(): string[] {
    const { primaryKey, indexes, columns } = this.table;
    const names = [...primaryKey, ...indexes.flatMap((index) => index.columns)];
    const searched = [...new Set(names)];
    return searched.length > 0 ? searched : Object.keys(columns);
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

/** Stores rejects of a load, in batches. */
export async function insertRejects(
  client: pg.ClientBase,
  loadId: number,
  rejects: readonly Reject[],
): Promise<void> {
  for (let i = 0; i < rejects.length; i += 5000) {
    await client.query(
      `INSERT INTO control.reject (load_id, code, file, at, message, gnaf_pid)
       SELECT $1, r->>'code', r->>'file', r->>'at', r->>'message', r->>'gnaf_pid' FROM jsonb_array_elements($2::jsonb) r`,
      [loadId, jsonText(rejects.slice(i, i + 5000))],
    );
  }
}

/** Maximum rejects per code that are kept of a failed load. */
const FAILED_REJECTS = 1000;

/** Keeps the rejects of refused loads, and replaces those kept from an earlier refusal. */
export async function keepFailedRejects(
  client: pg.ClientBase,
  dataset: string,
  loadIds: readonly number[],
): Promise<void> {
  await client.query('DELETE FROM control.failed_reject WHERE dataset = $1', [dataset]);
  await client.query(
    `INSERT INTO control.failed_reject (dataset, code, file, at, message)
     SELECT $1, code, file, at, message FROM (
       SELECT r.*, row_number() OVER (PARTITION BY code ORDER BY file, length(at), at) AS n
       FROM control.reject r WHERE load_id = ANY ($2)) t WHERE n <= ${FAILED_REJECTS}`,
    [dataset, loadIds],
  );
}

/**
 * Drops the tables and records of loads that never became active, left by an interrupted run. The records go first: that waits for commits
 * in progress of the interrupted run's sessions and makes later ones fail.
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

/** Returns the tables that loads filled, each with its load. */
export async function filledBy(
  client: pg.ClientBase,
  tables: readonly Table[],
  loadIds: readonly number[],
): Promise<{ table: Table; loadId: number }[]> {
  if (loadIds.length === 0) return [];
  const all = loadIds.flatMap((loadId) => tables.map((table) => ({ table, loadId })));
  const { rows } = await client.query<{ relname: string }>(
    `SELECT relname FROM pg_class WHERE relnamespace = 'record'::regnamespace AND relname = ANY ($1)`,
    [all.map(({ table, loadId }) => childName(table, loadId))],
  );
  const existing = new Set(rows.map((row) => row.relname));
  return all.filter(({ table, loadId }) => existing.has(childName(table, loadId)));
}

/** Deletes what a failed reader left of a load: child tables, rejects and digests. The record of the load stays. */
export async function clearLoad(
  client: pg.ClientBase,
  tables: readonly Table[],
  loadId: number,
): Promise<void> {
  await dropTables(client, tables, [loadId]);
  await client.query('DELETE FROM control.reject WHERE load_id = $1', [loadId]);
  await client.query('DELETE FROM control.load_digest WHERE load_id = $1', [loadId]);
}

async function dropTables(
  client: pg.ClientBase,
  tables: readonly Table[],
  loadIds: readonly number[],
): Promise<void> {
  const filled = await filledBy(client, tables, loadIds);
  if (filled.length === 0) return;
  const targets = filled.map(({ table, loadId }) => childTarget(table, loadId));
  await client.query(`DROP TABLE ${targets.join(', ')}`);
}

/** Drops the tables and records of loads, in the caller's transaction if there is one. */
export async function dropLoads(
  client: pg.ClientBase,
  tables: readonly Table[],
  loadIds: readonly number[],
): Promise<void> {
  await dropTables(client, tables, loadIds);
  if (loadIds.length > 0) await client.query('DELETE FROM control.load WHERE load_id = ANY ($1)', [loadIds]);
}

/** The loads that make up a dataset. */
export interface DatasetLoads {
  dataset: string;
  /** Fingerprint of the new state of the dataset, also given to the kept loads. */
  fingerprint: string;
  /** Loads that were read for this state. */
  loaded: readonly number[];
  /** Active loads of parts that are unchanged. */
  keptLoads: readonly number[];
}

/** Activates the loads of a dataset, drops the loads they replace and logs the differences; one transaction, all parts or none. */
export async function activate(
  client: pg.ClientBase,
  tables: readonly Table[],
  { dataset, fingerprint, loaded, keptLoads }: DatasetLoads,
  runId: number,
): Promise<void> {
  await inTransaction(client, async () => {
    const old = await client.query<{ load_id: number }>(
      `SELECT load_id FROM control.load WHERE dataset = $1 AND state = 'active' AND load_id <> ALL ($2)`,
      [dataset, keptLoads],
    );
    const replaced = old.rows.map((row) => row.load_id);
    await writeDeliveryChanges(client, tables, replaced, loaded, runId);
    await dropLoads(client, tables, replaced);
    const attach = (await filledBy(client, tables, loaded)).map(
      ({ table, loadId }) =>
        `ALTER TABLE ${qualified(table)} ATTACH PARTITION ${childTarget(table, loadId)} FOR VALUES IN (${loadId})`,
    );
    if (attach.length > 0) await client.query(attach.join(';\n'));
    await client.query(`UPDATE control.load SET state = 'active' WHERE load_id = ANY ($1)`, [loaded]);
    await client.query('DELETE FROM control.failed_reject WHERE dataset = $1', [dataset]);
    await client.query('UPDATE control.load SET fingerprint = $2 WHERE load_id = ANY ($1)', [
      keptLoads,
      fingerprint,
    ]);
  });
}
