import type { ValueHistory } from '../pipelines/explain/value_history.ts';
import type { RejectedRow } from '../pipelines/report/rejects.ts';
import type { BackfillPlan } from '../pipelines/run/backfill.ts';
import {
  type Diff,
  differing,
  type KeyedChange,
  type StateRows,
  type StreamEntry,
} from '../pipelines/views/journal_view.ts';
import type { RunLine } from '../pipelines/views/status.ts';
import type { Publication } from '../store/journal/journal.ts';
import { n, plural } from './plural.ts';
import { ALL, columns } from './render.ts';

type DiffTable = Diff['tables'][number];

const valueText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null);

/** Publications, newest first, for people. */
export function renderPublications(publications: readonly Publication[]): string {
  if (publications.length === 0) return 'nothing is published';
  return columns(
    publications.map((p, i) => [
      String(p.publication_id),
      p.published_at,
      p.kind,
      `run ${p.run_id}`,
      `${plural(
        p.tables.reduce((sum, t) => sum + t.inserted + t.updated + t.deleted, 0),
        'row',
      )} changed`,
      [
        i === 0 ? 'served' : p.readable ? 'readable' : 'out of reach',
        p.restores === null ? '' : `restores ${p.restores}`,
        p.held ? 'computed rows stay unpublished' : '',
        p.reason ?? '',
      ]
        .filter(Boolean)
        .join('; '),
    ]),
    '',
  );
}

/** One line on a change: its key, and each differing column with both sides. */
export function changeLine(change: KeyedChange): string {
  const key = change.key === null ? '(all rows)' : Object.values(change.key).map(valueText).join(' ');
  if (change.change !== 'update') return `${change.change} ${change.table} ${key}`;
  return `update ${change.table} ${key}: ${sidesText(differing(change), change)}`;
}

/** Lists columns with both sides. */
const sidesText = (names: readonly string[], { before, after }: Pick<KeyedChange, 'before' | 'after'>) =>
  names.map((name) => `${name} ${valueText(before?.[name])} → ${valueText(after?.[name])}`).join(', ');

/** One line on equal updates: `update property_risk: search_radius_m 1000 → 900 in all 66,547 rows`. */
const equalLine = ({ table, rows, updated }: DiffTable, equal: DiffTable['equal'][number]): string => {
  const where =
    equal.rows === rows ? `all ${n(rows)} rows` : `${n(equal.rows)} of ${n(updated)} updated rows`;
  return `update ${table}: ${sidesText(Object.keys(equal.after).sort(), equal)} in ${where}`;
};

function isEqualUpdate(tables: readonly DiffTable[], change: KeyedChange): boolean {
  if (change.change !== 'update') return false;
  const names = differing(change).sort();
  const text = sidesText(names, change);
  const equal = tables.find(({ table }) => table === change.table)?.equal ?? [];
  return equal.some((each) => sidesText(Object.keys(each.after).sort(), each) === text);
}

/** Names states with their rows before and after. */
export const statesText = (states: readonly StateRows[]): string =>
  states.map(({ state, before, after }) => `${state} ${n(before)} → ${n(after)}`).join(', ');

/** What differs between two publications, for people: tables without a difference are counted, or with `isVerbose` listed. */
export function renderDiff(
  { from, candidate_of_run: run, publication: p, tables, changes }: Diff,
  isVerbose = false,
): string {
  const what = p.kind === 'rollback' ? `rollback to ${p.restores}: ${p.reason}` : p.kind;
  const against = from === p.publication_id - 1 ? '' : `; against publication ${from}`;
  const listedTables = tables.filter((t) => isVerbose || t.base || t.inserted + t.updated + t.deleted > 0);
  const same = tables.length - listedTables.length;
  const lines = listedTables.map((t) => [
    t.table,
    plural(t.rows, 'row'),
    t.base
      ? "the table's first rows, not listed"
      : `${n(t.inserted)} inserted, ${n(t.updated)} updated, ${n(t.deleted)} deleted`,
    statesText(t.states ?? []),
  ]);
  return [
    run === undefined
      ? `publication ${p.publication_id} of ${p.published_at}, ${what}${against}`
      : `candidate of run ${run}, held since ${p.published_at}, against the served publication`,
    ...(lines.length > 0 ? [columns(lines)] : []),
    ...(same > 0 ? [`  ${plural(same, 'table')} unchanged. ${ALL}`] : []),
    ...tables.flatMap((each) => each.equal.map((equal) => `  ${equalLine(each, equal)}`)),
    ...changes
      .filter((change) => isVerbose || !isEqualUpdate(tables, change))
      .map((change) => `  ${changeLine(change)}`),
  ].join('\n');
}

/** One entry of the change stream, for people. */
export function renderStreamEntry(entry: StreamEntry): string {
  if (entry.event === 'begin')
    return `publication ${entry.publication} of ${entry.published_at}, ${entry.kind}`;
  return entry.event === 'end' ? `end of publication ${entry.publication}` : `  ${changeLine(entry)}`;
}

/** Runs, newest first, for people. */
export function renderRuns(runs: readonly RunLine[]): string {
  if (runs.length === 0) return 'no runs';
  return columns(
    runs.map((run) => [
      String(run.run_id),
      run.command,
      run.state,
      run.started_at,
      run.seconds === null ? '' : `${run.seconds.toFixed(1)} s`,
      run.publication === null ? '' : `publication ${run.publication}`,
      run.error ?? '',
    ]),
    '',
  );
}

export const renderRejects = (rejects: readonly RejectedRow[]): string =>
  rejects.length === 0
    ? 'no rejects'
    : columns(
        rejects.map((r) => [
          r.failed ? `${r.source} (refused)` : r.source,
          r.code,
          `${r.file}:${r.at}`,
          r.message,
        ]),
        '',
      );

/** What a backfill would compute again, for people. */
export const renderBackfillPlan = (plan: BackfillPlan): string =>
  columns(
    plan.map(({ stage, cells }) => [stage, plural(cells.length, 'partition')]),
    '',
  );

/** Since when and why a value is what it is, for people. */
export function renderHistory(history: ValueHistory): string {
  const { gnaf_pid, table, field, as_of, values, sources, changes, known_from, computed } = history;
  const out = [`${gnaf_pid} ${table}.${field} as of publication ${as_of}`];
  const entries = Object.entries(values);
  if (entries.length === 0) out.push('  no row');
  for (const [key, value] of entries) out.push(`  ${key === gnaf_pid ? '' : `${key}  `}${valueText(value)}`);
  for (const { what, key, dataset, release, place } of sources)
    out.push(`read from ${what} ${key}: ${place}, ${dataset}, release ${release}`);
  for (const change of changes) {
    const sides =
      change.change === 'base'
        ? `${valueText(change.after)}, with the table's first rows`
        : `${valueText(change.before)} → ${valueText(change.after)} (${change.change})`;
    const key = change.key === gnaf_pid ? '' : ` ${change.key}`;
    out.push(`since publication ${change.publication_id} of ${change.published_at}${key}: ${sides}`);
    if (change.releases.length > 0) out.push(`  recomputed from: ${change.releases.join(', ')}`);
    if (change.because.length > 0) out.push(`  why its stage ran: ${change.because.join('; ')}`);
  }
  if (known_from !== null) out.push(`changes up to publication ${known_from} are no longer kept`);
  if (computed) {
    out.push(
      `computed last by ${computed.stage} version ${computed.version} in run ${computed.run_id} of ${computed.computed_at}: ${computed.reason}`,
    );
  }
  return out.join('\n');
}
