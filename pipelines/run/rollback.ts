import type pg from 'pg';
import type { Config } from '../../schema/config.ts';
import { EtlError } from '../../schema/errors.ts';
import { dropCandidate } from '../../store/journal/candidate.ts';
import {
  latestPublication,
  type Publication,
  pruneJournal,
  readablePublication,
} from '../../store/journal/journal.ts';
import { countChangedCells, dropStaged } from '../../store/journal/publication.ts';
import { checkRestored, restoreTable } from '../../store/journal/restore_table.ts';
import { columnShape, factsAfter, lastFacts } from '../../store/journal/table_facts.ts';
import { jsonText } from '../../store/json_text.ts';
import { lockTable } from '../../store/locks.ts';
import { servedTable } from '../../store/read/served_tables.ts';
import { whilePresent } from '../../store/state/presence.ts';
import { inTransaction } from '../../store/transaction.ts';
import type { Stage } from '../engine/stage.ts';
import { graph } from '../graph.ts';
import { servingStages } from '../publish/publication_context.ts';
import { enterPublication, noteDigests } from '../publish/publication_record.ts';
import type { RunReport, TableReport } from '../report/report.ts';
import { finishRun, noteFailure, startRun, takeRunLock } from './run_records.ts';
import { setUp } from './set_up.ts';

export interface RollbackOptions {
  url: string;
  config: Config;
  /** Publication to restore; null: the one before the last. */
  to: number | null;
  /** Reason, recorded with the publication. */
  reason: string;
}

/**
 * Returns the publication to restore; `to` null: the one before the last.
 * @throws EtlError unknown_publication, journal_pruned, config_invalid
 */
export async function targetOf(client: pg.ClientBase, to: number | null): Promise<Publication> {
  const latest = await latestPublication(client);
  if (latest === null)
    throw new EtlError('unknown_publication', 'Nothing is published, so there is nothing to roll back.');
  if (to === null && latest.publication_id === 1)
    throw new EtlError(
      'unknown_publication',
      'Publication 1 is the first; there is no earlier one to roll back to.',
    );
  const target = await readablePublication(client, to ?? latest.publication_id - 1).catch(
    (error: unknown) => {
      if (to === null || !(error instanceof EtlError) || error.code !== 'unknown_publication') throw error;
      throw new EtlError('config_invalid', `--to ${to}: ${error.message}`, { cause: error });
    },
  );
  if (target.publication_id !== latest.publication_id) return target;
  throw new EtlError('config_invalid', `--to ${to}: publication ${to} is already the one served.`);
}

/** Restores all tables and returns their reports. */
async function restoreAll(
  client: pg.ClientBase,
  stages: readonly Stage[],
  target: Publication,
  publication: number,
): Promise<TableReport[]> {
  const before = await lastFacts(client);
  const tables: TableReport[] = [];
  for (const { name, output } of stages) {
    // Keys are staged as differences from the published rows, which are replaced now.
    if (output.tracked !== null) await dropStaged(client, output, name);
    const table = await servedTable(client, output);
    const delta = await restoreTable(client, table, target.publication_id, publication);
    const recorded = target.tables.find((each) => each.table === table.name);
    await checkRestored(client, table, recorded, target.publication_id, delta);
    const recordedTable = before.get(table.name);
    const { rows_after: rows, inserted, updated, deleted } = delta;
    tables.push({
      table: table.name,
      rows,
      inserted,
      updated,
      deleted,
      base: false,
      digest: null,
      shape: columnShape(table),
      facts: await factsAfter(client, table, delta, recordedTable),
      states_before: recordedTable?.states ?? {},
    });
  }
  await noteDigests(client, tables);
  return tables;
}

/** Returns whether any computed rows differ from the served ones. */
async function differs(client: pg.ClientBase, stages: readonly Stage[]): Promise<boolean> {
  for (const { name, output } of stages) {
    if ((await countChangedCells(client, output, name)) > 0) return true;
  }
  return false;
}

/** Rolls back in one transaction, as a new publication. */
async function goBack(client: pg.ClientBase, options: RollbackOptions, report: RunReport): Promise<void> {
  const stages = servingStages(graph(options.config));
  await inTransaction(client, async () => {
    await lockTable(client, 'control.publication');
    await dropCandidate(client);
    const target = await targetOf(client, options.to);
    const id = target.publication_id;
    const publication = await enterPublication(client, report.run_id, 'rollback', options.reason, id);
    const tables = await restoreAll(client, stages, target, publication);
    const isHeld = await differs(client, stages);
    await client.query(
      'UPDATE control.publication SET tables = $2, datasets = $3, held = $4 WHERE publication_id = $1',
      [publication, jsonText(tables), jsonText(target.datasets), isHeld],
    );
    report.notes.push(...(await pruneJournal(client, publication, options.config.journal)));
    report.tables = tables;
    report.publication = publication;
    report.state = 'published';
    report.notes.push(`Publication ${id} is served again, as publication ${publication}: ${options.reason}`);
    if (isHeld)
      report.notes.push(
        'The computed rows differ from it and stay unpublished: refresh refuses them (exit code 3) until --accept rollback.',
      );
  });
}

/**
 * Serves an earlier publication again, as a new publication that can itself be rolled back. No refresh publishes until computed rows equal
 * served ones, or an operator accepts the gate `rollback`.
 * @throws EtlError unknown_publication, journal_pruned, cannot_roll_back, locked; nothing is changed then
 */
export async function rollback(options: RollbackOptions): Promise<RunReport> {
  const { url, config } = options;
  const started = performance.now();
  return whilePresent(url, async (client) => {
    await setUp(client, config);
    await takeRunLock(client, config.queue.lease_s);
    // An invalid number is a usage error, so no run begins.
    await targetOf(client, options.to);
    const report = await startRun(client, 'rollback', config);
    try {
      await goBack(client, options, report);
    } catch (error) {
      noteFailure(report, error);
      await finishRun(client, report, started);
      throw error;
    }
    await finishRun(client, report, started);
    return report;
  });
}
