import { createHash } from 'node:crypto';
import type pg from 'pg';
import { commentSql, createTableSql, ident, qualified, storageSql } from '../schema/ddl.ts';
import { EtlError } from '../schema/errors.ts';
import type { Table } from '../schema/table.ts';

/** What to do with a database of another program version. */
export const OTHER_DATABASE =
  'Use that program version, or make a new database (another DATABASE_URL or --data-dir) and refresh.';

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

/** Stores a fact of the database. */
export async function remember(client: pg.ClientBase, name: string, shape: string): Promise<void> {
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

/** Throws if another program version made a table. The tables of models may differ: an operator changes them. */
function checkDeclared(knownValues: ReadonlyMap<string, string>, declared: DeclaredTables): void {
  const changed = everyTable(declared).find(([table, schema]) => {
    const shape = knownValues.get(`table:${schema}.${table.name}`);
    return shape !== undefined && shape !== shapeOf(table, schema) && !declared.models.has(table.name);
  });
  if (changed === undefined) return;
  const [{ name }, schema] = changed;
  throw new EtlError(
    'schema_version',
    `Another program version made the table ${schema}.${name}; this program declares other columns, checks or indexes. ${OTHER_DATABASE}`,
  );
}

/** Returns whether every declared table exists. @throws EtlError schema_version if another program version made one */
export async function isMade(client: pg.ClientBase, declared: DeclaredTables): Promise<boolean> {
  const { rows } = await client.query<{ key: string; value: string }>('SELECT key, value FROM control.meta');
  const knownValues = new Map(rows.map((row) => [row.key, row.value]));
  checkDeclared(knownValues, declared);
  return everyTable(declared).every(([table, schema]) => knownValues.has(`table:${schema}.${table.name}`));
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

/**
 * Creates missing tables. `isRun`: for a run that holds the lock, a changed model also gets a new staged table, which the run computes. The
 * publication rebuilds the served table.
 * @throws EtlError schema_version if a table other than a model's has another declaration
 */
export async function createTables(
  client: pg.ClientBase,
  declared: DeclaredTables,
  isRun: boolean,
): Promise<void> {
  const { rows } = await client.query<{ key: string; value: string }>('SELECT key, value FROM control.meta');
  const knownValues = new Map(rows.map((row) => [row.key, row.value]));
  checkDeclared(knownValues, declared);
  for (const [table, schema] of everyTable(declared)) {
    const name = `table:${schema}.${table.name}`;
    const shape = shapeOf(table, schema);
    const same = knownValues.get(name) === shape;
    if (!same) {
      if (knownValues.has(name)) {
        if (schema === 'serving' || !isRun) continue;
        await client.query(`DROP TABLE ${qualified(table, schema)}`);
        const stage = declared.stageOf.get(table.name);
        await client.query('DELETE FROM control.staged_key WHERE stage = $1', [stage]);
        await client.query('DELETE FROM control.partition WHERE stage = $1', [stage]);
      }
      await create(client, table, schema);
      await remember(client, name, shape);
    }
    await comment(client, table, schema, knownValues, !same);
  }
  if (isRun)
    await client.query('DELETE FROM control.partition WHERE stage <> ALL ($1)', [
      [...declared.stageOf.values()],
    ]);
}
