import type pg from 'pg';
import { ident, indexSql, keySql, qualified, stagedIndexName, stagedIndexSql } from '../schema/ddl.ts';
import { partitionColumn, type Table } from '../schema/table.ts';
import type { Filled } from './first_fill.ts';

const LOCK_NOT_AVAILABLE = '55P03';

/** Locks tables for this transaction alone, or returns false where somebody is reading one of them. */
export async function lockAlone(client: pg.ClientBase, tables: readonly Table[]): Promise<boolean> {
  await client.query('SAVEPOINT alone');
  try {
    const names = tables.map((table) => qualified(table)).join(', ');
    await client.query(`LOCK TABLE ${names} IN ACCESS EXCLUSIVE MODE NOWAIT`);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
    await client.query('ROLLBACK TO SAVEPOINT alone');
    return false;
  }
}

/** Takes key and indexes off the serving table. */
async function dropIndexes(client: pg.ClientBase, table: Table): Promise<void> {
  const target = qualified(table);
  const { rows } = await client.query<{ name: string; is_key: boolean }>(
    `SELECT c.relname AS name, i.indisprimary AS is_key FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE i.indrelid = $1::regclass`,
    [target],
  );
  const steps = rows.map(({ name, is_key }) =>
    is_key
      ? `ALTER TABLE ${target} DROP CONSTRAINT ${ident(name)}`
      : `DROP INDEX ${ident(table.schema)}.${ident(name)}`,
  );
  await client.query([`TRUNCATE ${target}`, ...steps].join(';\n'));
}

/**
 * Fills the serving table of a database that has published nothing. Where nobody has attached anything to it, the staged table takes its
 * place with its rows, and with the keys and indexes that were built for it ahead (`buildAhead`). Else `insert` puts the rows into a file
 * of its own without keys and indexes, which the server need not log. What is missing of these is then built over all rows at once, which
 * takes less than half the time of entering each row into each index. The caller holds the tables (`lockAlone`): until the commit nobody
 * can read them, which is why this is for the first publication alone. `inserted` are the rows that it publishes; `filled` says what is staged,
 * where that is known.
 */
export async function fillFirst(
  client: pg.ClientBase,
  table: Table,
  { inserted, filled }: { inserted: number; filled?: Filled | null },
  insert: () => Promise<unknown>,
): Promise<void> {
  const target = qualified(table);
  const staged = filled?.rows ?? (await countStaged(client, table));
  const swaps = staged === inserted && (await isPlain(client, table));
  await dropIndexes(client, table);
  if (swaps) await takePlace(client, table);
  else await insert();
  if (table.primaryKey.length > 0)
    await client.query(`ALTER TABLE ${target} ADD ${await keyOf(client, table)}`);
  for (const sql of indexSql(table, target, table.name)) await client.query(sql);
}

async function countStaged(client: pg.ClientBase, table: Table): Promise<number> {
  const { rows } = await client.query<{ n: string }>(
    `SELECT count(*) AS n FROM ${qualified(table, 'staged')}`,
  );
  return Number(rows[0]!.n);
}

const keyName = (table: Table): string => `${table.name}_pkey`;

/** True where the staged table has the key of the serving one: none of its rows repeats a key. */
export async function hasKeyAhead(client: pg.ClientBase, table: Table): Promise<boolean> {
  return isIndex(client, `staged.${ident(keyName(table))}`);
}

async function isIndex(client: pg.ClientBase, name: string): Promise<boolean> {
  return (await client.query('SELECT to_regclass($1) IS NOT NULL AS there', [name])).rows[0].there;
}

/** The primary key as a constraint: of the index that was built ahead, where there is one. */
async function keyOf(client: pg.ClientBase, table: Table): Promise<string> {
  if (!(await isIndex(client, `${ident(table.schema)}.${ident(keyName(table))}`))) return keySql(table);
  return `CONSTRAINT ${ident(keyName(table))} PRIMARY KEY USING INDEX ${ident(keyName(table))}`;
}

/**
 * True where serving and staged table differ in nothing but their rows, indexes and who may read them: no view, reference, trigger, policy or
 * function hangs on the serving table, neither has settings or grants on columns, and they have one owner and the same columns.
 */
async function isPlain(client: pg.ClientBase, table: Table): Promise<boolean> {
  const columns = (alias: string): string =>
    `(SELECT array_agg(ROW(attname, atttypid, attcollation, attstorage)::text ORDER BY attname) FROM pg_attribute
      WHERE attrelid = ${alias}.oid AND attnum > 0 AND NOT attisdropped)`;
  const { rows } = await client.query<{ plain: boolean }>(
    `SELECT s.relowner = w.relowner AND s.reltablespace = w.reltablespace AND s.relpersistence = w.relpersistence
       AND s.reloptions IS NULL AND w.reloptions IS NULL AND w.relacl IS NULL
       AND NOT s.relrowsecurity AND NOT s.relhasrules AND NOT w.relhastriggers AND ${columns('s')} = ${columns('w')}
       AND NOT EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid IN (s.oid, w.oid) AND (attacl IS NOT NULL OR attoptions IS NOT NULL))
       AND NOT EXISTS (
         SELECT 1 FROM pg_depend d LEFT JOIN pg_class c ON d.classid = 'pg_class'::regclass AND c.oid = d.objid
           LEFT JOIN pg_constraint k ON d.classid = 'pg_constraint'::regclass AND k.oid = d.objid
         WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = s.oid AND d.classid <> 'pg_type'::regclass
           AND (c.relkind IS NULL OR c.relkind NOT IN ('i', 't')) AND (k.conrelid IS NULL OR k.conrelid <> s.oid))
       AND NOT EXISTS (
         SELECT 1 FROM pg_depend d WHERE d.refclassid = 'pg_type'::regclass AND d.refobjid = s.reltype AND d.deptype <> 'i') AS plain
     FROM pg_class s, pg_class w WHERE s.oid = $1::regclass AND w.oid = $2::regclass`,
    [qualified(table), qualified(table, 'staged')],
  );
  return rows[0]!.plain;
}

/**
 * Lets the staged table, with its indexes, take the place of the serving one, which is empty and becomes the staged one. The table is
 * locked before its indexes are renamed: an autovacuum worker that analyses it would wait for the index while this waits for the table.
 */
async function takePlace(client: pg.ClientBase, table: Table): Promise<void> {
  const [serving, staged] = [qualified(table), qualified(table, 'staged')];
  const aside = ident(`${table.name}_aside`);
  const grants = await client.query<{ grant: string; revoke: string }>(
    `SELECT format('GRANT %s ON %s TO %s%s', a.privilege_type, $1::text, g.name, CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END) AS grant,
       format('REVOKE ALL ON %s FROM %s CASCADE', $2::text, g.name) AS revoke
     FROM pg_class c, aclexplode(c.relacl) a,
       LATERAL (SELECT CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS name) g
     WHERE c.oid = $1::text::regclass AND a.grantee <> c.relowner`,
    [serving, staged],
  );
  const index = stagedIndexName(table);
  const at = table.indexes.findIndex((each) => isPartitionIndex(table, each));
  const renamed = at < 0 ? null : ident(`${table.name}_i${at}`);
  await client.query(
    [
      `LOCK TABLE ${staged} IN ACCESS EXCLUSIVE MODE`,
      ...(index === null
        ? []
        : [
            renamed === null
              ? `DROP INDEX staged.${ident(index)}`
              : `ALTER INDEX staged.${ident(index)} RENAME TO ${renamed}`,
          ]),
      `ALTER TABLE ${serving} RENAME TO ${aside}`,
      `ALTER TABLE ${staged} SET SCHEMA ${ident(table.schema)}`,
      `ALTER TABLE ${ident(table.schema)}.${aside} SET SCHEMA staged`,
      `ALTER TABLE staged.${aside} RENAME TO ${ident(table.name)}`,
      ...stagedIndexSql(table, staged),
      ...grants.rows.flatMap(({ grant, revoke }) => [grant, revoke]),
    ].join(';\n'),
  );
}

/** The staged table has this index too, under another name (schema/ddl.ts). */
const isPartitionIndex = (table: Table, { columns, where, include }: Table['indexes'][number]): boolean =>
  columns.length === 1 && columns[0] === partitionColumn(table) && !where && !include;

/**
 * Has the server build indexes in one process until the end of the transaction: several take a fifth more CPU time in all, which is lost
 * where there are no cores to spare.
 */
export const buildInOneProcess = (client: pg.ClientBase): Promise<unknown> =>
  client.query('SET LOCAL max_parallel_maintenance_workers = 0');

/** Builds the key and the indexes of a serving table over its staged rows, which nobody may write after that. Throws 23505 where a key stands twice. */
export async function buildAhead(client: pg.ClientBase, table: Table): Promise<void> {
  const target = qualified(table, 'staged');
  const keys = table.primaryKey.map(ident).join(', ');
  if (keys !== '') await client.query(`CREATE UNIQUE INDEX ${ident(keyName(table))} ON ${target} (${keys})`);
  const indexes = indexSql(table, target, table.name).filter(
    (_, i) => !isPartitionIndex(table, table.indexes[i]!),
  );
  for (const sql of indexes) await client.query(sql);
}

/** Takes off what `buildAhead` has built: rows that are written again would be held against keys of rows that are about to go. */
export async function dropAhead(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_index i
     JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid JOIN pg_namespace n ON n.oid = t.relnamespace
     WHERE n.nspname = 'staged' AND c.relname <> ALL (ARRAY[t.relname || '_cell', t.relname || '_month_partition'])`,
  );
  if (rows.length > 0) await client.query(`DROP INDEX ${rows.map(({ name }) => name).join(', ')}`);
}
