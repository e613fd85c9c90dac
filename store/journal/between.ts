import type pg from 'pg';
import { ident, qualified } from '../../schema/ddl.ts';
import type { Table } from '../../schema/table.ts';
import { columnsOf } from './differences.ts';
import { basesOf, readablePublication, readPublication } from './journal.ts';
import { netChanges, type PublicationRange } from './journal_range.ts';

/** How a row differs between two publications: added, removed, or changed in some column. */
export const CHANGE_KINDS = ['added', 'removed', 'changed'] as const;
export type Became = (typeof CHANGE_KINDS)[number];

const CHANGE: Readonly<Record<Became, string>> = { added: 'insert', removed: 'delete', changed: 'update' };

/** Returns the prefix of the views in `AS_OF_SCHEMA` that show the differing rows of a serving table. */
export const prefixOf = (became: Became): string => `${became}_`;

/**
 * Creates views of a table's differing rows, with its columns: added and changed rows with their later values, removed rows with their
 * earlier ones.
 */
async function viewBetween(client: pg.ClientBase, table: Table, range: PublicationRange): Promise<void> {
  const between = ident(`between_${table.name}`);
  await client.query(
    `CREATE TEMP TABLE ${between} ON COMMIT DROP AS SELECT ''::text AS became, ${columnsOf(table)} FROM ${qualified(table)} WHERE false`,
  );
  await client.query(
    `INSERT INTO ${between} SELECT c.change, ${columnsOf(table, 'r.')} FROM (${await netChanges(client, table, range)}) c,
       LATERAL jsonb_populate_record(NULL::${qualified(table)}, COALESCE(c.after, c.before)) r`,
  );
  if ('cell' in table.columns) await client.query(`CREATE INDEX ON ${between} (cell)`);
  await client.query(`ANALYZE ${between}`);
  for (const became of CHANGE_KINDS)
    await client.query(
      `CREATE TEMP VIEW ${ident(prefixOf(became) + table.name)} AS SELECT ${columnsOf(table)} FROM ${between} WHERE became = '${CHANGE[became]}'`,
    );
}

/**
 * Runs `work` while temporary views in `AS_OF_SCHEMA`, named by `prefixOf` and the table, show the differences between two publications.
 * Leaves nothing behind. The client must not be in a transaction. `firsts` are tables that got their first rows in between: all their rows
 * are new, and their views are empty. The cost grows with the changes in between.
 * @throws EtlError unknown_publication, journal_pruned
 */
export async function withBetween<T>(
  client: pg.ClientBase,
  tables: readonly Table[],
  range: PublicationRange,
  work: (firsts: readonly string[]) => Promise<T>,
): Promise<T> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  try {
    await client.query('SET LOCAL client_min_messages = warning');
    await readablePublication(client, range.after);
    await readPublication(client, range.upTo);
    const firsts: string[] = [];
    for (const table of tables) {
      const bases = await basesOf(client, table.name, range.after + 1);
      const isFirst = bases.some((id) => id <= range.upTo);
      if (isFirst) firsts.push(table.name);
      await viewBetween(client, table, isFirst ? { after: range.upTo, upTo: range.upTo } : range);
    }
    return await work(firsts);
  } finally {
    await client.query('ROLLBACK');
  }
}

/** Returns true for tables whose rows belong to a suburb, by their own column or by their property. */
export const hasSuburb = ({ columns }: Table): boolean => 'sal' in columns || 'gnaf_pid' in columns;

/**
 * Counts rows of a table that differ between two publications, by suburb, sorted by name; `sal` null: rows without a suburb, or of a
 * property no longer served. The suburb is that of today. No publication in between may have brought the table's first rows.
 */
export async function changedBySuburb(
  client: pg.ClientBase,
  table: Table,
  range: PublicationRange,
): Promise<{ sal: string | null; rows: number }[]> {
  const isOfProperty = 'gnaf_pid' in table.columns;
  const sql = `SELECT ${isOfProperty ? 'p.sal' : "c.row ->> 'sal' AS sal"}
    FROM (SELECT COALESCE(after, before) AS row FROM (${await netChanges(client, table, range)}) n) c
    ${isOfProperty ? "LEFT JOIN serving.property p ON p.gnaf_pid = c.row ->> 'gnaf_pid'" : ''}`;
  const { rows } = await client.query<{ sal: string | null; rows: number }>(
    `SELECT sal, count(*)::int AS rows FROM (${sql}) s GROUP BY sal ORDER BY sal COLLATE "C"`,
  );
  return rows;
}
