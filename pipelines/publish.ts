import type pg from 'pg';
import type { Config } from '../schema/config.ts';
import { propertyTable } from '../schema/serving/property.ts';
import type { Table } from '../schema/table.ts';
import { LOCK_KEY } from '../store/database.ts';
import { jsonText } from '../store/json_text.ts';
import {
  applyDelta,
  countOrphans,
  type Delta,
  findChangedCells,
  findDuplicateKeys,
  markPublished,
  nullChanges,
} from '../store/publication.ts';
import type { Stage } from './engine/stage.ts';
import type { AuditCheck, TableReport } from './report.ts';

export interface PublishResult {
  /** Number of the publication made; null where nothing had changed or the audit refused. */
  publication: number | null;
  refused: boolean;
  audit: AuditCheck[];
  tables: TableReport[];
}

/** An operator's word that a failed gate is right, with the reason that is recorded. */
export interface Acceptance {
  gates: readonly string[];
  reason: string;
}

interface Output {
  stage: Stage;
  table: Table;
}

const percent = (fraction: number): string => `${(fraction * 100).toFixed(2)} %`;

/** Turns a failed gate that the operator accepts into an accepted one. */
function judge(check: string, table: Table, ok: boolean, message: string, accepted: Acceptance): AuditCheck {
  const status = ok ? 'pass' : accepted.gates.includes(check) ? 'accepted' : 'fail';
  const note = status === 'accepted' ? ` Accepted: ${accepted.reason}` : '';
  return { check, table: table.name, status, message: message + note };
}

/** Gates of one table against the last publication: rows and share of nulls. */
async function gates(
  client: pg.ClientBase,
  table: Table,
  delta: Delta,
  config: Config,
  accepted: Acceptance,
): Promise<AuditCheck[]> {
  if (delta.rows_before === 0) return [];
  const change = (delta.rows_after - delta.rows_before) / delta.rows_before;
  const checks = [
    judge(
      `rows:${table.name}`,
      table,
      Math.abs(change) <= config.gates.rows_change_max,
      `${delta.rows_before} → ${delta.rows_after} rows, ${percent(change)} (limit ${percent(config.gates.rows_change_max)}).`,
      accepted,
    ),
  ];
  for (const [column, net] of Object.entries(await nullChanges(client, table))) {
    const share = net / Math.max(1, delta.rows_after);
    if (share <= config.gates.null_share_rise_max) continue;
    const message = `share of nulls in ${column} rises by ${percent(share)} (limit ${percent(config.gates.null_share_rise_max)}).`;
    checks.push(judge(`nulls:${table.name}.${column}`, table, false, message, accepted));
  }
  return checks;
}

/** Keys that would stand twice. Nothing accepts this: the table could not be written. */
async function keyCheck(client: pg.ClientBase, table: Table): Promise<AuditCheck> {
  const keys = await findDuplicateKeys(client, table);
  const message =
    keys.length === 0 ? 'keys are unique.' : `keys stand twice, for example ${keys.slice(0, 3).join('; ')}.`;
  return {
    check: `keys:${table.name}`,
    table: table.name,
    status: keys.length === 0 ? 'pass' : 'fail',
    message,
  };
}

async function referenceCheck(client: pg.ClientBase, table: Table): Promise<AuditCheck> {
  const orphans = await countOrphans(client, table, propertyTable);
  const message =
    orphans === 0 ? 'every gnaf_pid is a property.' : `${orphans} rows have a gnaf_pid that is no property.`;
  return {
    check: `references:${table.name}`,
    table: table.name,
    status: orphans === 0 ? 'pass' : 'fail',
    message,
  };
}

const failed = (audit: readonly AuditCheck[]): boolean => audit.some((check) => check.status === 'fail');

/** Applies and audits all tables inside the caller's transaction; stops at the first table that cannot be written. */
async function applyAll(
  client: pg.ClientBase,
  outputs: readonly Output[],
  publication: number,
  config: Config,
  accepted: Acceptance,
): Promise<Pick<PublishResult, 'audit' | 'tables'>> {
  const audit: AuditCheck[] = [];
  const tables: TableReport[] = [];
  for (const { table } of outputs) {
    const keys = await keyCheck(client, table);
    audit.push(keys);
    if (failed([keys])) return { audit, tables };
    const delta = await applyDelta(client, table, publication);
    tables.push({
      table: table.name,
      rows: delta.rows_after,
      inserted: delta.inserted,
      updated: delta.updated,
      deleted: delta.deleted,
    });
    audit.push(...(await gates(client, table, delta, config, accepted)));
  }
  for (const { table } of outputs) {
    if (table.name !== propertyTable.name && 'gnaf_pid' in table.columns)
      audit.push(await referenceCheck(client, table));
  }
  return { audit, tables };
}

/**
 * Publishes what the serving stages have staged, in one transaction: row differences into the serving tables and into the
 * journal, audited before the commit. Readers see the publication before or this one. A failed audit leaves everything as it was.
 */
export async function publish(
  client: pg.ClientBase,
  stages: readonly Stage[],
  config: Config,
  runId: number,
  accepted: Acceptance = { gates: [], reason: '' },
): Promise<PublishResult> {
  const outputs = stages
    .filter((stage) => stage.output.schema === 'serving')
    .map((stage) => ({ stage, table: stage.output }));
  await client.query('BEGIN');
  try {
    await client.query('SELECT pg_advisory_xact_lock($1, 2)', [LOCK_KEY]);
    let cells = 0;
    for (const { stage, table } of outputs) cells += await findChangedCells(client, table, stage.name);
    if (cells === 0) {
      for (const { stage, table } of outputs) await markPublished(client, table, stage.name);
      await client.query('COMMIT');
      return { publication: null, refused: false, audit: [], tables: [] };
    }
    const next = await client.query<{ n: number }>(
      'SELECT COALESCE(max(publication_id), 0) + 1 AS n FROM control.publication',
    );
    const publication = next.rows[0]!.n;
    await client.query(
      `INSERT INTO control.publication (publication_id, run_id, tables, datasets, audit) VALUES ($1, $2, '[]', '[]', '[]')`,
      [publication, runId],
    );
    const { audit, tables } = await applyAll(client, outputs, publication, config, accepted);
    if (failed(audit)) {
      await client.query('ROLLBACK');
      return { publication: null, refused: true, audit, tables };
    }
    for (const { stage, table } of outputs) await markPublished(client, table, stage.name);
    await client.query(
      `UPDATE control.publication SET tables = $2, audit = $3, datasets = (
         SELECT COALESCE(jsonb_agg(DISTINCT jsonb_build_object('dataset', dataset, 'release', release)), '[]')
         FROM control.load WHERE state = 'active') WHERE publication_id = $1`,
      [publication, jsonText(tables), jsonText(audit)],
    );
    await client.query('COMMIT');
    return { publication, refused: false, audit, tables };
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
