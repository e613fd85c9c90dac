import { closest } from 'fastest-levenshtein';
import { EtlError } from '../../schema/errors.ts';
import { references } from '../../schema/serving/references.ts';
import { recordedName, type Table } from '../../schema/table.ts';
import { adapterNamed } from '../../sources/index.ts';
import { tablesRead } from '../engine/reads.ts';
import type { Stage } from '../engine/stage.ts';
import type { DatasetPlan } from '../ingest/plan_datasets.ts';

/** Part of a graph: some serving tables with their inputs and references. */
export interface SelectedTables {
  /** Stages of that part, in graph order. */
  stages: readonly Stage[];
  /** Names of the serving tables that it computes. */
  tables: ReadonlySet<string>;
}

/**
 * Returns the part of a graph that computes the named serving tables, their inputs, and the tables they refer to.
 * @throws EtlError config_invalid for an unknown serving table
 */
export function selectTables(stages: readonly Stage[], names: readonly string[]): SelectedTables {
  const tableNames = servingOf(stages).map((table) => table.name);
  for (const name of names) {
    if (tableNames.includes(name)) continue;
    throw new EtlError(
      'config_invalid',
      `--tables ${name}: no serving table has that name. Did you mean ${closest(name, tableNames)}?`,
    );
  }
  return withSources(stages, new Set(names.map((name) => `serving.${name}`)));
}

const servingOf = (stages: readonly Stage[]): Table[] =>
  stages.map((stage) => stage.output).filter((table) => table.schema === 'serving');

/** Returns the stages of some tables, by recorded name, with the stages of their inputs and references. */
export function withSources(stages: readonly Stage[], tables: ReadonlySet<string>): SelectedTables {
  const needed = new Set(tables);
  const targets = references(servingOf(stages));
  for (let before = -1; before < needed.size; ) {
    before = needed.size;
    for (const stage of stages) {
      const { output } = stage;
      if (!needed.has(recordedName(output))) continue;
      for (const table of tablesRead(stage)) needed.add(recordedName(table));
      for (const { from, to } of targets) if (from.name === output.name) needed.add(recordedName(to));
    }
  }
  return selectionOf(stages.filter((stage) => needed.has(recordedName(stage.output))));
}

/** Returns the stages except some, and except stages that read from or refer to their tables, which stay unchanged too. */
export function without(stages: readonly Stage[], names: ReadonlySet<string>): SelectedTables {
  const remaining = new Set(
    stages.filter(({ name }) => names.has(name)).map(({ output }) => recordedName(output)),
  );
  const targets = references(servingOf(stages));
  for (let before = -1; before < remaining.size; ) {
    before = remaining.size;
    for (const stage of stages) {
      const refers = targets.some(
        ({ from, to }) => from.name === stage.output.name && remaining.has(recordedName(to)),
      );
      if (refers || tablesRead(stage).some((table) => remaining.has(recordedName(table))))
        remaining.add(recordedName(stage.output));
    }
  }
  return selectionOf(stages.filter((stage) => !remaining.has(recordedName(stage.output))));
}

const selectionOf = (stages: readonly Stage[]): SelectedTables => ({
  stages,
  tables: new Set(servingOf(stages).map((table) => table.name)),
});

/** Returns whether a dataset fills a table that the stages read. */
export function isRead({ stages }: SelectedTables, { adapter }: DatasetPlan): boolean {
  const inputs = new Set(stages.flatMap((stage) => tablesRead(stage).map(recordedName)));
  return adapterNamed(adapter).tables.some((table) => inputs.has(recordedName(table)));
}
