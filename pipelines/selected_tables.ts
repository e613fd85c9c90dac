import { closest } from 'fastest-levenshtein';
import { EtlError } from '../schema/errors.ts';
import { bookName } from '../schema/table.ts';
import { adapterNamed } from '../sources/index.ts';
import type { Stage } from './engine/stage.ts';
import type { DatasetPlan } from './ingest.ts';

/** Part of a graph: some serving tables and all that they are made from. */
export interface SelectedTables {
  /** The stages of that part, in the order of the graph. */
  stages: readonly Stage[];
  /** Names of the serving tables that it computes. */
  tables: ReadonlySet<string>;
}

/**
 * The part of a graph that computes the named serving tables.
 * @throws EtlError config_invalid for a name that no serving table has
 */
export function selectTables(stages: readonly Stage[], names: readonly string[]): SelectedTables {
  const serving = stages.filter((stage) => stage.output.schema === 'serving');
  const known = serving.map((stage) => stage.output.name);
  for (const name of names) {
    if (known.includes(name)) continue;
    throw new EtlError(
      'config_invalid',
      `--tables ${name}: there is no such serving table. Did you mean ${closest(name, known)}?`,
    );
  }
  const needed = new Set(names.map((name) => `serving.${name}`));
  const selected: Stage[] = [];
  // A stage follows those whose output it reads, so that from the end each is met before what it needs.
  for (const stage of [...stages].reverse()) {
    if (!needed.has(bookName(stage.output))) continue;
    selected.unshift(stage);
    for (const { table, scope } of Object.values(stage.inputs)) {
      needed.add(bookName(table));
      if (scope.kind === 'refs') needed.add(bookName(scope.within.table));
    }
  }
  const tables = selected
    .filter(({ output }) => output.schema === 'serving')
    .map(({ output }) => output.name);
  return { stages: selected, tables: new Set(tables) };
}

/** Whether a dataset fills a table that the stages read. */
export function isRead({ stages }: SelectedTables, { adapter }: DatasetPlan): boolean {
  const read = new Set(
    stages.flatMap((stage) => Object.values(stage.inputs).map(({ table }) => bookName(table))),
  );
  return adapterNamed(adapter).tables.some((table) => read.has(bookName(table)));
}
