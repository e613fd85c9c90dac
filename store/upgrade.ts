import { createHash } from 'node:crypto';
import type pg from 'pg';
import {
  columnSql,
  commentSql,
  createTableSql,
  ident,
  indexSql,
  keySql,
  qualified,
  storageSql,
} from '../schema/ddl.ts';
import { EtlError } from '../schema/errors.ts';
import type { Table } from '../schema/table.ts';
import { dropLoads } from './loads/loads.ts';

/** Declared tables, and the stage that computes each asset and serving table. */
export interface DeclaredTables {
  records: readonly Table[];
  assets: readonly Table[];
  serving: readonly Table[];
  stageOf: ReadonlyMap<string, string>;
  /** Serving tables of operators' models: the publication rebuilds a table whose declaration changed. */
  models: ReadonlySet<string>;
}

const hash = (lines: readonly string[]): string =>
  createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 24);

/** Hashes a declaration: columns, checks, keys and indexes. */
const shapeOf = (table: Table, schema: string): string => hash(createTableSql(table, schema));

const everyTable = ({ records, assets, serving }: DeclaredTables): [Table, string][] => [
  ...[...records, ...assets].map((table): [Table, string] => [table, table.schema]),
  ...serving.flatMap((table): [Table, string][] => [
    [table, 'staged'],
    [table, 'serving'],
  ]),
];

async function remember(client: pg.ClientBase, name: string, shape: string): Promise<void> {
  await client.query(
    'INSERT INTO control.meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    [name, shape],
  );
}

async function create(client: pg.ClientBase, table: Table, schema: string): Promise<void> {
  await client.query([...createTableSql(table, schema), ...storageSql(table, schema)].join(';\n'));
}

/** Writes the comments of a table if their texts, or the table, are new. */
async function comment(
  client: pg.ClientBase,
  table: Table,
  schema: string,
  columnTypes: ReadonlyMap<string, string>,
  madeKeys: boolean,
): Promise<void> {
  const statements = commentSql(table, schema);
  const name = `docs:${schema}.${table.name}`;
  if (!madeKeys && columnTypes.get(name) === hash(statements)) return;
  await client.query(statements.join(';\n'));
  await remember(client, name, hash(statements));
}

/** Deletes the records of a stage, so that the next run computes it into the new table. */
async function forget(client: pg.ClientBase, table: Table, declared: DeclaredTables): Promise<void> {
  const stage = declared.stageOf.get(table.name);
  await client.query('DELETE FROM control.staged_key WHERE stage = $1', [stage]);
  await client.query('DELETE FROM control.partition WHERE stage = $1', [stage]);
}

/** Replaces a record table. The datasets that fill it are removed too, and the next run loads them again. */
async function replaceRecord(client: pg.ClientBase, table: Table, declared: DeclaredTables): Promise<void> {
  const { rows } = await client.query<{ load_id: number }>(
    `SELECT load_id FROM control.load WHERE dataset IN (
       SELECT l.dataset FROM control.load l JOIN control.load_digest d USING (load_id) WHERE d.table_name = $1)`,
    [table.name],
  );
  await dropLoads(
    client,
    declared.records,
    rows.map((row) => row.load_id),
  );
  await client.query(`DROP TABLE ${qualified(table)} CASCADE`);
  await create(client, table, 'record');
}

/**
 * Empties a serving table that gets another key, and deletes its journal: old and new rows cannot be matched. The next publication fills
 * it, and an earlier publication shows none of its rows.
 */
async function emptyTable(client: pg.ClientBase, table: Table): Promise<void> {
  await client.query(`TRUNCATE ${qualified(table)}`);
  await client.query('DELETE FROM control.change WHERE table_name = $1', [table.name]);
  await client.query('DELETE FROM control.published WHERE table_name = $1', [table.name]);
}

/**
 * Alters a serving table to its declaration without losing rows. Columns are added (null until the next publication) or dropped, checks
 * apply to rows written from now on, and indexes are rebuilt. A column cannot change its type in place; a table whose key gets a new column
 * is emptied.
 */
async function alterServing(client: pg.ClientBase, table: Table): Promise<void> {
  const target = qualified(table);
  const { rows } = await client.query<{ name: string; type: string }>(
    `SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
    [target],
  );
  const columnTypes = new Map(rows.map((row) => [row.name, row.type]));
  const isOtherKey = table.primaryKey.some((name) => !columnTypes.has(name));
  if (isOtherKey) await emptyTable(client, table);
  for (const [name, column] of Object.entries(table.columns)) {
    const { sql, type } = columnSql(column);
    if (!columnTypes.has(name)) await client.query(`ALTER TABLE ${target} ADD COLUMN ${ident(name)} ${sql}`);
    else if (columnTypes.get(name) !== type) {
      throw new EtlError(
        'schema_version',
        `serving.${table.name}.${name} is ${columnTypes.get(name)}, this program declares ${type}: a type cannot change in place. Publish into an empty database.`,
      );
    }
  }
  for (const name of columnTypes.keys()) {
    if (!(name in table.columns)) await client.query(`ALTER TABLE ${target} DROP COLUMN ${ident(name)}`);
  }
  if (isOtherKey) {
    await client.query(`ALTER TABLE ${target} DROP CONSTRAINT IF EXISTS ${ident(`${table.name}_pkey`)}`);
    await client.query(`ALTER TABLE ${target} ADD ${keySql(table)}`);
  }
  const old = await client.query<{ name: string; constraint: boolean }>(
    `SELECT conname AS name, true AS constraint FROM pg_constraint WHERE conrelid = $1::regclass AND contype = 'c'
     UNION ALL
     SELECT c.relname, false FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE i.indrelid = $1::regclass AND NOT i.indisprimary`,
    [target],
  );
  for (const { name, constraint } of old.rows) {
    await client.query(
      constraint
        ? `ALTER TABLE ${target} DROP CONSTRAINT ${ident(name)}`
        : `DROP INDEX serving.${ident(name)}`,
    );
  }
  for (const [name, check] of Object.entries(table.checks)) {
    await client.query(`ALTER TABLE ${target} ADD CONSTRAINT ${ident(name)} CHECK (${check}) NOT VALID`);
  }
  for (const sql of indexSql(table, target, table.name)) await client.query(sql);
  // Digests are never negative: every cell counts as changed, and the next publication compares all rows.
  await client.query('UPDATE control.published SET digest = -1 WHERE table_name = $1', [table.name]);
}

/** Replaces one table whose declaration has changed. */
async function replace(
  client: pg.ClientBase,
  table: Table,
  schema: string,
  declared: DeclaredTables,
): Promise<void> {
  if (schema === 'record') return replaceRecord(client, table, declared);
  if (schema === 'serving') return alterServing(client, table);
  await client.query(`DROP TABLE ${qualified(table, schema)}`);
  await create(client, table, schema);
  return forget(client, table, declared);
}

/** Returns whether a serving table exists with another declaration. */
export async function isOutdated(client: pg.ClientBase, table: Table): Promise<boolean> {
  const { rows } = await client.query<{ value: string }>('SELECT value FROM control.meta WHERE key = $1', [
    `table:serving.${table.name}`,
  ]);
  return rows.length > 0 && rows[0]!.value !== shapeOf(table, 'serving');
}

/** Recreates a serving table, empty, with the readers' rights, and deletes its journal: old rows do not fit the new columns. */
export async function rebuildServing(client: pg.ClientBase, table: Table, reader: string): Promise<void> {
  await client.query('DELETE FROM control.change WHERE table_name = $1', [table.name]);
  await client.query('DELETE FROM control.published WHERE table_name = $1', [table.name]);
  await client.query(`DROP TABLE ${qualified(table)}`);
  await create(client, table, 'serving');
  await comment(client, table, 'serving', new Map(), true);
  await client.query(`GRANT SELECT ON ${qualified(table)} TO ${ident(reader)}`);
  await remember(client, `table:serving.${table.name}`, shapeOf(table, 'serving'));
}

/** Drops the assets that no stage computes any more, and the records of their stages. */
async function dropGone(
  client: pg.ClientBase,
  schemaColumns: Iterable<string>,
  declared: DeclaredTables,
): Promise<void> {
  const expected = new Set(declared.assets.map(({ name }) => `table:asset.${name}`));
  for (const key of schemaColumns) {
    if (!key.startsWith('table:asset.') || expected.has(key)) continue;
    await client.query(`DROP TABLE IF EXISTS asset.${ident(key.slice('table:asset.'.length))}`);
    await client.query('DELETE FROM control.meta WHERE key = $1', [key]);
  }
  await client.query('DELETE FROM control.partition WHERE stage <> ALL ($1)', [
    [...declared.stageOf.values()],
  ]);
}

/** Returns whether every declared table exists; a table with another declaration counts, until a refresh upgrades it. */
export async function isMade(client: pg.ClientBase, declared: DeclaredTables): Promise<boolean> {
  const { rows } = await client.query<{ key: string }>('SELECT key FROM control.meta');
  const knownKeys = new Set(rows.map((row) => row.key));
  return everyTable(declared).every(([table, schema]) => knownKeys.has(`table:${schema}.${table.name}`));
}

/**
 * Creates missing tables. With `upgrade`, also upgrades tables whose declaration changed: the next run recomputes their content, and served
 * tables stay served.
 */
export async function bringToDeclaration(
  client: pg.ClientBase,
  declared: DeclaredTables,
  upgrade: boolean,
): Promise<void> {
  const { rows } = await client.query<{ key: string; value: string }>('SELECT key, value FROM control.meta');
  const knownValues = new Map(rows.map((row) => [row.key, row.value]));
  for (const [table, schema] of everyTable(declared)) {
    const name = `table:${schema}.${table.name}`;
    const shape = shapeOf(table, schema);
    const same = knownValues.get(name) === shape;
    if (!same) {
      if (!knownValues.has(name)) await create(client, table, schema);
      else if (schema === 'serving' && declared.models.has(table.name)) continue;
      else if (upgrade) await replace(client, table, schema, declared);
      else continue;
      await remember(client, name, shape);
    }
    await comment(client, table, schema, knownValues, !same);
  }
  if (upgrade) await dropGone(client, knownValues.keys(), declared);
}
