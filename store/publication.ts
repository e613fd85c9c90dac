import type pg from 'pg';
import { ident, qualified } from '../schema/ddl.ts';
import type { Table } from '../schema/table.ts';

/** How many rows of a serving table a publication changes. */
export interface Delta {
  inserted: number;
  updated: number;
  deleted: number;
  rows_before: number;
  rows_after: number;
}

const changed = (table: Table): string => ident(`changed_${table.name}`);
const delta = (table: Table): string => ident(`delta_${table.name}`);
const columns = (table: Table, alias = ''): string =>
  Object.keys(table.columns)
    .map((name) => `${alias}${ident(name)}`)
    .join(', ');
const keyText = (table: Table, alias: string): string =>
  `concat_ws('|', ${table.primaryKey.map((name) => `${alias}.${ident(name)}`).join(', ')})`;
const sameKey = (table: Table, a: string, b: string): string =>
  table.primaryKey.map((name) => `${a}.${ident(name)} = ${b}.${ident(name)}`).join(' AND ');

async function count(client: pg.ClientBase, sql: string, values: unknown[] = []): Promise<number> {
  return Number((await client.query<{ n: string }>(sql, values)).rows[0]!.n);
}

/** Lists the cells whose computed rows are not those published, in a temporary table. Returns their number. */
export async function findChangedCells(client: pg.ClientBase, table: Table, stage: string): Promise<number> {
  await client.query(`CREATE TEMP TABLE ${changed(table)} (cell int PRIMARY KEY) ON COMMIT DROP`);
  await client.query(
    `INSERT INTO ${changed(table)}
     SELECT COALESCE(p.cell, d.cell)
     FROM (SELECT cell, output_digest FROM control.partition WHERE stage = $1 AND rows > 0) p
     FULL JOIN (SELECT cell, digest FROM control.published WHERE table_name = $2 AND rows > 0) d ON d.cell = p.cell
     WHERE p.output_digest IS DISTINCT FROM d.digest`,
    [stage, table.name],
  );
  await client.query(`ANALYZE ${changed(table)}`);
  return count(client, `SELECT count(*) AS n FROM ${changed(table)}`);
}

/** Keys that would stand twice in the serving table: in two changed cells, or in a changed and an unchanged one. */
export async function findDuplicateKeys(client: pg.ClientBase, table: Table): Promise<string[]> {
  const { rows } = await client.query<{ key: string }>(
    `SELECT ${keyText(table, 's')} AS key FROM ${qualified(table, 'staged')} s JOIN ${changed(table)} USING (cell)
     GROUP BY ${table.primaryKey.map((name) => `s.${ident(name)}`).join(', ')} HAVING count(*) > 1
     UNION ALL
     SELECT ${keyText(table, 's')} FROM ${qualified(table, 'staged')} s JOIN ${changed(table)} USING (cell)
     JOIN ${qualified(table)} o ON ${sameKey(table, 's', 'o')} WHERE o.cell NOT IN (SELECT cell FROM ${changed(table)})
     LIMIT 10`,
  );
  return rows.map((row) => row.key);
}

/**
 * Applies the row differences of the changed cells to the serving table and writes them to the journal.
 * The rows of an empty table are its base: they are inserted without journal entries, because before them there was nothing.
 */
export async function applyDelta(client: pg.ClientBase, table: Table, publication: number): Promise<Delta> {
  const rowsBefore = await count(
    client,
    'SELECT COALESCE(sum(rows), 0) AS n FROM control.published WHERE table_name = $1',
    [table.name],
  );
  if (rowsBefore === 0) {
    const inserted = await client.query(
      `INSERT INTO ${qualified(table)} (${columns(table)})
       SELECT ${columns(table)} FROM ${qualified(table, 'staged')} WHERE cell IN (SELECT cell FROM ${changed(table)})`,
    );
    const n = inserted.rowCount ?? 0;
    return { inserted: n, updated: 0, deleted: 0, rows_before: 0, rows_after: n };
  }
  await findDifferences(client, table);
  await client.query(
    `DELETE FROM ${qualified(table)} o USING ${delta(table)} d WHERE d.change <> 'insert' AND ${sameKey(table, 'o', 'd')}`,
  );
  await client.query(
    `INSERT INTO ${qualified(table)} (${columns(table)})
     SELECT ${columns(table, 's.')} FROM ${qualified(table, 'staged')} s JOIN ${delta(table)} d ON ${sameKey(table, 's', 'd')}
     WHERE d.change <> 'delete'`,
  );
  await client.query(
    `INSERT INTO control.change (publication_id, table_name, seq, change, key, before, after)
     SELECT $1, $2, row_number() OVER (ORDER BY ${keyText(table, 'd')} COLLATE "C"), change, ${keyText(table, 'd')}, before, after
     FROM ${delta(table)} d`,
    [publication, table.name],
  );
  const { rows } = await client.query<{ change: string; n: string }>(
    `SELECT change, count(*) AS n FROM ${delta(table)} GROUP BY change`,
  );
  const by = Object.fromEntries(rows.map((row) => [row.change, Number(row.n)]));
  const [inserted, updated, deleted] = [by.insert ?? 0, by.update ?? 0, by.delete ?? 0];
  return { inserted, updated, deleted, rows_before: rowsBefore, rows_after: rowsBefore + inserted - deleted };
}

/** Rows of the changed cells that differ between staged and serving, with both sides, in a temporary table. */
async function findDifferences(client: pg.ClientBase, table: Table): Promise<void> {
  const key = table.primaryKey
    .map((name) => `COALESCE(o.${ident(name)}, n.${ident(name)}) AS ${ident(name)}`)
    .join(', ');
  const first = ident(table.primaryKey[0]!);
  await client.query(
    `CREATE TEMP TABLE ${delta(table)} ON COMMIT DROP AS
     SELECT ${key},
       CASE WHEN o.${first} IS NULL THEN 'insert' WHEN n.${first} IS NULL THEN 'delete' ELSE 'update' END AS change,
       CASE WHEN o.${first} IS NOT NULL THEN to_jsonb(o) END AS before,
       CASE WHEN n.${first} IS NOT NULL THEN to_jsonb(n) END AS after
     FROM (SELECT ${columns(table)} FROM ${qualified(table)} WHERE cell IN (SELECT cell FROM ${changed(table)})) o
     FULL JOIN (SELECT ${columns(table)} FROM ${qualified(table, 'staged')} WHERE cell IN (SELECT cell FROM ${changed(table)})) n
       ON ${sameKey(table, 'o', 'n')}
     WHERE ROW(${columns(table, 'o.')}) IS DISTINCT FROM ROW(${columns(table, 'n.')})`,
  );
  await client.query(`ANALYZE ${delta(table)}`);
}

/** Net change of the number of nulls of each nullable column, from the differences of this publication. */
export async function nullChanges(client: pg.ClientBase, table: Table): Promise<Record<string, number>> {
  const names = Object.entries(table.columns)
    .filter(([, column]) => column.nullable)
    .map(([name]) => name);
  if (names.length === 0) return {};
  const sums = names.map((name, i) => {
    const isNull = (side: string): string =>
      `count(*) FILTER (WHERE ${side} ->> '${name}' IS NULL AND ${side} IS NOT NULL)`;
    return `${isNull('after')} - ${isNull('before')} AS c${i}`;
  });
  const { rows } = await client.query<Record<string, string>>(
    `SELECT ${sums.join(', ')} FROM ${delta(table)}`,
  );
  return Object.fromEntries(names.map((name, i) => [name, Number(rows[0]![`c${i}`])]));
}

/** Rows of a table whose property is not (or no longer) there, among the cells that changed in either table. */
export async function countOrphans(client: pg.ClientBase, table: Table, parent: Table): Promise<number> {
  return count(
    client,
    `SELECT count(*) AS n FROM ${qualified(table)} t
     WHERE (t.cell IN (SELECT cell FROM ${changed(table)}) OR t.cell IN (SELECT cell FROM ${changed(parent)}))
       AND NOT EXISTS (SELECT 1 FROM ${qualified(parent)} p WHERE p.gnaf_pid = t.gnaf_pid)`,
  );
}

/** Books the published cells of a table and empties its staged rows. */
export async function markPublished(client: pg.ClientBase, table: Table, stage: string): Promise<void> {
  await client.query(
    `DELETE FROM control.published d WHERE table_name = $1
       AND NOT EXISTS (SELECT 1 FROM control.partition p WHERE p.stage = $2 AND p.cell = d.cell)`,
    [table.name, stage],
  );
  await client.query(
    `INSERT INTO control.published (table_name, cell, digest, rows)
     SELECT $1, cell, output_digest, rows FROM control.partition WHERE stage = $2
     ON CONFLICT (table_name, cell) DO UPDATE SET digest = excluded.digest, rows = excluded.rows
     WHERE control.published.digest <> excluded.digest`,
    [table.name, stage],
  );
  await client.query(`TRUNCATE ${qualified(table, 'staged')}`);
  await client.query('UPDATE control.partition SET staged = false WHERE stage = $1 AND staged', [stage]);
}

/** One line of the digest of what is served. */
export interface TableDigest {
  table: string;
  rows: number;
  digest: string;
}

/**
 * Order-independent digest of a serving table: two sums, modulo 2^64, of halves of the SHA-256 of each row's text form.
 * The text form of every column type used is the same on every PostgreSQL from 14 on, so servers can be compared.
 */
export async function digestTable(client: pg.ClientBase, table: Table): Promise<TableDigest> {
  const half = (from: number): string =>
    `mod(sum(('x' || encode(substr(h, ${from}, 8), 'hex'))::bit(64)::bigint::numeric + 9223372036854775808), 18446744073709551616)`;
  const { rows } = await client.query<{ n: string; a: string | null; b: string | null }>(
    `SELECT count(*) AS n, ${half(1)} AS a, ${half(9)} AS b
     FROM (SELECT sha256(convert_to(ROW(${columns(table)})::text, 'UTF8')) AS h FROM ${qualified(table)}) t`,
  );
  const hex = (value: string | null): string =>
    BigInt(value ?? 0)
      .toString(16)
      .padStart(16, '0');
  return { table: table.name, rows: Number(rows[0]!.n), digest: hex(rows[0]!.a) + hex(rows[0]!.b) };
}
