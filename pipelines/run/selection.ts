import { closest } from 'fastest-levenshtein';
import type { Config } from '../../schema/config.ts';
import { EtlError } from '../../schema/errors.ts';
import { marketEventRecord } from '../../schema/records/market_event.ts';
import { recordedName } from '../../schema/table.ts';
import { adapterNamed } from '../../sources/index.ts';
import type { Stage } from '../engine/stage.ts';
import { graph } from '../graph.ts';
import { type SelectedTables, selectTables, without, withSources } from './selected_tables.ts';

/** The requested part of the configuration. */
export interface Selectors {
  /** Serving tables to update, with their inputs and references; others stay unchanged. Default: all. */
  tables?: readonly string[];
  /** Datasets to check for changes, and stages to run with their inputs; everything else stays unchanged. Default: all. */
  only?: readonly string[];
  /** Datasets that stay as loaded, and stages that do not run, nor those that read from them. */
  skip?: readonly string[];
  /** Read only the datasets of market events, and datasets that were never loaded. */
  eventsOnly?: boolean;
}

export interface Selection {
  /** True: datasets that were never loaded are read too. */
  withNew: boolean;
  /** Datasets to check for changes; null: all. */
  datasets: ReadonlySet<string> | null;
  /** Stages to run, and tables to publish; null: all. */
  part: SelectedTables | null;
  /** Note for the report; null: everything is updated. */
  note: string | null;
}

interface SelectedNames {
  datasets: Set<string>;
  stages: Set<string>;
}

/** Separates names of datasets and stages. @throws EtlError config_invalid for a name that is neither or both */
function sorted(
  flag: string,
  names: readonly string[],
  config: Config,
  stages: readonly Stage[],
): SelectedNames {
  const stageNames = stages.map(({ name }) => name);
  const selected: SelectedNames = { datasets: new Set(), stages: new Set() };
  for (const name of names) {
    const isDataset = Object.hasOwn(config.datasets, name);
    const isStage = stageNames.includes(name);
    if (isDataset && isStage)
      throw new EtlError(
        'config_invalid',
        `--${flag} ${name}: both a dataset and a stage have that name. Rename the dataset.`,
      );
    if (!isDataset && !isStage)
      throw new EtlError(
        'config_invalid',
        `--${flag} ${name}: no dataset or stage has that name. Did you mean ${closest(name, [...Object.keys(config.datasets), ...stageNames])}?`,
      );
    selected[isDataset ? 'datasets' : 'stages'].add(name);
  }
  return selected;
}

/** True if a dataset delivers market events. */
const hasEvents = (config: Config, dataset: string): boolean =>
  adapterNamed(config.datasets[dataset]!.adapter).tables.some(({ name }) => name === marketEventRecord.name);

/** Returns the datasets and stages of a refresh. @throws EtlError config_invalid for an unknown name */
export function select(
  config: Config,
  { tables, only = [], skip = [], eventsOnly = false }: Selectors,
): Selection {
  const stages = graph(config);
  const included = sorted('only', only, config, stages);
  const excluded = sorted('skip', skip, config, stages);
  if (tables !== undefined && included.stages.size > 0)
    throw new EtlError('config_invalid', 'Give --tables or --only, not both.');
  const outputs = stages
    .filter(({ name }) => included.stages.has(name))
    .map(({ output }) => recordedName(output));
  let part: SelectedTables | null = null;
  if (tables !== undefined) part = selectTables(stages, tables);
  if (included.stages.size > 0) part = withSources(stages, new Set(outputs));
  if (excluded.stages.size > 0) part = without(part?.stages ?? stages, excluded.stages);
  const all = Object.keys(config.datasets);
  const looked = all.filter(
    (id) =>
      (included.datasets.size === 0 || included.datasets.has(id)) &&
      !excluded.datasets.has(id) &&
      (!eventsOnly || hasEvents(config, id)),
  );
  const idle = all.filter((id) => !looked.includes(id));
  const resting = stages
    .filter((stage) => part !== null && !part.stages.includes(stage))
    .map(({ name }) => name);
  const notes = [
    ...(tables === undefined
      ? []
      : [
          `Only ${tables.join(', ')} and the tables they depend on were refreshed; the others wait for a full refresh.`,
        ]),
    ...(idle.length === 0 ? [] : [`Not checked, and in service as last loaded: ${idle.join(', ')}.`]),
    ...(resting.length === 0 || tables !== undefined
      ? []
      : [`Not computed; these wait for a full refresh: ${resting.join(', ')}.`]),
  ];
  return {
    datasets: idle.length === 0 ? null : new Set(looked),
    withNew: eventsOnly,
    part,
    note: notes.length === 0 ? null : notes.join(' '),
  };
}
