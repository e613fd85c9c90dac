import { closest } from 'fastest-levenshtein';
import type pg from 'pg';
import type { Config } from '../../schema/config.ts';
import { EtlError } from '../../schema/errors.ts';
import { NO_CELL } from '../../schema/grid.ts';
import type { Table } from '../../schema/table.ts';
import {
  basesOf,
  latestPublication,
  type Publication,
  readablePublication,
  readPublication,
} from '../../store/journal/journal.ts';
import { servedTables } from '../../store/read/served_tables.ts';
import { graph } from '../graph.ts';
import { causesOf, IS_SERVED, pastReason } from './causes.ts';
import { type SourceRecord, sourceRecords } from './source_records.ts';

/** One publication that added, changed or removed a value. */
interface ValueChange {
  publication_id: number;
  published_at: string;
  kind: Publication['kind'];
  change: 'base' | 'insert' | 'update' | 'delete';
  /** Key of the row, if a property has several in the table. */
  key: string;
  before: unknown;
  after: unknown;
  /** Releases whose rows caused the change (see causesOf). Empty: the first publication, a rollback, or only the program changed. */
  releases: string[];
  /** Reasons for which the table's stage ran then, with counts; for a rollback, its reason. */
  because: string[];
}

/** Age and cause of a served value. */
export interface ValueHistory {
  gnaf_pid: string;
  table: string;
  field: string;
  as_of: number;
  /** Values by row key; one entry if the table has one row for each property. */
  values: Record<string, unknown>;
  /** Publishers' records with the values, as loaded today; empty for counts and valuations. */
  sources: SourceRecord[];
  /** Newest first. */
  changes: ValueChange[];
  /** Row changes are kept back to this publication; earlier ones are unknown. Null: all are kept. */
  known_from: number | null;
  /** Computation of the served rows of the table in this cell; null: a later run has computed them again and published nothing. */
  computed: { stage: string; version: number; reason: string; run_id: number; computed_at: string } | null;
}

/** Finds the table and column of a field: `table.column`, or a column of the first table that has it. */
export function fieldNamed(all: readonly Table[], name: string): { table: Table; column: string } {
  const tables = all.filter((table) => 'gnaf_pid' in table.columns);
  const [first, second] = name.split('.', 2) as [string, string | undefined];
  const table = tables.find((each) =>
    second === undefined ? first in each.columns : each.name === first && second in each.columns,
  );
  if (table) return { table, column: second ?? first };
  const fieldNames = tables.flatMap((each) =>
    Object.keys(each.columns).flatMap((c) => [c, `${each.name}.${c}`]),
  );
  throw new EtlError(
    'config_invalid',
    `No property field is named ${name}. Did you mean ${closest(name, fieldNames)}?`,
  );
}

interface ValueChangeRow {
  publication_id: number;
  change: 'insert' | 'update' | 'delete';
  key: string;
  before: unknown;
  after: unknown;
}

/** Reads changes of one column in the rows of a property up to a publication, newest first. */
async function columnChanges(
  client: pg.ClientBase,
  { name }: Table,
  column: string,
  pid: string,
  last: number,
): Promise<ValueChangeRow[]> {
  const { rows } = await client.query<ValueChangeRow>(
    `SELECT publication_id, change, key, before -> $3 AS before, after -> $3 AS after FROM control.change
     WHERE table_name = $2 AND (key = $1 OR (key >= $1 || '|' AND key < $1 || '}')) AND publication_id <= $4
       AND (change <> 'update' OR before -> $3 IS DISTINCT FROM after -> $3)
     ORDER BY publication_id DESC, seq`,
    [pid, name, column, last],
  );
  return rows;
}

/** Returns values of the column at a publication, by row key: today's rows minus later changes. */
async function valuesAt(
  client: pg.ClientBase,
  table: Table,
  column: string,
  pid: string,
  publication: number,
): Promise<Record<string, unknown>> {
  const others = table.primaryKey.filter((name) => name !== 'gnaf_pid');
  const key = `concat_ws('|', gnaf_pid${others.map((name) => `, "${name}"`).join('')})`;
  const { rows } = await client.query<{ key: string; value: unknown }>(
    `SELECT ${key} AS key, to_jsonb(t.*) -> $2 AS value FROM serving."${table.name}" t WHERE gnaf_pid = $1 ORDER BY 1`,
    [pid, column],
  );
  // Before a table's base, it had no rows.
  const base = (await basesOf(client, table.name, publication + 1))[0];
  const values = new Map(base === undefined ? rows.map((row) => [row.key, row.value]) : []);
  const { rows: since } = await client.query<ValueChangeRow>(
    `SELECT publication_id, change, key, before -> $3 AS before FROM control.change
     WHERE table_name = $2 AND (key = $1 OR (key >= $1 || '|' AND key < $1 || '}')) AND publication_id > $4 AND publication_id < $5
       AND (change <> 'update' OR before ? $3)
     ORDER BY publication_id DESC`,
    [pid, table.name, column, publication, base ?? 2_147_483_647],
  );
  for (const change of since) {
    if (change.change === 'insert') values.delete(change.key);
    else values.set(change.key, change.before);
  }
  return Object.fromEntries([...values].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns the latest publication, up to `last`, that brought a table's first rows; null: unknown. */
async function baseOf(client: pg.ClientBase, table: string, last: number): Promise<number | null> {
  const { rows } = await client.query<{ id: number | null }>(
    `SELECT max(publication_id) AS id FROM control.publication p, jsonb_array_elements(p.tables) t
     WHERE publication_id <= $2 AND t->>'table' = $1 AND (t->>'base')::bool`,
    [table, last],
  );
  return rows[0]!.id;
}

/** Reads the rows of a property in a table as served today. */
async function rowsToday(
  client: pg.ClientBase,
  { name }: Table,
  pid: string,
): Promise<Record<string, unknown>[]> {
  const { rows } = await client.query(
    `SELECT to_jsonb(t.*) AS row FROM serving."${name}" t WHERE gnaf_pid = $1`,
    [pid],
  );
  return rows.map(({ row }) => row);
}

/** A served value of a property. */
interface ServedValue {
  pid: string;
  /** `table.column`, or a column of the first table that has it. */
  field: string;
  /** Publication. Absent or null: the latest. */
  asOf?: number | null;
  /** Only rows whose key continues with it after the property, such as the hazard layer in property_risk. Absent or null: all rows. */
  part?: string | null;
}

/** Returns the values of a property's served field at a publication (default: the latest), their changes and what caused them. */
export async function valueHistory(
  client: pg.ClientBase,
  config: Config,
  { pid, field, asOf = null, part = null }: ServedValue,
): Promise<ValueHistory> {
  const { table, column } = fieldNamed(await servedTables(client, config), field);
  const latest = await latestPublication(client);
  if (latest === null) throw new EtlError('unknown_publication', 'Nothing is published.');
  const publication = asOf === null ? latest : await readablePublication(client, asOf);
  const stage = graph(config).find(
    ({ output }) => output.schema === 'serving' && output.name === table.name,
  )!;
  const id = publication.publication_id;
  const isInPart = (key: string): boolean =>
    part === null || key === `${pid}|${part}` || key.startsWith(`${pid}|${part}|`);
  const values = Object.fromEntries(
    Object.entries(await valuesAt(client, table, column, pid, id)).filter(([key]) => isInPart(key)),
  );
  const rows = (await rowsToday(client, table, pid)).filter((row) =>
    isInPart(table.primaryKey.map((name) => row[name]).join('|')),
  );
  const cell = (rows[0]?.cell as number | undefined) ?? NO_CELL;
  const changes: ValueChange[] = [];
  const describe = async (change: Omit<ValueChange, 'published_at' | 'kind' | 'releases' | 'because'>) => {
    const { publication_id } = change;
    const { kind, reason, published_at } = await readPublication(client, publication_id);
    const { because, releases } =
      kind === 'rollback'
        ? { because: [`rolled back: ${reason}`], releases: [] }
        : await causesOf(client, config, { publication: publication_id, stage, pid, cell });
    // At the first publication all releases are new, so listing them explains nothing.
    changes.push({ ...change, published_at, kind, because, releases: publication_id === 1 ? [] : releases });
  };
  for (const change of await columnChanges(client, table, column, pid, id))
    if (isInPart(change.key)) await describe(change);
  const base = await baseOf(client, table.name, id);
  for (const [key, value] of Object.entries(values)) {
    const hasChanged = changes.some((change) => change.key === key);
    if (base !== null && !hasChanged) {
      await describe({ publication_id: base, change: 'base', key, before: null, after: value });
    }
  }
  const pruned = await client.query<{ id: number | null }>(
    'SELECT max(publication_id) AS id FROM control.publication WHERE pruned',
  );
  const { rows: computed } = await client.query<NonNullable<ValueHistory['computed']>>(
    `SELECT stage, (fingerprint->>'version')::int AS version, reason, run_id,
       to_char(computed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS computed_at
     FROM control.partition p WHERE stage = $1 AND cell = $2 AND ${IS_SERVED}
       AND COALESCE(output_digest = (SELECT digest FROM control.published s WHERE s.table_name = $3 AND s.cell = p.cell), rows = 0)`,
    [stage.name, cell, table.name],
  );
  return {
    gnaf_pid: pid,
    table: table.name,
    field: column,
    as_of: id,
    values,
    sources: await sourceRecords(client, table, column, pid, rows),
    changes,
    known_from: pruned.rows[0]!.id,
    computed: computed.map((each) => ({ ...each, reason: pastReason(each.reason, each.run_id) }))[0] ?? null,
  };
}
