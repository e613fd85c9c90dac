import type pg from 'pg';
import type { Config } from '../../schema/config.ts';
import { cellBbox, cellsOfBbox, expandBbox, NO_CELL } from '../../schema/grid.ts';
import { recordedName, type Table } from '../../schema/table.ts';
import { NOT_COMPUTED } from '../engine/fingerprint.ts';
import { tablesRead } from '../engine/reads.ts';
import type { Stage } from '../engine/stage.ts';
import { graph } from '../graph.ts';
import type { DatasetReport, RunReport } from '../report/report.ts';

/** Causes of a property's rows in a serving table, from the runs of one publication. */
export interface Causes {
  /** Reasons for which the table's stage ran, with the number of partitions for each. */
  because: string[];
  /** Releases that were loaded or removed and led to the change: `cadastre_vic 2026-05-01`. */
  releases: string[];
}

/**
 * Reads the reports of the runs behind a publication: its own run, and earlier ones that published nothing since the previous publication. A
 * killed run left none.
 */
async function reportsOf(client: pg.ClientBase, publication: number): Promise<RunReport[]> {
  const { rows } = await client.query<{ report: RunReport }>(
    `SELECT report FROM control.run WHERE report ? 'stages'
       AND run_id <= (SELECT run_id FROM control.publication WHERE publication_id = $1)
       AND run_id > COALESCE((SELECT max(run_id) FROM control.publication WHERE publication_id < $1), 0) ORDER BY run_id`,
    [publication],
  );
  return rows.map(({ report }) => report);
}

/**
 * SQL condition on a partition `p`: its computation is part of what is served. A run that was interrupted or refused, or that waits after a
 * rollback, may have computed it again.
 */
export const IS_SERVED = `(p.run_id <= (SELECT run_id FROM control.publication ORDER BY publication_id DESC LIMIT 1)
  OR EXISTS (SELECT 1 FROM control.run r WHERE r.run_id = p.run_id AND r.state = 'unchanged'))`;

/** Returns the reason of a computation after the run that made it. */
export const pastReason = (reason: string, runId: number): string =>
  reason === NOT_COMPUTED ? `first computed in run ${runId}` : reason;

/** Counts the partitions that a stage computed in some runs, by reason. */
function reasonsOf(reports: readonly RunReport[], stage: string): Map<string, number> {
  const reasons = new Map<string, number>();
  for (const { run_id, stages } of reports)
    for (const { reasons: own } of stages.filter((each) => each.stage === stage))
      for (const [given, n] of Object.entries(own)) {
        const reason = pastReason(given, run_id);
        reasons.set(reason, (reasons.get(reason) ?? 0) + n);
      }
  return reasons;
}

/** Returns the input tables whose changes made a stage run; if it ran for another reason, all its inputs. */
function changedTables(stage: Stage, reasons: Iterable<string>): Set<Table> {
  const tables = new Set<Table>();
  for (const reason of reasons) {
    const names = /^changed: (.*?)(?:, by key)?$/.exec(reason)?.[1]?.split(', ');
    const changed = names?.flatMap((name) => stage.inputs[name]?.table ?? []) ?? tablesRead(stage);
    for (const table of changed) tables.add(table);
  }
  return tables;
}

/** Finds stages whose change log of these runs has the property's cell but not the property: none of its rows there changed. */
async function stagesWithout(
  client: pg.ClientBase,
  runs: readonly number[],
  pid: string,
  cell: number,
): Promise<Set<string>> {
  const { rows } = await client.query<{ stage: string }>(
    `SELECT stage FROM control.key_change WHERE run_id = ANY ($1) AND cell = $2
     GROUP BY stage HAVING NOT bool_or($3 = ANY (keys))`,
    [runs, cell, pid],
  );
  return new Set(rows.map(({ stage }) => stage));
}

/** Keeps datasets with records of the table in the cell or around it. All: none has, or the table has no cells. */
async function deliveriesNear(
  client: pg.ClientBase,
  table: Table,
  datasets: readonly DatasetReport[],
  cell: number,
): Promise<readonly DatasetReport[]> {
  if (cell === NO_CELL || !('cell' in table.columns)) return datasets;
  const { rows } = await client.query<{ dataset: string }>(
    `SELECT DISTINCT dataset FROM control.load l JOIN control.load_digest d USING (load_id)
     WHERE l.state = 'active' AND d.table_name = $1 AND d.cell = ANY ($2)`,
    [recordedName(table), cellsOfBbox(expandBbox(cellBbox(cell), 100))],
  );
  const changedDatasets = datasets.filter(
    ({ dataset, action }) => action === 'removed' || rows.some((row) => row.dataset === dataset),
  );
  return changedDatasets.length > 0 ? changedDatasets : datasets;
}

/** Rows of a property in the table of a stage, at one publication. */
interface PublishedRows {
  publication: number;
  stage: Stage;
  pid: string;
  /** Cell of the served property. */
  cell: number;
}

/**
 * Finds the causes of a property's rows in a stage's table at one publication. It follows stages that ran for changed rows back to the
 * deliveries that changed them. A delivery is identified by its content, not by its label.
 */
export async function causesOf(
  client: pg.ClientBase,
  config: Config,
  { publication, stage, pid, cell }: PublishedRows,
): Promise<Causes> {
  const reports = await reportsOf(client, publication);
  const deliveries = reports
    .flatMap(({ datasets }) => datasets)
    .filter(({ action }) => action === 'loaded' || action === 'removed');
  const untouchedStages = await stagesWithout(
    client,
    reports.map(({ run_id }) => run_id),
    pid,
    cell,
  );
  const makers = new Map(graph(config).map((each) => [recordedName(each.output), each]));
  const visited = new Set<Table>();
  const releases = new Set<string>();
  const collect = async (table: Table): Promise<void> => {
    if (visited.has(table)) return;
    visited.add(table);
    const maker = makers.get(recordedName(table));
    if (!maker) {
      const tableDeliveries = deliveries.filter(({ accounts }) =>
        accounts.some((each) => each.table === table.name),
      );
      for (const { dataset, release } of await deliveriesNear(client, table, tableDeliveries, cell))
        releases.add(`${dataset} ${release}`);
      return;
    }
    if (maker.output.tracked === 'gnaf_pid' && untouchedStages.has(maker.name)) return;
    for (const inputTable of changedTables(maker, reasonsOf(reports, maker.name).keys()))
      await collect(inputTable);
  };
  await collect(stage.output);
  const because = [...reasonsOf(reports, stage.name)].map(
    ([reason, n]) => `${reason} (${n} ${n === 1 ? 'partition' : 'partitions'})`,
  );
  return { because, releases: [...releases].sort() };
}
