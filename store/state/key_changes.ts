import type pg from 'pg';
import type { Bbox } from '../../schema/grid.ts';
import { bookName, type Table } from '../../schema/table.ts';
import { jsonText } from '../json_text.ts';

/** Changes to the keys of a cell. */
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
  /** Values of further columns by which other rows name the changed rows, before and after (`Table.named`); null: there is no such column. */
  named: Readonly<Record<string, readonly string[]>> | null;
  /** Keys of the cell with rows before or after; null: not counted, as where some keys alone were looked at. */
  keys_seen: number | null;
  /** Boxes around the rows before and after; null: they are not written down. */
  boxes: Bbox[] | null;
}

/** A recorded change, without its keys. */
export interface KeyChangeRow {
  change_id: number;
  run_id: number;
  /** Stage, or record table (`recordMaker`). */
  stage: string;
  cell: number;
  delta: string;
  keys: number;
  /** Boxes around the rows before and after; null: they are not written down. */
  boxes: Bbox[] | null;
}

const RECORD = 'record.';

/** Name used instead of a stage for the rows of a record table, which deliveries change. */
export const recordMaker = (table: Table): string => RECORD + bookName(table);

/** The recorded name of the record table in place of a stage; null: a stage. */
export const recordOf = (maker: string): string | null =>
  maker.startsWith(RECORD) ? maker.slice(RECORD.length) : null;

/** Changes of so many runs are kept, and those of so many days, in which there may be more runs; what lags behind by more is computed as a whole. */
const KEPT_RUNS = 32;
const KEPT_DAYS = 2;

/**
 * Where more keys of a cell differ than 100 and than half of them, the log has nothing of the cell: what follows from it is computed as a
 * whole. `keys`: SQL for their number.
 */
export const mostLoggedSql = (keys: string): string => `GREATEST(100, ${keys} * 0.5)`;
const mostLogged = (keys: number): number => Math.max(100, keys * 0.5);

const isWorthWriting = ({ delta, keys, keys_seen, boxes }: CellChange): boolean =>
  (keys.length > 0 || (boxes !== null && delta !== 0n)) &&
  (keys_seen === null || keys.length <= mostLogged(keys_seen));

/** Records the changes of a computation to a tracked table, by the cell where its rows belong. */
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

/** The changes of all stages, or of one, the latest first. */
export async function readKeyChanges(client: pg.ClientBase, stage?: string): Promise<KeyChangeRow[]> {
  const { rows } = await client.query<KeyChangeRow>(
    `SELECT change_id, run_id, stage, cell, boxes, delta::text, cardinality(keys) AS keys
     FROM control.key_change WHERE $1::text IS NULL OR stage = $1 ORDER BY change_id DESC`,
    [stage ?? null],
  );
  return rows;
}

/** Deletes the changes of runs long past. */
export async function pruneKeyChanges(client: pg.ClientBase, runId: number): Promise<void> {
  await client.query(
    `DELETE FROM control.key_change c USING control.run r
     WHERE r.run_id = c.run_id AND c.run_id <= $1 AND r.started_at < now() - make_interval(days => $2)`,
    [runId - KEPT_RUNS, KEPT_DAYS],
  );
}
