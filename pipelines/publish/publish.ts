import type pg from 'pg';
import type { Config } from '../../schema/config.ts';
import { type Reference, references } from '../../schema/serving/references.ts';
import type { Table } from '../../schema/table.ts';
import type { TableFacts } from '../../store/journal/counted_facts.ts';
import type { Delta } from '../../store/journal/differences.ts';
import { lockToReplace } from '../../store/journal/first_rows.ts';
import {
  latestPublication,
  nextPublication,
  type PublicationKind,
  pruneJournal,
} from '../../store/journal/journal.ts';
import { findOrphans, type Orphans } from '../../store/journal/orphans.ts';
import {
  applyDelta,
  findChangedCells,
  findDelta,
  findDuplicateKeys,
  markPublished,
  publishedRows,
  type ReplacedCells,
} from '../../store/journal/publication.ts';
import {
  columnShape,
  factsAfter,
  lastFacts,
  movedColumns,
  quartiles,
  quartilesAfter,
  valueChanges,
} from '../../store/journal/table_facts.ts';
import { jsonText } from '../../store/json_text.ts';
import { lockTable } from '../../store/locks.ts';
import type { Stage } from '../engine/stage.ts';
import type { AuditCheck, TableReport } from '../report/report.ts';
import { writeCatalogue } from './catalogue.ts';
import { newDatasetGates } from './dataset_gates.ts';
import { firstDeliveries } from './first_deliveries.ts';
import { type Acceptance, judge, ROLLBACK_GATE, type TableChange, tableGates } from './gates.ts';
import { independentChecks } from './independent/independent_checks.ts';
import { sampleChanged } from './independent/sampled_homes.ts';
import { auditChecks, goneModels, rebuildModels, recordModels } from './own_checks.ts';

export interface PublishResult {
  /** Number of the new publication; null: nothing changed, or the audit failed. */
  publication: number | null;
  refused: boolean;
  audit: AuditCheck[];
  tables: TableReport[];
  /** Further remarks for the operator. */
  notes: string[];
}

export interface PublishOptions {
  runId: number;
  kind: Exclude<PublicationKind, 'rollback'>;
  accepted: Acceptance;
  /** Names of the tables to publish; staged rows of other tables keep waiting. Null: all. */
  tables: ReadonlySet<string> | null;
}

/** A serving table and the stage that computes it. */
export interface Output {
  stage: Stage;
  table: Table;
}

/** Returns the serving tables among the outputs of the stages. */
export const outputsOf = (stages: readonly Stage[]): Output[] =>
  stages
    .filter((stage) => stage.output.schema === 'serving')
    .map((stage) => ({ stage, table: stage.output }));

/** Returns the outputs to publish. */
const takenOf = (outputs: readonly Output[], tables: ReadonlySet<string> | null): Output[] =>
  outputs.filter(({ table }) => tables?.has(table.name) ?? true);

const UNIQUE_VIOLATION = '23505';

/**
 * Writes a table and checks that its keys are unique; no operator can accept repeated keys, because the table cannot be written. For first
 * rows the server's unique index finds repeats. For differences to existing rows it would miss some, so a query looks for them first.
 */
async function withKeyCheck<T>(
  client: pg.ClientBase,
  table: Table,
  isFirst: boolean,
  replaced: ReplacedCells,
  write: () => Promise<T>,
): Promise<{ keys: AuditCheck; written: T | null }> {
  if (!isFirst) {
    const keys = await keyCheck(client, table, replaced);
    return { keys, written: failed([keys]) ? null : await write() };
  }
  await client.query('SAVEPOINT keys');
  try {
    const written = await write();
    await client.query('RELEASE SAVEPOINT keys');
    return { keys: uniqueKeys(table, []), written };
  } catch (error) {
    if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error;
    await client.query('ROLLBACK TO SAVEPOINT keys');
    return { keys: await keyCheck(client, table, replaced), written: null };
  }
}

const keyCheck = async (client: pg.ClientBase, table: Table, replaced: ReplacedCells): Promise<AuditCheck> =>
  uniqueKeys(table, await findDuplicateKeys(client, table, replaced));

function uniqueKeys(table: Table, keys: readonly string[]): AuditCheck {
  const ok = keys.length === 0;
  const message = ok ? 'keys are unique.' : `keys are repeated, for example ${keys.slice(0, 3).join('; ')}.`;
  return { check: `keys:${table.name}`, table: table.name, status: ok ? 'pass' : 'fail', message };
}

const targetOf = ({ to, toColumn }: Reference): string => `${to.name}.${toColumn}`;

/** Checks references between the serving tables of this graph. No operator can accept broken ones. */
async function referenceChecks(
  client: pg.ClientBase,
  deltas: ReadonlyMap<string, Delta>,
  tables: readonly Table[],
): Promise<AuditCheck[]> {
  const all = references(tables);
  const orphansOf = new Map<Reference, Orphans>();
  for (const target of new Set(all.map(targetOf))) {
    const group = all.filter((reference) => targetOf(reference) === target);
    const orphans = await findOrphans(client, group, deltas);
    for (const [i, reference] of group.entries()) orphansOf.set(reference, orphans[i]!);
  }
  return all.map((reference) => {
    const { from, column, to } = reference;
    const { rows, examples } = orphansOf.get(reference)!;
    const message =
      rows === 0
        ? `every ${column} is in ${to.name}.`
        : `${rows} rows have a ${column} that is not in ${to.name}, for example ${examples.join('; ')}.`;
    return {
      check: column === 'gnaf_pid' ? `references:${from.name}` : `references:${from.name}.${column}`,
      table: from.name,
      status: rows === 0 ? 'pass' : 'fail',
      message,
    };
  });
}

/** Returns a failed gate if the last publication is a rollback that holds back computed rows. */
async function holdCheck(client: pg.ClientBase, accepted: Acceptance): Promise<AuditCheck[]> {
  const latest = await latestPublication(client);
  if (!latest?.held) return [];
  const message = `publication ${latest.publication_id} rolled back to publication ${latest.restores} at ${latest.published_at} (${latest.reason}). Computed rows stay unpublished until you accept this gate.`;
  return [judge(ROLLBACK_GATE, 'all', false, message, accepted)];
}

const failed = (audit: readonly AuditCheck[]): boolean => audit.some((check) => check.status === 'fail');

/** Applies the changes of one table and returns its report and gates. */
async function applyTable(
  client: pg.ClientBase,
  table: Table,
  replaced: ReplacedCells,
  delta: Delta,
  publication: number,
  before: TableFacts | undefined,
  replaceFor: string | null,
): Promise<{ report: TableReport; change: Omit<TableChange, 'first'> }> {
  const changes = await valueChanges(client, table, delta);
  const moved = movedColumns(changes, delta);
  const earlierQuartiles = before?.quartiles ?? {};
  const unknown = moved.filter((name) => earlierQuartiles[name] === undefined);
  const quartilesBefore = { ...earlierQuartiles, ...(await quartiles(client, table, unknown)) };
  await applyDelta(client, table, replaced, delta, publication, replaceFor);
  const is = await quartiles(client, table, moved);
  const facts = {
    ...(await factsAfter(client, table, delta, before)),
    quartiles: quartilesAfter(changes, before, is),
  };
  const { rows_after: rows, inserted, updated, deleted, base } = delta;
  return {
    report: {
      table: table.name,
      rows,
      inserted,
      updated,
      deleted,
      base,
      digest: null,
      shape: columnShape(table),
      facts,
      states_before: before?.states ?? {},
    },
    change: {
      table,
      delta,
      facts,
      before,
      quartiles: Object.fromEntries(
        moved.map((name) => [name, { before: quartilesBefore[name]!, after: is[name]! }]),
      ),
    },
  };
}

/** Applies and audits all tables in the caller's transaction; stops at the first table that cannot be written. */
async function applyAll(
  client: pg.ClientBase,
  outputs: readonly Output[],
  publication: number,
  config: Config,
  accepted: Acceptance,
  before: ReadonlyMap<string, TableFacts>,
  first: ReadonlyMap<string, readonly string[]>,
  firstTables: ReadonlySet<string> | null,
  replacedIn: ReadonlyMap<Table, ReplacedCells>,
): Promise<Pick<PublishResult, 'audit' | 'tables'>> {
  const audit: AuditCheck[] = [];
  const tables: TableReport[] = [];
  const deltas = new Map<string, Delta>();
  const all = outputs.map((output) => output.table);
  const reader = config.database.api_role;
  const replaceFor = publication === 1 && (await lockToReplace(client, all, reader)) ? reader : null;
  for (const { table } of outputs) {
    const isFirst = (await publishedRows(client, table)) === 0;
    const replaced = replacedIn.get(table)!;
    const { keys, written } = await withKeyCheck(client, table, isFirst, replaced, async () => {
      const delta = await findDelta(client, table, replaced);
      deltas.set(table.name, delta);
      return applyTable(client, table, replaced, delta, publication, before.get(table.name), replaceFor);
    });
    audit.push(keys);
    if (written === null) return { audit, tables };
    const { report, change } = written;
    tables.push(report);
    audit.push(...tableGates({ ...change, first: first.get(table.name) ?? [] }, config, accepted));
  }
  audit.push(
    ...(await referenceChecks(client, deltas, all)),
    ...(await auditChecks(client, config, accepted)),
  );
  const sample = await sampleChanged(client, deltas, publication, config.audit.sample);
  audit.push(...(await independentChecks(client, config, sample, accepted, firstTables)));
  return { audit, tables };
}

/** Records the digest of each table: the sum over its published cells. */
export async function noteDigests(client: pg.ClientBase, tables: readonly TableReport[]): Promise<void> {
  const { rows } = await client.query<{ table: string; digest: string }>(
    'SELECT table_name AS table, sum(digest)::text AS digest FROM control.published GROUP BY table_name',
  );
  const by = new Map(rows.map((row) => [row.table, row.digest]));
  for (const report of tables) report.digest = by.get(report.table) ?? '0';
}

/** Records a publication; its tables, datasets and audit are added later. */
export async function enterPublication(
  client: pg.ClientBase,
  runId: number,
  kind: PublicationKind,
  reason: string | null,
  restores: number | null = null,
): Promise<number> {
  const publication = await nextPublication(client);
  await client.query(
    `INSERT INTO control.publication (publication_id, run_id, kind, reason, restores, tables, datasets, audit)
     VALUES ($1, $2, $3, $4, $5, '[]', '[]', '[]')`,
    [publication, runId, kind, reason, restores],
  );
  return publication;
}

/** SQL for the loaded releases, as a publication lists them. */
const ACTIVE_DATASETS = `SELECT COALESCE(jsonb_agg(DISTINCT jsonb_build_object('dataset', dataset, 'release', release)), '[]')
  FROM control.load WHERE state = 'active'`;

/** Writes and audits all outputs as a new publication. The caller commits or rolls back. */
async function write(
  client: pg.ClientBase,
  stages: readonly Stage[],
  config: Config,
  { runId, kind, accepted, tables: taken }: PublishOptions,
  rebuilt: readonly AuditCheck[],
  replacedIn: ReadonlyMap<Table, ReplacedCells>,
): Promise<PublishResult> {
  const outputs = outputsOf(stages);
  const loaded = await newDatasetGates(client, config, accepted);
  const hold = await holdCheck(client, accepted);
  const missingModels = await goneModels(client, config, accepted);
  const first = await firstDeliveries(client, stages);
  const before = await lastFacts(client);
  const reason = accepted.gates.length > 0 ? accepted.reason : null;
  const publication = await enterPublication(client, runId, kind, reason);
  const { audit, tables } = await applyAll(
    client,
    outputs,
    publication,
    config,
    accepted,
    before,
    first,
    taken,
    replacedIn,
  );
  audit.push(...hold, ...loaded, ...missingModels, ...rebuilt);
  if (failed(audit)) return { publication: null, refused: true, audit, tables, notes: [] };
  for (const { stage, table } of takenOf(outputs, taken)) await markPublished(client, table, stage.name);
  await recordModels(client, config, missingModels);
  await noteDigests(client, tables);
  await client.query(
    `UPDATE control.publication SET tables = $2, audit = $3, datasets = (${ACTIVE_DATASETS}) WHERE publication_id = $1`,
    [publication, jsonText(tables), jsonText(audit)],
  );
  await writeCatalogue(client, config);
  const notes = await pruneJournal(client, publication, config.journal);
  return { publication, refused: false, audit, tables, notes };
}

/**
 * Publishes the staged rows in one transaction: writes row differences to the serving tables and the journal, and audits before the commit.
 * Readers see either the previous publication or this one. A failed audit changes nothing.
 */
export async function publish(
  client: pg.ClientBase,
  stages: readonly Stage[],
  config: Config,
  options: PublishOptions,
): Promise<PublishResult> {
  const outputs = outputsOf(stages);
  await client.query('BEGIN');
  try {
    // Rows are found by key, and served tables are mostly in memory: at the default cost, for disks, the planner would read whole tables.
    await client.query('SET LOCAL random_page_cost = 1.1');
    await lockTable(client, 'control.publication');
    const rebuilt = await rebuildModels(client, config, options.accepted, options.tables);
    const replacedIn = new Map<Table, ReplacedCells>();
    for (const { stage, table } of outputs) {
      const isTaken = options.tables?.has(table.name) ?? true;
      replacedIn.set(table, await findChangedCells(client, table, isTaken ? stage.name : null));
    }
    const isSame = [...replacedIn.values()].every(({ cells }) => cells.length === 0);
    const missingModels = isSame ? await goneModels(client, config, options.accepted) : [];
    if (isSame && missingModels.length + rebuilt.length === 0) {
      // A delivery that changes nothing must pass its gates too: a field map that does not fit loads nothing.
      const loaded = await newDatasetGates(client, config, options.accepted);
      if (failed(loaded)) {
        await client.query('ROLLBACK');
        return { publication: null, refused: true, audit: loaded, tables: [], notes: [] };
      }
      for (const { stage, table } of takenOf(outputs, options.tables))
        await markPublished(client, table, stage.name);
      // Computed and served rows are equal, so a rollback holds nothing back any more.
      if (options.tables === null)
        await client.query('UPDATE control.publication SET held = false WHERE held');
      await writeCatalogue(client, config);
      await client.query('COMMIT');
      return { publication: null, refused: false, audit: [], tables: [], notes: [] };
    }
    // Semi joins with these keys are planned by their number.
    await client.query('ANALYZE control.staged_key');
    const result = await write(client, stages, config, options, rebuilt, replacedIn);
    await client.query(result.refused ? 'ROLLBACK' : 'COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
