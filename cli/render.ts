import type { Explanation } from '../pipelines/explain/explain.ts';
import { NOT_LOADED } from '../pipelines/ingest/plan_datasets.ts';
import { isIndependent } from '../pipelines/publish/independent/facts.ts';
import {
  type AuditCheck,
  auditWords,
  type DatasetReport,
  type FailedPartition,
  type RunReport,
  stillServed,
} from '../pipelines/report/report.ts';
import type { Preview } from '../pipelines/views/preview.ts';
import type { InService, PipelineStatus } from '../pipelines/views/status.ts';
import { typed } from '../schema/command_line.ts';
import { n, plural } from './plural.ts';
import { oneLine } from './print.ts';

/** Last line of a short form. */
export const ALL = 'Everything: --verbose';
const s = (seconds: number): string => `${seconds.toFixed(1)} s`;

/** Pads columns to equal width, except the last one. */
export function columns(cells: readonly (readonly string[])[], indent = '  '): string {
  const rows = cells.map((row) => row.map(oneLine));
  const widths: number[] = [];
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  }
  return rows
    .map(
      (row) =>
        indent +
        row
          .map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i]!)))
          .join('  ')
          .trimEnd(),
    )
    .join('\n');
}

/** `3 alias, 2 retired`. A count of 0 means all of an unknown number. */
const counts = (record: Record<string, number>): string =>
  Object.entries(record)
    .map(([name, value]) => `${value === 0 ? 'all:' : n(value)} ${name}`)
    .join(', ');

function datasetLines(report: DatasetReport): string[][] {
  const inputs = report.accounts.filter((account) => account.table !== null);
  const rejected = report.accounts.reduce((sum, account) => sum + account.rejects, 0);
  const dropped: Record<string, number> = {};
  for (const account of inputs) {
    for (const [name, value] of Object.entries(account.drops)) dropped[name] = (dropped[name] ?? 0) + value;
  }
  const records = inputs.reduce((sum, account) => sum + account.records, 0);
  const rate = report.seconds > 0 ? `${n(Math.round(report.rows / report.seconds))} rows/s` : '';
  const head = [
    report.dataset,
    report.release,
    report.action,
    plural(records, 'record'),
    `${n(rejected)} rejected`,
    report.action === 'loaded' ? `${s(report.seconds)}, ${rate}` : report.reason,
  ];
  const crs = report.crs.overridden
    ? [`CRS ${report.crs.applied} applied, file states ${report.crs.stated}`]
    : [];
  const drops = Object.keys(dropped).length > 0 ? [`left out: ${counts(dropped)}`] : [];
  const notes =
    report.notes.length > 6
      ? [...report.notes.slice(0, 6), `… and ${report.notes.length - 6} more notes`]
      : report.notes;
  return [head, ...[...crs, ...drops, ...notes].map((text) => [`  ${text}`])];
}

/** Returns the cells of a failed partition's line. */
export const failedLine = ({ stage, partition, attempts, code, message }: FailedPartition): string[] => [
  stage,
  partition,
  plural(attempts, 'attempt'),
  code,
  message,
];

/** Renders gates, one a line. */
export const renderChecks = (checks: readonly AuditCheck[]): string =>
  columns(checks.map((c) => [c.status.replace('_', ' '), c.check, c.message]));

export function renderReport(report: RunReport): string {
  const out: string[] = [`run ${report.run_id}: ${report.state}`];
  const datasets = report.datasets.map(datasetLines);
  if (datasets.length > 0) {
    out.push('datasets', columns(datasets.map((lines) => lines[0]!)));
    for (const lines of datasets)
      for (const [text] of lines.slice(1)) out.push(`    ${lines[0]![0]}: ${text!.trim()}`);
  }
  const ran = report.stages.filter((stage) => stage.partitions_run + stage.partitions_removed > 0);
  if (ran.length > 0 || (report.stages.length > 0 && report.set_aside.length === 0)) {
    out.push(ran.length === 0 ? `stages\n  all ${report.stages.length} unchanged` : 'stages');
    out.push(
      ...(ran.length === 0
        ? []
        : [
            columns(
              ran.map((stage) => [
                stage.stage,
                `${n(stage.partitions_run)} run, ${n(stage.partitions_unchanged)} unchanged${stage.partitions_removed ? `, ${n(stage.partitions_removed)} removed` : ''}${stage.partitions_elsewhere ? `, ${n(stage.partitions_elsewhere)} elsewhere` : ''}`,
                `${n(stage.account.in)} in = ${n(stage.account.out)} out + ${n(stage.account.rejects)} rejected${Object.keys(stage.account.drops).length > 0 ? ` + ${counts(stage.account.drops)}` : ''}`,
                s(stage.seconds),
              ]),
            ),
          ]),
    );
  }
  if (report.rejects.length > 0) {
    out.push('rejects', columns(report.rejects.map((r) => [r.source, r.code, n(r.rows), r.example])));
  }
  const notable = report.audit.filter((check) => check.status !== 'pass' || isIndependent(check));
  if (report.audit.length > 0) {
    out.push(`audit\n  ${auditWords(report.audit)}`);
    if (notable.length > 0) out.push(renderChecks(notable));
  }
  if (report.tables.length > 0) {
    const touched = report.tables.filter((t) => t.inserted + t.updated + t.deleted > 0);
    out.push(
      report.state === 'refused' || report.state === 'held'
        ? 'not published'
        : `publication ${report.publication}`,
      columns(
        touched.map((t) => [
          t.table,
          plural(t.rows, 'row'),
          `${n(t.inserted)} inserted, ${n(t.updated)} updated, ${n(t.deleted)} deleted`,
        ]),
      ),
    );
    const same = report.tables.length - touched.length;
    if (same > 0) out.push(`  ${plural(same, 'table')} unchanged`);
  }
  for (const note of report.notes ?? []) out.push(note);
  if (report.state === 'unchanged') out.push('Nothing changed; the publication stays the same.');
  if (report.state === 'held')
    out.push(
      `Held, not published. ${stillServed(report)}`,
      `Look: ${typed('diff --candidate')}. Then: ${typed('publish')} or ${typed('discard')}`,
    );
  if (report.state === 'refused') {
    out.push(`The audit refused this publication. ${stillServed(report)}`);
    out.push(
      `Check the failures. If the changes are right: ${typed('publish --accept <check> --reason "…"')}. Look first: ${typed('diff --candidate')}`,
    );
  }
  if (report.set_aside.length > 0) {
    out.push('failed partitions', columns(report.set_aside.map(failedLine)));
  }
  if (report.error) out.push(...renderError(report.error.code, report.error.message), stillServed(report));
  if (report.vacuum && report.vacuum.tables > 0) {
    const { tables, rewritten, dead_rows, seconds } = report.vacuum;
    out.push(
      `vacuumed ${plural(tables, 'table')} of ${plural(dead_rows, 'dead row')}, ${n(rewritten)} rewritten, ${s(seconds)}`,
    );
  }
  out.push(`${s(report.seconds)}, peak memory ${n(report.peak_memory_mb)} MB`);
  return out.join('\n');
}

export function renderError(code: string, message: string): string[] {
  return [`error ${code}: ${message}`];
}

/** Maximum datasets of a first load that `plan` lists. */
const NEW_DATASETS = 12;

/** Renders what a refresh would do. Unchanged parts are counted, or with `isVerbose` listed. */
export function renderPreview({ publication, datasets, stages }: Preview, isVerbose = false): string {
  const isActive = (stage: Preview['stages'][number]): boolean =>
    Object.keys(stage.run).length + Object.keys(stage.may_run).length > 0;
  // Before the first load the partitions are not known, so a line for each stage says nothing.
  const isFirst = publication === null && !stages.some(({ partitions }) => partitions > 0);
  const shownDatasets = datasets.filter(({ action }) => isVerbose || action !== 'unchanged');
  const isNew = ({ action, reason }: Preview['datasets'][number]): boolean =>
    action === 'load' && reason === NOT_LOADED;
  // What cannot be read and loaded datasets that changed come before what loads for the first time.
  const lines = isVerbose
    ? shownDatasets
    : [
        ...shownDatasets.filter((each) => !isNew(each)),
        ...shownDatasets.filter(isNew).slice(0, NEW_DATASETS),
      ];
  const hidden = shownDatasets.length - lines.length;
  const computed = stages.filter((stage) => isVerbose || (!isFirst && isActive(stage)));
  const dataset = (each: Preview['datasets'][number]): string[] => [each.dataset, each.action, each.reason];
  const stage = (each: Preview['stages'][number]): string[] => {
    const may = Object.keys(each.may_run).length > 0 ? `may run: ${counts(each.may_run)}` : '';
    const run = Object.keys(each.run).length > 0 ? `run: ${counts(each.run)}` : '';
    const what = [run, may].filter(Boolean).join('; ') || 'unchanged';
    return [each.stage, plural(each.partitions, 'partition'), what];
  };
  return [
    ...serviceLines(publication),
    `datasets: ${n(datasets.filter(({ action }) => action === 'unchanged').length)} of ${n(datasets.length)} unchanged`,
    ...(lines.length > 0 ? [columns(lines.map(dataset))] : []),
    ...(hidden > 0 ? [`  … and ${plural(hidden, 'more dataset')} to load for the first time`] : []),
    isFirst
      ? `stages: ${n(stages.filter(isActive).length)} of ${n(stages.length)} compute everything for the first time`
      : `stages: ${n(stages.filter((each) => !isActive(each)).length)} of ${n(stages.length)} unchanged`,
    ...(computed.length > 0 ? [columns(computed.map(stage))] : []),
    ...(isVerbose ? [] : [ALL]),
  ].join('\n');
}

/** Renders the served publication and what is held back. */
export function serviceLines(p: InService | null): string[] {
  if (p === null) return ['nothing is published'];
  const head = `publication ${p.publication_id} of ${p.published_at} (run ${p.run_id})`;
  if (p.candidate_of_run !== null)
    return [head, `The result of run ${p.candidate_of_run} is held: ${typed('diff --candidate')} shows it.`];
  if (p.restores === null) return [head];
  const heldText = 'The computed rows differ from it and stay unpublished until publish --accept rollback.';
  return [
    `${head}, which serves publication ${p.restores} again: ${oneLine(p.reason ?? '')}`,
    ...(p.held ? [heldText] : []),
  ];
}

export function renderStatus(status: PipelineStatus): string {
  const out = serviceLines(status.publication);
  if (status.tables.length > 0) out.push(columns(status.tables.map((t) => [t.table, plural(t.rows, 'row')])));
  if (status.datasets.length > 0) {
    out.push(
      'datasets',
      columns(
        status.datasets.map((d) => [
          d.dataset,
          d.release,
          plural(d.rows, 'record'),
          `${n(d.rejects)} rejected`,
          d.kept === null ? d.loaded_at : `${d.loaded_at}, kept: ${d.kept}`,
        ]),
      ),
    );
  }
  if (status.runs.length > 0) {
    out.push(
      'last runs',
      columns(
        status.runs.map((r) => [
          String(r.run_id),
          r.command,
          r.state,
          r.started_at,
          r.seconds === null ? '' : s(r.seconds),
          r.error ?? '',
        ]),
      ),
    );
  }
  return out.join('\n');
}

/** Renders the origins of a property's rows. */
export function renderExplanation(e: Explanation): string {
  const out = [`${e.gnaf_pid}: ${e.outcome}`, ...e.notes.map((note) => `  ${note}`)];
  for (const [what, origin] of [
    ['address', e.address],
    ['parcel', e.parcel],
    ['zone', e.zone],
  ] as const) {
    if (!origin) continue;
    out.push(
      `${what}: ${origin.place}, ${origin.dataset}, release ${origin.release} (${origin.files.join(', ')})`,
    );
    out.push(
      columns(
        Object.entries(origin.record)
          .filter(([, v]) => v !== null)
          .map(([k, v]) => [k, String(v)]),
        '    ',
      ),
    );
  }
  for (const { type, date, unused, records } of e.events) {
    out.push(
      `event: ${type} ${date}${unused === null ? '' : `, not used to value (${unused})`}, reported by`,
    );
    const lines = records.map(({ event_key, dataset, release, place, rule, score }) => [
      event_key,
      `${place}, ${dataset}, release ${release}`,
      rule === null ? '' : `matched by ${rule}, score ${score}`,
    ]);
    out.push(columns(lines, '    '));
  }
  if (e.parent_of.length > 0) {
    out.push('parent of units or numbers missing from the address register; their events belong to no home:');
    const lines = e.parent_of.map(({ type, date, event_key, address, rule, score }) => [
      `${type} ${date}`,
      event_key,
      address ?? '',
      `by ${rule}, score ${score}`,
    ]);
    out.push(columns(lines, '    '));
  }
  for (const [table, rows] of Object.entries(e.serving)) {
    if (rows.length === 0) continue;
    out.push(`serving.${table}`);
    for (const row of rows)
      out.push(
        columns(
          Object.entries(row)
            .filter(([k]) => k !== 'gnaf_pid')
            .map(([k, v]) => [k, String(v)]),
          '    ',
        ),
        '',
      );
  }
  if (e.computed.length > 0) {
    out.push(
      'computed',
      columns(
        e.computed.map((c) => [
          `${c.stage} version ${c.version}`,
          `cell ${c.cell}`,
          `run ${c.run_id}`,
          c.computed_at,
        ]),
      ),
    );
  }
  for (const c of e.changes) out.push(`publication ${c.publication_id}: ${c.change} in ${c.table_name}`);
  return out.join('\n');
}
