import type pg from 'pg';
import type { Config } from '../../schema/config.ts';
import type { Table } from '../../schema/table.ts';
import type { TableFacts } from '../../store/journal/counted_facts.ts';
import { findChangedCells, type ReplacedCells } from '../../store/journal/publication.ts';
import { lastFacts } from '../../store/journal/table_facts.ts';
import type { Stage } from '../engine/stage.ts';
import { firstDeliveries } from './first_deliveries.ts';
import type { Acceptance } from './gates.ts';

/** A serving table, the stage that computes it, and what its next publication replaces. */
export interface OutputTable {
  stage: Stage;
  table: Table;
  /** False: staged rows of the table keep waiting. */
  isSelected: boolean;
  replaced: ReplacedCells;
}

/** A publication that is being made: what its gates and its writes need. The transaction of `client` is the caller's. */
export interface PublicationContext {
  client: pg.ClientBase;
  config: Config;
  accepted: Acceptance;
  tables: readonly OutputTable[];
  /** Names of the tables to publish. Null: all. */
  selectedTables: ReadonlySet<string> | null;
  /** Facts of each table at the last publication. */
  factsBefore: ReadonlyMap<string, TableFacts>;
  /** Datasets that feed a table and have not been published before, by table. */
  newDatasets: ReadonlyMap<string, readonly string[]>;
}

/** Returns the stages whose output is a serving table. */
export const servingStages = (stages: readonly Stage[]): Stage[] =>
  stages.filter(({ output }) => output.schema === 'serving');

/** Finds what the staged rows would change, compared with the last publication: call it before the next one is entered. */
export async function openPublication(
  client: pg.ClientBase,
  stages: readonly Stage[],
  config: Config,
  { accepted, tables: selectedTables }: { accepted: Acceptance; tables: ReadonlySet<string> | null },
): Promise<PublicationContext> {
  const tables: OutputTable[] = [];
  for (const stage of servingStages(stages)) {
    const table = stage.output;
    const isSelected = selectedTables?.has(table.name) ?? true;
    const replaced = await findChangedCells(client, table, isSelected ? stage.name : null);
    tables.push({ stage, table, isSelected, replaced });
  }
  return {
    client,
    config,
    accepted,
    tables,
    selectedTables,
    factsBefore: await lastFacts(client),
    newDatasets: await firstDeliveries(client, stages),
  };
}
