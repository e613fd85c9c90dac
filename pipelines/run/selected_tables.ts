import { closest } from 'fastest-levenshtein';
import { EtlError } from '../../schema/errors.ts';
import { references } from '../../schema/serving/references.ts';
import { bookName } from '../../schema/table.ts';
import { adapterNamed } from '../../sources/index.ts';
import { tablesRead } from '../engine/reads.ts';
import type { Stage } from '../engine/stage.ts';
import type { DatasetPlan } from '../ingest/ingest.ts';

/** Part of a graph: some serving tables with all that they are made from and refer to. */
export interface SelectedTables {
  /** The stages of that part, in the order of the graph. */
  stages: readonly Stage[];
  /** Names of the serving tables that it computes. */
  tables: ReadonlySet<string>;
}

/**
 * The part of a graph that computes the named serving tables, what they are made from, and the tables that their rows refer to.
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
  const targets = references(serving.map((stage) => stage.output));
  for (let before = -1; before < needed.size; ) {
    before = needed.size;
    for (const stage of stages) {
      const { output } = stage;
      if (!needed.has(bookName(output))) continue;
      for (const table of tablesRead(stage)) needed.add(bookName(table));
      for (const { from, to } of targets) if (from.name === output.name) needed.add(bookName(to));
    }
  }
  const selected = stages.filter((stage) => needed.has(bookName(stage.output)));
  const tables = selected
    .filter(({ output }) => output.schema === 'serving')
    .map(({ output }) => output.name);
  return { stages: selected, tables: new Set(tables) };
}

/** Whether a dataset fills a table that the stages read. */
export function isRead({ stages }: SelectedTables, { adapter }: DatasetPlan): boolean {
  const read = new Set(stages.flatMap((stage) => tablesRead(stage).map(bookName)));
  return adapterNamed(adapter).tables.some((table) => read.has(bookName(table)));
}
