import type pg from 'pg';
import type { Config } from '../../schema/config.ts';
import { qualified } from '../../schema/ddl.ts';
import { groupBy } from '../../schema/group_by.ts';
import { AS_OF_SCHEMA, withAsOf } from '../../store/journal/as_of.ts';
import { CANDIDATE_SCHEMA, withCandidate } from '../../store/journal/candidate.ts';
import { servedTables } from '../../store/read/served_tables.ts';
import { graph } from '../graph.ts';
import { IS_SERVED } from './causes.ts';
import { type ExplainedEvent, explainEvents, explainParented, type ParentedEvent } from './explain_events.ts';
import { recordPlace } from './source_records.ts';

/** Origin of a record: dataset, release, part, and its location in the file. */
export interface RecordOrigin {
  dataset: string;
  release: string;
  part: string;
  source_no: number;
  /** File, and line or feature in it. */
  place: string;
  files: string[];
  record: Record<string, unknown>;
}

export interface Explanation {
  gnaf_pid: string;
  outcome: 'served' | 'alias' | 'retired' | 'rejected' | 'unknown';
  /** Sentences about the consequences of the outcome. */
  notes: string[];
  address: RecordOrigin | null;
  parcel: RecordOrigin | null;
  zone: RecordOrigin | null;
  /** Sales and listings with the records that report them, newest first. */
  events: ExplainedEvent[];
  /** Events of units and numbers missing from the register; this property is their building or range. They belong to no property. */
  parent_of: ParentedEvent[];
  /** Served rows by table. */
  serving: Record<string, Record<string, unknown>[]>;
  /** Stage version, inputs and run of the partitions that produced the served rows. */
  computed: {
    stage: string;
    version: number;
    cell: number;
    run_id: number;
    computed_at: string;
    inputs: Record<string, string>;
  }[];
  /** Journal changes since the first publication, newest first. */
  changes: { publication_id: number; table_name: string; change: string; before: unknown; after: unknown }[];
}

/** Reads a record without geometry, with the load that it came from. */
async function origin(
  client: pg.ClientBase,
  table: string,
  where: string,
  values: unknown[],
): Promise<RecordOrigin | null> {
  const { rows } = await client.query(
    `SELECT l.dataset, l.release, l.part, r.source_no, l.adapter, l.accounts,
       ARRAY(SELECT regexp_replace(f->>'path', '^.*/', '') FROM jsonb_array_elements(l.files) f) AS files,
       to_jsonb(r) - 'geom' - 'load_id' - 'source_no' AS record
     FROM record.${table} r JOIN control.load l USING (load_id) WHERE ${where} LIMIT 1`,
    values,
  );
  if (rows[0] === undefined) return null;
  const { adapter, accounts, ...found } = rows[0];
  const { part, source_no } = found;
  return { ...found, place: recordPlace({ adapter, accounts, table, part, source_no }) };
}

/** Explains why an address is not served. */
async function notServed(
  client: pg.ClientBase,
  pid: string,
  address: RecordOrigin | null,
  notes: string[],
): Promise<Explanation['outcome']> {
  if (!address) {
    const { rows } = await client.query(
      'SELECT code, file, at, message FROM control.reject WHERE gnaf_pid = $1 ORDER BY load_id, file, at LIMIT 1',
      [pid],
    );
    if (!rows[0]) {
      notes.push('No loaded release has this id.');
      return 'unknown';
    }
    notes.push(`Rejected with ${rows[0].code} at ${rows[0].file}:${rows[0].at}: ${rows[0].message}`);
    return 'rejected';
  }
  const { record } = address;
  if (record.is_live === false) {
    notes.push(`Retired: confidence ${record.confidence}. Kept for matching, not served.`);
    return 'retired';
  }
  const alias = await client.query(
    'SELECT principal_pid, alias_type FROM record.address_alias WHERE alias_pid = $1',
    [pid],
  );
  const to = alias.rows.map((row) => `${row.principal_pid} (${row.alias_type})`).join(', ');
  notes.push(`Alias${to ? ` of ${to}` : ''}: served under its principal. Kept for matching.`);
  return 'alias';
}

/** Returns the origin of everything served for a property: records, releases, stage versions, runs, changes. */
export async function explain(client: pg.ClientBase, config: Config, pid: string): Promise<Explanation> {
  return explainFrom(client, config, pid, 'serving', null);
}

/** Explains a property as of an earlier publication. Records are those loaded now. */
export async function explainAsOf(
  client: pg.ClientBase,
  config: Config,
  pid: string,
  publication: number,
): Promise<Explanation> {
  const explainThen = (): Promise<Explanation> => explainFrom(client, config, pid, AS_OF_SCHEMA, publication);
  const explanation = await withAsOf(client, await servedTables(client, config), publication, explainThen);
  explanation.notes.push(`As of publication ${publication}; records and computations are current.`);
  return explanation;
}

/** Explains a property as the held candidate has it. @throws EtlError no_candidate */
export async function explainCandidate(
  client: pg.ClientBase,
  config: Config,
  pid: string,
): Promise<Explanation> {
  return withCandidate(client, async ({ run_id }) => {
    const explanation = await explainFrom(client, config, pid, CANDIDATE_SCHEMA, null);
    explanation.notes.push(`The candidate of run ${run_id}, which is not published.`);
    return explanation;
  });
}

async function explainFrom(
  client: pg.ClientBase,
  config: Config,
  pid: string,
  schema: string,
  last: number | null,
): Promise<Explanation> {
  const notes: string[] = [];
  const address = await origin(client, 'address', 'r.gnaf_pid = $1', [pid]);
  const serving: Explanation['serving'] = {};
  const tables = await servedTables(client, config);
  for (const table of tables) {
    if (!('gnaf_pid' in table.columns)) continue;
    serving[table.name] = (
      await client.query(
        `SELECT to_jsonb(t.*) AS row FROM ${qualified(table, schema)} t WHERE gnaf_pid = $1`,
        [pid],
      )
    ).rows.map((row) => row.row);
  }
  const property = serving.property?.[0];
  const outcome = property ? 'served' : await notServed(client, pid, address, notes);
  const parcelId = property?.parcel_id ?? null;
  if (property && parcelId === null) notes.push(`No parcel: ${property.land_area_reason}.`);
  const zoning = serving.property_zoning?.[0];
  const cell = property?.cell ?? address?.record.cell ?? null;
  const stages = graph(config);
  const computed = await client.query(
    `SELECT stage, (fingerprint->>'version')::int AS version, p.cell, run_id,
       to_char(computed_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS computed_at, fingerprint->'inputs' AS inputs,
       COALESCE(t.serving, stage) AS output,
       ${IS_SERVED} AND (t.serving IS NULL OR COALESCE(s.digest = p.output_digest, p.rows = 0)) AS is_served
     FROM control.partition p JOIN unnest($2::text[], $3::text[]) WITH ORDINALITY t (stage, serving, n) USING (stage)
       LEFT JOIN control.published s ON s.table_name = t.serving AND s.cell = p.cell
     WHERE p.cell = $1 ORDER BY t.n`,
    [
      cell,
      stages.map((stage) => stage.name),
      stages.map(({ output }) => (output.schema === 'serving' ? output.name : null)),
    ],
  );
  const isShown = (row: { is_served: boolean }): boolean => schema === CANDIDATE_SCHEMA || row.is_served;
  const unserved = computed.rows.filter((row) => outcome === 'served' && !isShown(row));
  for (const [run, rows] of groupBy(unserved, ({ run_id }) => run_id)) {
    const outputs = rows.length > 3 ? `${rows.length} tables` : rows.map(({ output }) => output).join(', ');
    notes.push(`Run ${run} computed other rows of ${outputs}; it is not published.`);
  }
  // Keys compare by bytes, so all keys that begin with `pid|` sort from there to before `pid}`.
  const changes = await client.query(
    `SELECT publication_id, table_name, change, before, after FROM control.change
     WHERE table_name = ANY ($2) AND (key = $1 OR (key >= $1 || '|' AND key < $1 || '}'))
       AND ($3::int IS NULL OR publication_id <= $3)
     ORDER BY publication_id DESC, table_name, seq LIMIT 100`,
    [pid, tables.map((table) => table.name), last],
  );
  return {
    gnaf_pid: pid,
    outcome,
    notes,
    address,
    parcel: parcelId === null ? null : await origin(client, 'parcel', 'r.parcel_id = $1', [parcelId]),
    zone: zoning
      ? await origin(client, 'zone_piece', 'r.zone_id = $1 AND r.cell = $2', [zoning.zone_id, zoning.cell])
      : null,
    events: await explainEvents(client, serving.property_event ?? [], serving.unused_sale ?? []),
    parent_of: await explainParented(client, schema, pid),
    serving,
    computed: computed.rows.filter(isShown).map(({ is_served: _, output: __, ...each }) => each),
    changes: changes.rows,
  };
}
