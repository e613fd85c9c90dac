import type pg from 'pg';
import type { Bbox } from '../schema/grid.ts';
import { bookName, type Table } from '../schema/table.ts';
import { jsonText } from './json_text.ts';

/** Rows of one key in one cell of a table. */
export interface KeyDigest {
  cell: number;
  key: string;
  rows: number;
  /** Sum of the row hashes. */
  digest: string;
  /** The rows in some columns, each an array of values, where they are to be kept. */
  values?: unknown[];
}

/** What became of the keys of a cell. */
export interface CellChange {
  cell: number;
  /** Digest after less digest before. */
  delta: bigint;
  /** Rows after less rows before. */
  rows: number;
  /** Keys with rows after less keys with rows before. */
  filled: number;
  /** Keys whose rows differ. */
  keys: string[];
  /** The rows of each of these keys before, where they are to be kept. */
  before: unknown[][];
  /** Boxes around the rows before and after; null: they are not written down. */
  boxes: Bbox[] | null;
}

/** A change as the books list it, without its keys. */
export interface KeyChangeRow {
  change_id: number;
  run_id: number;
  /** Stage, or record table (`recordMaker`). */
  stage: string;
  cell: number;
  delta: string;
  keys: number;
  /** The rows before the change are kept, in every column that was asked for. */
  keeps_rows: boolean;
  /** Boxes around the rows before and after; null: they are not written down. */
  boxes: Bbox[] | null;
}

const RECORD = 'record.';

/** What stands in the place of a stage for the rows of a record table, which deliveries change. */
export const recordMaker = (table: Table): string => RECORD + bookName(table);

/** The name in the books of the record table that stands in the place of a stage; null: it is a stage. */
export const recordOf = (maker: string): string | null =>
  maker.startsWith(RECORD) ? maker.slice(RECORD.length) : null;

/** Changes of so many runs are kept, and those of so many days, in which there may be more runs; what lags behind by more is computed as a whole. */
const KEPT_RUNS = 32;
const KEPT_DAYS = 2;

/** Compares the keys of cells before and after a computation. Cells in which nothing differs are left out. */
export function compareKeys(before: readonly KeyDigest[], after: readonly KeyDigest[]): CellChange[] {
  const cells = new Map<number, CellChange>();
  const changeOf = (cell: number): CellChange => {
    const known = cells.get(cell) ?? {
      cell,
      delta: 0n,
      rows: 0,
      filled: 0,
      keys: [],
      before: [],
      boxes: null,
    };
    cells.set(cell, known);
    return known;
  };
  const old = new Map(before.map((each) => [`${each.cell}|${each.key}`, each]));
  for (const { cell, key, rows, digest } of after) {
    const id = `${cell}|${key}`;
    const was = old.get(id);
    old.delete(id);
    if (was?.digest === digest && was.rows === rows) continue;
    const change = changeOf(cell);
    change.delta += BigInt(digest) - BigInt(was?.digest ?? 0);
    change.rows += rows - (was?.rows ?? 0);
    change.filled += was ? 0 : 1;
    change.keys.push(key);
    change.before.push(was?.values ?? []);
  }
  for (const { cell, key, rows, digest, values } of old.values()) {
    const change = changeOf(cell);
    change.delta -= BigInt(digest);
    change.rows -= rows;
    change.filled -= 1;
    change.keys.push(key);
    change.before.push(values ?? []);
  }
  return [...cells.values()].sort((a, b) => a.cell - b.cell);
}

/**
 * Enters what a computation changed in a tracked table, by the cell where its rows are looked for. `columns` are those in which the rows
 * before the change are kept; null: they are not.
 */
export async function writeKeyChanges(
  client: pg.ClientBase,
  stage: string,
  runId: number,
  changes: readonly CellChange[],
  columns: readonly string[] | null,
): Promise<void> {
  if (changes.length === 0) return;
  const rows = changes.map(({ cell, delta, keys, before, boxes }) => ({
    cell,
    delta: String(delta),
    keys,
    before,
    boxes,
  }));
  await client.query(
    `INSERT INTO control.key_change (run_id, stage, cell, delta, keys, boxes, columns, before)
     SELECT $1, $2, (c->>'cell')::int, (c->>'delta')::numeric, ARRAY(SELECT jsonb_array_elements_text(c->'keys')),
       NULLIF(c->'boxes', 'null'), $4::text[], CASE WHEN $4::text[] IS NOT NULL THEN ARRAY(SELECT jsonb_array_elements(c->'before')) END
     FROM jsonb_array_elements($3::jsonb) c`,
    [runId, stage, jsonText(rows), columns],
  );
}

/** The changes of all stages, or of one, the latest first; `kept` are the columns in which the rows before are needed, by stage. */
export async function readKeyChanges(
  client: pg.ClientBase,
  kept: ReadonlyMap<string, readonly string[]>,
  stage?: string,
): Promise<KeyChangeRow[]> {
  const needed = [...kept].map(([name, columns]) => ({ name, columns }));
  const { rows } = await client.query<KeyChangeRow>(
    `SELECT change_id, run_id, c.stage, cell, boxes, delta::text, cardinality(keys) AS keys, COALESCE(c.columns @> n.columns, false) AS keeps_rows
     FROM control.key_change c
     LEFT JOIN (SELECT k->>'name' AS stage, ARRAY(SELECT jsonb_array_elements_text(k->'columns')) AS columns
       FROM jsonb_array_elements($2::jsonb) k) n ON n.stage = c.stage
     WHERE $1::text IS NULL OR c.stage = $1 ORDER BY change_id DESC`,
    [stage ?? null, JSON.stringify(needed)],
  );
  return rows;
}

/** The rows of a key in a cell as they were before the first of some changes. */
export interface RowsBefore {
  cell: number;
  key: string;
  rows: Record<string, unknown>[];
}

/** The rows of every key that the given changes of a stage list, as they were before the first of them, in the columns that were kept. */
export async function readRowsBefore(
  client: pg.ClientBase,
  stage: string,
  changes: readonly number[],
): Promise<RowsBefore[]> {
  const { rows } = await client.query<{ cell: number; key: string; columns: string[]; rows: unknown[][] }>(
    `SELECT DISTINCT ON (c.cell, k.key) c.cell, k.key, c.columns, k.before AS rows
     FROM control.key_change c, unnest(c.keys, c.before) k (key, before)
     WHERE c.change_id = ANY ($1) AND c.stage = $2 ORDER BY c.cell, k.key, c.change_id`,
    [changes, stage],
  );
  return rows.map(({ cell, key, columns, rows: values }) => ({
    cell,
    key,
    rows: values.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i]]))),
  }));
}

/** Deletes the changes of runs long past. */
export async function pruneKeyChanges(client: pg.ClientBase, runId: number): Promise<void> {
  await client.query(
    `DELETE FROM control.key_change c USING control.run r
     WHERE r.run_id = c.run_id AND c.run_id <= $1 AND r.started_at < now() - make_interval(days => $2)`,
    [runId - KEPT_RUNS, KEPT_DAYS],
  );
}
