import type pg from 'pg';
import type { Bbox } from '../../schema/grid.ts';
import { recordedName, type Table } from '../../schema/table.ts';
import { jsonText } from '../json_text.ts';

/** Logged changes to the keys of a cell. */
export interface CellChange {
  cell: number;
  /** Digest after minus digest before. */
  delta: bigint;
  /** Row count after minus row count before. */
  rows: number;
  /** Number of keys with rows after, minus number of keys with rows before. */
  filled: number;
  /** Keys whose rows differ. */
  keys: string[];
  /**
   * Values that other rows refer to in further columns of the changed rows, before and after (`Table.named`); null: there is no such
   * column.
   */
  named: Readonly<Record<string, readonly string[]>> | null;
  /** Number of keys of the cell with rows before or after; null: not counted, because only some keys were compared. */
  keys_seen: number | null;
  /** Boxes around the rows before and after; null: not logged. */
  boxes: Bbox[] | null;
}

/** A logged change, without its keys. */
export interface KeyChangeRow {
  change_id: number;
  run_id: number;
  /** Stage, or recorded name of a record table (`recordMaker`). */
  stage: string;
  cell: number;
  delta: string;
  keys: number;
  /** Boxes around the rows before and after; null: not logged. */
  boxes: Bbox[] | null;
}

const RECORD = 'record.';

/** Returns the name that replaces a stage for the rows of a record table, which deliveries change. */
export const recordMaker = (table: Table): string => RECORD + recordedName(table);

/** Returns the recorded name of the record table; null: a stage. */
export const recordOf = (maker: string): string | null =>
  maker.startsWith(RECORD) ? maker.slice(RECORD.length) : null;

/**
 * Minimum runs and days for which changes are kept: a change is deleted if it is older than both. Partitions further behind are recomputed
 * whole.
 */
const KEPT_RUNS = 32;
const KEPT_DAYS = 2;

/**
 * Returns SQL for the maximum of changed keys that are logged for a cell: 100 or half its keys, whichever is more. Above it nothing is
 * logged, and dependants are recomputed whole. `keys`: SQL for the number of keys.
 */
export const mostLoggedSql = (keys: string): string => `GREATEST(100, ${keys} * 0.5)`;
const mostLogged = (keys: number): number => Math.max(100, keys * 0.5);

const isWorthWriting = ({ delta, keys, keys_seen, boxes }: CellChange): boolean =>
  (keys.length > 0 || (boxes !== null && delta !== 0n)) &&
  (keys_seen === null || keys.length <= mostLogged(keys_seen));

/** Logs the changes of a computation to a tracked table, by home cell. */
export async function writeKeyChanges(
  client: pg.ClientBase,
  stage: string,
  runId: number,
  changes: readonly CellChange[],
): Promise<void> {
  const written = changes.filter((each) => isWorthWriting(each));
  if (written.length === 0) return;
  const rows = written.map(({ cell, delta, keys, named, boxes }) => ({
    cell,
    delta: String(delta),
    keys,
    named,
    boxes,
  }));
  await client.query(
    `INSERT INTO control.key_change (run_id, stage, cell, delta, keys, named, boxes)
     SELECT $1, $2, (c->>'cell')::int, (c->>'delta')::numeric, ARRAY(SELECT jsonb_array_elements_text(c->'keys')),
       NULLIF(c->'named', 'null'), NULLIF(c->'boxes', 'null')
     FROM jsonb_array_elements($3::jsonb) c`,
    [runId, stage, jsonText(rows)],
  );
}

/** Returns the logged changes of all stages, or of one, latest first. */
export async function readKeyChanges(client: pg.ClientBase, stage?: string): Promise<KeyChangeRow[]> {
  const { rows } = await client.query<KeyChangeRow>(
    `SELECT change_id, run_id, stage, cell, boxes, delta::text, cardinality(keys) AS keys
     FROM control.key_change WHERE $1::text IS NULL OR stage = $1 ORDER BY change_id DESC`,
    [stage ?? null],
  );
  return rows;
}

/** Deletes the changes of old runs. */
export async function pruneKeyChanges(client: pg.ClientBase, runId: number): Promise<void> {
  await client.query(
    `DELETE FROM control.key_change c USING control.run r
     WHERE r.run_id = c.run_id AND c.run_id <= $1 AND r.started_at < now() - make_interval(days => $2)`,
    [runId - KEPT_RUNS, KEPT_DAYS],
  );
}
