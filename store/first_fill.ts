import type pg from 'pg';
import { createTableSql, ident, qualified } from '../schema/ddl.ts';
import { type Bbox, unionBox } from '../schema/grid.ts';
import { partitionSql } from '../schema/partition.ts';
import type { Table } from '../schema/table.ts';
import { digestSql, extentSql, unionExtentSql } from './assets.ts';
import { type FactRow, factColumns, sumFacts, type TableFacts } from './counted_facts.ts';

/**
 * The first fill of an output table, by a stage of which nothing is recorded: its indexes are taken off, and partitions are recorded
 * without digests of their rows; when all rows are there, indexes are built and digests are taken over the whole table. Entering each row
 * into an index costs more than half of writing it. A mark in the books, which is made and taken off with all of this in one transaction,
 * says that a fill is under way: what a run that was killed has left of it, the next one ends.
 */

/** Schema that the rows of a stage are written to. */
const schemaOf = (table: Table): string => (table.schema === 'serving' ? 'staged' : table.schema);

const MARK = 'filling:';

/** Begins the first fill of a table, inside the caller's transaction; not where something of the stage is recorded. */
export async function beginFill(client: pg.ClientBase, stage: string, table: Table): Promise<void> {
  const marked = await client.query(
    `INSERT INTO control.meta (key, value) SELECT $1, '' WHERE NOT EXISTS (SELECT 1 FROM control.partition WHERE stage = $2)
     ON CONFLICT (key) DO NOTHING`,
    [MARK + stage, stage],
  );
  if (marked.rowCount === 0) return;
  const { rows } = await client.query<{ name: string }>(
    'SELECT indexrelid::regclass::text AS name FROM pg_index WHERE indrelid = $1::regclass',
    [qualified(table, schemaOf(table))],
  );
  if (rows.length > 0) await client.query(`DROP INDEX ${rows.map(({ name }) => name).join(', ')}`);
}

/** True during the first fill of the stage's table, which then goes on until the end of the transaction. */
export async function isFilling(client: pg.ClientBase, stage: string): Promise<boolean> {
  const marked = await client.query('SELECT 1 FROM control.meta WHERE key = $1 FOR SHARE', [MARK + stage]);
  return marked.rowCount === 1;
}

/** Stages whose first fill was begun. */
export async function openFills(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ stage: string }>(
    'SELECT substr(key, length($1) + 1) AS stage FROM control.meta WHERE starts_with(key, $1)',
    [MARK],
  );
  return rows.map(({ stage }) => stage);
}

/** What the books say of the rows of a cell. */
interface Content {
  cell: number;
  digest: string;
  extent: Bbox | null;
}

/** What a table holds when its first fill ends. */
export interface Filled {
  rows: number;
  /** Sum of the digests of its cells. */
  digest: bigint;
  facts: TableFacts;
}

/** Takes digests of the rows of each cell, and in the same pass what there is to know of the table. */
async function digestFilled(
  client: pg.ClientBase,
  table: Table,
): Promise<{ contents: Content[]; filled: Filled }> {
  const { select, groups } = factColumns(table);
  const digest = digestSql(Object.keys(table.columns));
  const { rows } = await client.query<FactRow & Content>(
    `SELECT ${partitionSql(table)} AS cell, ${digest}::text AS digest, ${extentSql(table)} AS extent, ${select}
     FROM ${qualified(table, schemaOf(table))} GROUP BY ${['1', ...groups].join(', ')} ORDER BY ${[...groups, '1'].join(', ')}`,
  );
  const contents = new Map<number, Content>();
  for (const { cell, digest, extent } of rows) {
    const known = contents.get(cell);
    const sum = BigInt(digest) + BigInt(known?.digest ?? 0);
    const boxes = [known?.extent, extent].filter((box) => box != null);
    contents.set(cell, { cell, digest: String(sum), extent: boxes.length > 0 ? unionBox(boxes) : null });
  }
  const filled = {
    rows: rows.reduce((sum, { n }) => sum + n, 0),
    digest: [...contents.values()].reduce((sum, { digest }) => sum + BigInt(digest), 0n),
    facts: sumFacts(table, rows),
  };
  return { contents: [...contents.values()], filled };
}

/** Takes digests of the rows of each home, and sums them by cell. */
async function digestHomes(
  client: pg.ClientBase,
  stage: string,
  table: Table,
  home: string,
): Promise<Content[]> {
  await client.query(
    `INSERT INTO control.home (stage, cell, home, rows, digest, extent)
     SELECT $1, ${partitionSql(table)}, ${ident(home)}, count(*), ${digestSql(Object.keys(table.columns))}, ${extentSql(table)}
     FROM ${qualified(table, schemaOf(table))} GROUP BY 2, 3`,
    [stage],
  );
  const { rows } = await client.query<Content>(
    `SELECT cell, sum(digest)::text AS digest, ${unionExtentSql()} AS extent FROM control.home WHERE stage = $1 GROUP BY cell`,
    [stage],
  );
  return rows;
}

/**
 * Ends the first fill of a table, inside the caller's transaction; waits for those who are writing to it. Returns what the table holds; null
 * where no fill was under way, or the table is digested by home.
 */
export async function endFill(client: pg.ClientBase, stage: string, table: Table): Promise<Filled | null> {
  const marked = await client.query('DELETE FROM control.meta WHERE key = $1', [MARK + stage]);
  if (marked.rowCount === 0) return null;
  const [, ...indexes] = createTableSql(table, schemaOf(table));
  for (const sql of indexes) await client.query(sql);
  // Read by itself, because PostgreSQL reads for an UPDATE with one process only.
  const { contents, filled } =
    table.home === null
      ? await digestFilled(client, table)
      : { contents: await digestHomes(client, stage, table, table.home), filled: null };
  await client.query(
    `UPDATE control.partition p SET output_digest = (c->>'digest')::numeric,
       extent = CASE jsonb_typeof(c->'extent') WHEN 'array' THEN ARRAY(SELECT jsonb_array_elements_text(c->'extent')::float8) END
     FROM jsonb_array_elements($2::jsonb) c WHERE p.stage = $1 AND p.cell = (c->>'cell')::int`,
    [stage, JSON.stringify(contents)],
  );
  return filled;
}
