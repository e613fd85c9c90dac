import type { Explanation } from '../pipelines/explain/explain.ts';
import type { PipelineStatus } from '../pipelines/views/status.ts';
import { typed } from '../schema/command_line.ts';
import { n, plural } from './plural.ts';
import { ALL, columns, renderExplanation, renderStatus, serviceLines } from './render.ts';

const LAST = 3;

/** Renders `status`: in short the totals, and the datasets that need attention. */
export function statusText(status: PipelineStatus, isVerbose: boolean): string {
  if (isVerbose) return renderStatus(status);
  const { datasets, tables, runs } = status;
  const sum = (list: readonly { rows: number }[]): number => list.reduce((all, { rows }) => all + rows, 0);
  const rejects = datasets.reduce((all, each) => all + each.rejects, 0);
  const keptDatasets = datasets.filter((each) => each.kept !== null);
  const out = [
    ...serviceLines(status.publication),
    `${plural(tables.length, 'table')} with ${plural(sum(tables), 'row')}; ${plural(datasets.length, 'dataset')} with ${plural(sum(datasets), 'record')}, ${n(rejects)} rejected`,
  ];
  if (keptDatasets.length > 0)
    out.push(columns(keptDatasets.map((each) => ['kept', each.dataset, each.kept!])));
  const lines = runs.map((run) => [
    `run ${run.run_id}`,
    run.command,
    run.state,
    run.started_at,
    run.seconds === null ? '' : `${run.seconds.toFixed(1)} s`,
    run.error ?? '',
  ]);
  return [...out, ...(lines.length > 0 ? [columns(lines)] : []), ALL].join('\n');
}

/** Renders rows of a serving table, with the stage and run that computed them. */
function tableLine(e: Explanation, table: string): string[] {
  const by = e.computed.find(({ stage }) => stage === `serve_${table}`);
  return [
    table,
    plural(e.serving[table]!.length, 'row'),
    by === undefined ? '' : `stage version ${by.version}, run ${by.run_id}, ${by.computed_at}`,
  ];
}

/** Renders `explain`: in short the records of a property, and a line for each table that serves it. */
export function explanationText(e: Explanation, isVerbose: boolean): string {
  if (isVerbose) return renderExplanation(e);
  const origins = (['address', 'parcel', 'zone'] as const).flatMap((what) => {
    const origin = e[what];
    return origin ? [[what, `${origin.dataset}, release ${origin.release}`, origin.place]] : [];
  });
  const events = e.events.slice(0, LAST).map(({ type, date, unused, records }) => {
    const [first] = records;
    const others = records.length > 1 ? ` and ${records.length - 1} more` : '';
    return [
      `${type} ${date}`,
      first ? `${first.dataset}, release ${first.release}, ${first.place}${others}` : '',
      ...(unused === null ? [] : [`not used to value: ${unused}`]),
    ];
  });
  const parented = e.parent_of
    .slice(0, LAST)
    .map(({ type, date, address, rule }) => [`${type} ${date}`, address ?? '', rule]);
  const tables = Object.keys(e.serving).filter((table) => e.serving[table]!.length > 0);
  const changes = e.changes
    .slice(0, LAST)
    .map((c) => [`publication ${c.publication_id}`, `${c.change} in ${c.table_name}`]);
  const part = (title: string, lines: string[][], total: number): string[] => {
    if (lines.length === 0) return [];
    const moreLines = total > lines.length ? [`  … and ${n(total - lines.length)} more`] : [];
    return [title, columns(lines), ...moreLines];
  };
  return [
    `${e.gnaf_pid}: ${e.outcome}`,
    ...e.notes.map((note) => `  ${note}`),
    ...part('records', origins, origins.length),
    ...part('events', events, e.events.length),
    ...part('events of units missing from the address register', parented, e.parent_of.length),
    ...part(
      'served',
      tables.map((table) => tableLine(e, table)),
      tables.length,
    ),
    ...part('last changes', changes, e.changes.length),
    // An unknown property has nothing more to show.
    ...(e.outcome === 'unknown'
      ? []
      : [`One value: ${typed(`explain ${e.gnaf_pid} <endpoint or field>`)}. ${ALL}`]),
  ].join('\n');
}
