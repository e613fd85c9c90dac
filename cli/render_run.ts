import { isIndependent } from '../pipelines/publish/independent/facts.ts';
import {
  auditWords,
  type DatasetReport,
  type RunReport,
  type StageReport,
  stillServed,
} from '../pipelines/report/report.ts';
import { typed } from '../schema/command_line.ts';
import { n, plural } from './plural.ts';
import { columns, failedLine, renderError, renderReport } from './render.ts';

const s = (seconds: number): string => `${seconds.toFixed(1)} s`;

/** Maximum lines of a list in the short form. */
const LISTED = 12;
/** Notes that the run before did not have. */
const NEW_NOTES = 10;
const LONGEST_STAGES = 3;

/** The first lines of a list, and how many there are besides. */
function firstOf<T>(list: readonly T[], limit: number, line: (each: T) => string[], what: string): string[] {
  if (list.length === 0) return [];
  const hidden = list.length - limit;
  return [
    columns(list.slice(0, limit).map(line)),
    ...(hidden > 0 ? [`  … and ${plural(hidden, `more ${what}`)}`] : []),
  ];
}

const recordsOf = ({ accounts }: DatasetReport): number =>
  accounts.filter(({ table }) => table !== null).reduce((sum, { records }) => sum + records, 0);
const rejectsOf = ({ accounts }: DatasetReport): number =>
  accounts.reduce((sum, { rejects }) => sum + rejects, 0);

/** Datasets that need somebody come first, then those with the most rejects. */
function datasetPart({ datasets }: RunReport): string[] {
  if (datasets.length === 0) return [];
  const of = (action: DatasetReport['action']): DatasetReport[] =>
    datasets.filter((each) => each.action === action);
  const actions = (['kept', 'removed', 'loaded', 'unchanged'] as const)
    .filter((action) => of(action).length > 0)
    .map((action) => `${n(of(action).length)} ${action}`);
  const loaded = of('loaded').sort((a, b) => rejectsOf(b) - rejectsOf(a));
  return [
    `datasets: ${actions.join(', ')}`,
    // A dataset that could not be read is never left out of the list.
    ...firstOf(of('kept'), Number.POSITIVE_INFINITY, (each) => ['kept', each.dataset, each.reason], ''),
    ...firstOf(of('removed'), LISTED, (each) => ['removed', each.dataset, each.reason], 'dataset'),
    ...firstOf(
      loaded,
      LISTED,
      (each) => [
        'loaded',
        each.dataset,
        each.release,
        plural(recordsOf(each), 'record'),
        `${n(rejectsOf(each))} rejected`,
        s(each.seconds),
      ],
      'dataset',
    ),
  ];
}

const ran = ({ partitions_run, partitions_removed }: StageReport): number =>
  partitions_run + partitions_removed;

function stagePart({ stages, set_aside }: RunReport): string[] {
  if (stages.length === 0) return [];
  const active = stages.filter((each) => ran(each) > 0);
  if (active.length === 0) return set_aside.length > 0 ? [] : [`stages: all ${stages.length} unchanged`];
  const partitions = active.reduce((sum, each) => sum + ran(each), 0);
  const longest = [...active].sort((a, b) => b.seconds - a.seconds).slice(0, LONGEST_STAGES);
  return [
    `stages: ${active.length} of ${stages.length} ran, ${plural(partitions, 'partition')}`,
    `  longest: ${longest.map((each) => `${each.stage} ${s(each.seconds)}`).join(', ')}`,
  ];
}

/** Rejects of datasets that this run loaded, and of stages where it changed their number. */
function rejectsOfThisRun({ datasets, rejects }: RunReport, before: RunReport | null): RunReport['rejects'] {
  const loaded = new Set(datasets.filter(({ action }) => action === 'loaded').map(({ dataset }) => dataset));
  const currentIds = new Set(datasets.map(({ dataset }) => dataset));
  const key = ({ source, code, rows }: RunReport['rejects'][number]): string => `${source} ${code} ${rows}`;
  const rejectsBefore = new Set(before?.rejects.map(key));
  return rejects
    .filter(
      (each) => loaded.has(each.source) || (!currentIds.has(each.source) && !rejectsBefore.has(key(each))),
    )
    .sort((a, b) => b.rows - a.rows);
}

function rejectPart(report: RunReport, before: RunReport | null): string[] {
  const now = rejectsOfThisRun(report, before);
  const rows = (list: RunReport['rejects']): number => list.reduce((sum, each) => sum + each.rows, 0);
  const earlier = rows(report.rejects) - rows(now);
  const lines = firstOf(now, LISTED, (r) => [r.source, r.code, n(r.rows), r.example], 'cause');
  return [
    ...(now.length > 0 ? [`rejects of this run: ${n(rows(now))}`, ...lines] : []),
    ...(earlier > 0 ? [`earlier rejects: ${n(earlier)} (${typed('rejects list')})`] : []),
  ];
}

/** What the audit found; a check that failed or was accepted, and what was recomputed, is never left out. */
function auditPart({ audit }: RunReport): string[] {
  const of = (...statuses: string[]): RunReport['audit'] =>
    audit.filter(({ status }) => statuses.includes(status));
  if (audit.length === 0) return [];
  const raised = of('fail', 'warning', 'accepted');
  const recomputed = of('pass').filter(isIndependent);
  return [
    `audit: ${auditWords(audit)}`,
    ...firstOf(
      [...raised, ...recomputed],
      Number.POSITIVE_INFINITY,
      (c) => [c.status, c.check, c.message],
      '',
    ),
  ];
}

function tablePart({ tables, state, publication }: RunReport): string[] {
  if (tables.length === 0) return [];
  const rows = (each: RunReport['tables'][number]): number => each.inserted + each.updated + each.deleted;
  const touched = tables.filter((each) => rows(each) > 0).sort((a, b) => rows(b) - rows(a));
  const title = state === 'refused' || state === 'held' ? 'not published' : `publication ${publication}`;
  return [
    `${title}: ${n(touched.length)} of ${n(tables.length)} tables changed`,
    ...firstOf(
      touched,
      LISTED,
      (t) => [
        t.table,
        plural(t.rows, 'row'),
        `${n(t.inserted)} inserted, ${n(t.updated)} updated, ${n(t.deleted)} deleted`,
      ],
      'table',
    ),
  ];
}

/** Notes of the run and of what it loaded that the run before did not have; the others are counted. */
function notePart(report: RunReport, before: RunReport | null): string[] {
  const notesOf = (of: RunReport | null): string[] => [
    ...(of?.notes ?? []),
    ...(of?.datasets ?? []).flatMap(({ dataset, notes }) => notes.map((note) => `${dataset}: ${note}`)),
  ];
  const notesBefore = new Set(notesOf(before));
  const all = [...new Set(notesOf(report))];
  const ofRun = new Set(report.notes);
  // Notes of the run itself come first and are never cut; notes about files may be cut.
  const news = all.filter((note) => !notesBefore.has(note));
  const runNotes = news.filter((note) => ofRun.has(note));
  const ofFiles = news.filter((note) => !ofRun.has(note));
  const lasting = report.notes.filter((note) => notesBefore.has(note));
  const old = all.length - news.length - lasting.length;
  return [
    ...runNotes,
    ...firstOf(ofFiles, NEW_NOTES, (note) => [note], 'note'),
    ...firstOf(lasting, LONGEST_STAGES, (note) => ['still', note], 'lasting note'),
    ...(old > 0 ? [`earlier notes: ${n(old)}`] : []),
  ];
}

function endPart(report: RunReport): string[] {
  const { state, error, set_aside } = report;
  if (state === 'refused')
    return [
      `The audit refused this publication. ${stillServed(report)}`,
      `Check the failures. If the changes are right: ${typed('publish --accept <check> --reason "…"')}. Look first: ${typed('diff --candidate')}`,
    ];
  if (state === 'held')
    return [
      `Held, not published. ${stillServed(report)}`,
      `Look: ${typed('diff --candidate')}. Then: ${typed('publish')} or ${typed('discard')}`,
    ];
  if (!error) return state === 'unchanged' ? ['Nothing changed; the publication stays the same.'] : [];
  const failed = firstOf(set_aside, LISTED, failedLine, 'partition');
  return [...failed, ...renderError(error.code, error.message), stillServed(report)];
}

/** Several short sentences on one line; a list with lines of its own stays as it is. */
const concatenate = (...parts: readonly (readonly string[])[]): string[] =>
  parts.every((part) => part.length <= 1) ? [parts.flat().join('; ')].filter(Boolean) : parts.flat();

/** Returns the short report of a refused run: what failed comes first, by table. */
function refusedRun(report: RunReport, before: RunReport | null, head: string): string[] {
  const failed = report.audit
    .filter(({ status }) => status === 'fail')
    .sort((a, b) => (a.table < b.table ? -1 : a.table > b.table ? 1 : 0));
  return [
    head,
    `${plural(failed.length, 'gate')} failed`,
    ...firstOf(failed, Number.POSITIVE_INFINITY, (c) => [c.check, c.message], ''),
    ...endPart(report),
    ...auditPart({ ...report, audit: report.audit.filter(({ status }) => status !== 'fail') }),
    ...tablePart(report),
    ...concatenate(datasetPart(report), stagePart(report)),
    ...concatenate(rejectPart(report, before), notePart(report, before)),
  ];
}

/**
 * The report of a run in short: what changed, what it cost, and all that needs somebody. `before`: the run before, whose notes and
 * rejects are counted instead of being said again. Failures and raised checks come first.
 */
export function renderRun(report: RunReport, before: RunReport | null): string {
  const { run_id, state, seconds, peak_memory_mb } = report;
  const head = `run ${run_id}: ${state}, ${s(seconds)}, peak memory ${n(peak_memory_mb)} MB`;
  const last = `Full report: ${typed(`report ${run_id} --verbose`)}`;
  if (state === 'refused') return [...refusedRun(report, before, head), last].join('\n');
  const isRaised = report.audit.some(({ status }) => ['fail', 'warning', 'accepted'].includes(status));
  return [
    head,
    ...(report.error ? endPart(report) : []),
    ...(isRaised ? auditPart(report) : []),
    ...concatenate(datasetPart(report), stagePart(report)),
    ...concatenate(rejectPart(report, before), notePart(report, before)),
    ...(isRaised ? [] : auditPart(report)),
    ...tablePart(report),
    ...(report.error ? [] : endPart(report)),
    last,
  ].join('\n');
}

/** The report of a run as it is asked for. */
export const renderRefresh =
  (isVerbose: boolean, before: RunReport | null) =>
  (report: RunReport): string =>
    isVerbose ? renderReport(report) : renderRun(report, before);
