import type pg from 'pg';
import type { Config } from '../../schema/config.ts';
import { dropCandidate } from '../../store/journal/candidate.ts';
import type { Delta } from '../../store/journal/differences.ts';
import { lockToReplace } from '../../store/journal/first_rows.ts';
import {
  ACTIVE_DATASETS,
  latestPublication,
  type PublicationKind,
  pruneJournal,
} from '../../store/journal/journal.ts';
import { markPublished } from '../../store/journal/publication.ts';
import { jsonText } from '../../store/json_text.ts';
import { lockTable } from '../../store/locks.ts';
import type { Stage } from '../engine/stage.ts';
import type { AuditCheck, TableReport } from '../report/report.ts';
import { writeCatalogue } from './catalogue.ts';
import { newDatasetGates } from './dataset_gates.ts';
import { type Acceptance, judge, ROLLBACK_GATE, tableGates } from './gates.ts';
import { independentChecks } from './independent/independent_checks.ts';
import { sampleChanged } from './independent/sampled_homes.ts';
import { auditChecks, goneModels, rebuildModels, recordModels } from './own_checks.ts';
import { openPublication, type PublicationContext } from './publication_context.ts';
import { enterPublication, noteDigests } from './publication_record.ts';
import { referenceChecks } from './reference_checks.ts';
import { writeTable } from './write_table.ts';

export interface PublishResult {
  /** Number of the new publication, or of the one held; null: nothing changed. */
  publication: number | null;
  outcome: 'published' | 'unchanged' | 'held' | 'refused';
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
  /** True: audits, and publishes nothing. */
  hold: boolean;
}

/** Returns a failed gate if the last publication is a rollback that holds back computed rows. */
async function rollbackGate({ client, accepted }: PublicationContext): Promise<AuditCheck[]> {
  const latest = await latestPublication(client);
  if (!latest?.held) return [];
  const message = `publication ${latest.publication_id} rolled back to publication ${latest.restores} at ${latest.published_at} (${latest.reason}). Computed rows stay unpublished until you accept this gate.`;
  return [judge(ROLLBACK_GATE, 'all', false, message, accepted)];
}

const hasFailed = (audit: readonly AuditCheck[]): boolean => audit.some(({ status }) => status === 'fail');

/** Gates that look at the datasets and settings of a publication, in the order of its report. */
const CONTEXT_GATES: readonly ((context: PublicationContext) => Promise<AuditCheck[]>)[] = [
  rollbackGate,
  ({ client, config, accepted }) => newDatasetGates(client, config, accepted),
  ({ client, config, accepted }) => goneModels(client, config, accepted),
];

/** What is written, for the gates that look at all tables. */
interface WrittenTables {
  publication: number;
  deltas: ReadonlyMap<string, Delta>;
}

/** Gates that look at the written tables, in the order of the report. No operator can accept broken references. */
const WRITTEN_GATES: readonly ((
  context: PublicationContext,
  written: WrittenTables,
) => Promise<AuditCheck[]>)[] = [
  ({ client, tables }, { deltas }) =>
    referenceChecks(
      client,
      deltas,
      tables.map(({ table }) => table),
    ),
  ({ client, config, accepted }) => auditChecks(client, config, accepted),
  async ({ client, config, accepted, selectedTables }, { deltas, publication }) => {
    const sample = await sampleChanged(client, deltas, publication, config.audit.sample);
    return independentChecks(client, config, sample, accepted, selectedTables);
  },
];

/** Writes and audits all tables; stops at the first that cannot be written. */
async function writeAll(
  context: PublicationContext,
  publication: number,
): Promise<Pick<PublishResult, 'audit' | 'tables'>> {
  const { client, config, accepted, tables, factsBefore, newDatasets } = context;
  const audit: AuditCheck[] = [];
  const reports: TableReport[] = [];
  const deltas = new Map<string, Delta>();
  const role = config.database.api_role;
  const isReplaced =
    publication === 1 &&
    (await lockToReplace(
      client,
      tables.map(({ table }) => table),
      role,
    ));
  const target = { publication, replaceFor: isReplaced ? role : null };
  for (const published of tables) {
    const { name } = published.table;
    const { keys, written } = await writeTable(context, published, factsBefore.get(name), target);
    audit.push(keys);
    if (written === null) return { audit, tables: reports };
    deltas.set(name, written.change.delta);
    reports.push(written.report);
    audit.push(...tableGates({ ...written.change, first: newDatasets.get(name) ?? [] }, config, accepted));
  }
  for (const gate of WRITTEN_GATES) audit.push(...(await gate(context, { publication, deltas })));
  return { audit, tables: reports };
}

/** Marks the staged rows of the selected tables as published. */
async function markSelected({ client, tables }: PublicationContext): Promise<void> {
  for (const { stage, table, isSelected } of tables)
    if (isSelected) await markPublished(client, table, stage.name);
}

/** Writes and audits a new publication. The caller commits or rolls back. */
async function writePublication(
  context: PublicationContext,
  { runId, kind, hold }: PublishOptions,
  rebuiltModels: readonly AuditCheck[],
): Promise<PublishResult> {
  const { client, config, accepted } = context;
  const gates: AuditCheck[] = [];
  for (const gate of CONTEXT_GATES) gates.push(...(await gate(context)));
  const reason = accepted.gates.length > 0 ? accepted.reason : null;
  const publication = await enterPublication(client, runId, kind, reason);
  const { audit, tables } = await writeAll(context, publication);
  audit.push(...gates, ...rebuiltModels);
  if (hasFailed(audit)) return { publication, outcome: 'refused', audit, tables, notes: [] };
  if (hold) return { publication, outcome: 'held', audit, tables, notes: [] };
  await markSelected(context);
  await recordModels(client, config, await goneModels(client, config, accepted));
  await noteDigests(client, tables);
  await client.query(
    `UPDATE control.publication SET tables = $2, audit = $3, datasets = (${ACTIVE_DATASETS}) WHERE publication_id = $1`,
    [publication, jsonText(tables), jsonText(audit)],
  );
  await writeCatalogue(client, config);
  const notes = await pruneJournal(client, publication, config.journal);
  return { publication, outcome: 'published', audit, tables, notes };
}

/** Accepts staged rows that equal the served ones. A delivery that changes nothing must pass its gates too. */
async function keepPublication(context: PublicationContext): Promise<PublishResult> {
  const { client, config, accepted, selectedTables } = context;
  const audit = await newDatasetGates(client, config, accepted);
  if (hasFailed(audit)) return { publication: null, outcome: 'refused', audit, tables: [], notes: [] };
  await markSelected(context);
  // Computed and served rows are equal, so a rollback holds nothing back any more.
  if (selectedTables === null) await client.query('UPDATE control.publication SET held = false WHERE held');
  await writeCatalogue(client, config);
  return { publication: null, outcome: 'unchanged', audit: [], tables: [], notes: [] };
}

/** Publishes in the caller's transaction. */
async function publishStaged(
  client: pg.ClientBase,
  stages: readonly Stage[],
  config: Config,
  options: PublishOptions,
): Promise<PublishResult> {
  // Rows are found by key, and served tables are mostly in memory: at the default cost, for disks, the planner would read whole tables.
  await client.query('SET LOCAL random_page_cost = 1.1');
  await lockTable(client, 'control.publication');
  await dropCandidate(client);
  const rebuiltModels = await rebuildModels(client, config, options.accepted, options.tables);
  const context = await openPublication(client, stages, config, options);
  const isSame =
    rebuiltModels.length === 0 &&
    context.tables.every(({ replaced }) => replaced.cells.length === 0) &&
    (await goneModels(client, config, options.accepted)).length === 0;
  if (isSame) return keepPublication(context);
  // Semi joins with these keys are planned by their number.
  await client.query('ANALYZE control.staged_key');
  return writePublication(context, options, rebuiltModels);
}

/**
 * Publishes the staged rows in one transaction: writes row differences to the serving tables and the journal, and audits before the commit.
 * Readers see either the previous publication or this one. A failed audit and `hold` change nothing.
 */
export async function publish(
  client: pg.ClientBase,
  stages: readonly Stage[],
  config: Config,
  options: PublishOptions,
): Promise<PublishResult> {
  await client.query('BEGIN');
  try {
    const result = await publishStaged(client, stages, config, options);
    const isKept = result.outcome === 'refused' || result.outcome === 'held';
    await client.query(isKept ? 'ROLLBACK' : 'COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
