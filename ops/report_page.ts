import type { RunDetail } from '../pipelines/inspect/run_detail.ts';
import type { RunReport } from '../pipelines/report/report.ts';
import { bars } from './charts.ts';
import { html, htmlTable, Markup, page } from './html.ts';
import { ratioStudies, suburbCoverage } from './report_detail.ts';

const NOTHING = new Markup('');
const rate = (rows: number, seconds: number): number => (seconds > 0 ? Math.round(rows / seconds) : 0);
const counts = (record: Record<string, number>): string =>
  Object.entries(record)
    .map(([name, n]) => `${name} ${n.toLocaleString('en-AU')}`)
    .join(', ');
/** Stages drawn in the chart: the longest. */
const CHARTED = 20;
const section = (title: string, body: Markup): Markup => html`<h2>${title}</h2>${body}`;

function failure(report: RunReport): Markup {
  const { error, set_aside } = report;
  if (error === null) return NOTHING;
  const aside = set_aside.map(({ stage, partition, attempts, code, message }) => [
    stage,
    partition,
    attempts,
    code,
    message,
  ]);
  return html`<h2 class="fail">${error.code}</h2><p>${error.message}</p>
<p class="note">What was published before is still served.</p>${
    aside.length > 0 ? htmlTable(['stage', 'partition', 'attempts', 'code', 'message'], aside) : NOTHING
  }`;
}

function datasets({ datasets: list }: RunReport): Markup {
  if (list.length === 0) return NOTHING;
  const rows = list.map((each) => {
    const rejected = each.accounts.reduce((sum, account) => sum + account.rejects, 0);
    const records = each.accounts.reduce((sum, account) => sum + account.records, 0);
    const rowsIn = each.accounts.reduce((sum, account) => sum + account.rows_in, 0);
    return [
      each.dataset,
      each.release,
      each.action,
      rowsIn,
      records,
      rejected,
      each.seconds,
      rate(each.rows, each.seconds),
    ];
  });
  const head = ['dataset', 'release', 'action', 'rows in', 'records', 'rejected', 'seconds', 'rows/s'];
  return section('Datasets', htmlTable(head, rows));
}

function stages({ stages: list }: RunReport): Markup {
  if (list.length === 0) return NOTHING;
  const rows = list.map((each) => [
    each.stage,
    each.partitions_run,
    each.partitions_unchanged,
    each.partitions_removed + (each.partitions_blocked ?? 0),
    each.account.in,
    each.account.out,
    each.account.rejects,
    counts(each.account.drops),
    counts(each.reasons),
    each.seconds,
    rate(each.rows_written, each.seconds),
  ]);
  const head = [
    'stage',
    'partitions run',
    'skipped',
    'removed or blocked',
    'rows in',
    'rows out',
    'rejected',
    'left out',
    'why they ran',
    'seconds',
    'rows/s',
  ];
  const ran = list.filter((each) => each.partitions_run > 0);
  const longest = [...ran].sort((x, y) => y.seconds - x.seconds).slice(0, CHARTED);
  const chart =
    ran.length === 0
      ? NOTHING
      : bars({
          title:
            longest.length < ran.length ? `Seconds of the ${CHARTED} longest stages` : 'Seconds by stage',
          names: longest.map((each) => each.stage),
          series: [{ name: 'seconds', values: longest.map((each) => Number(each.seconds.toFixed(2))) }],
        });
  return section('Stages', html`${chart}${htmlTable(head, rows)}`);
}

function rejects({ rejects: list }: RunReport): Markup {
  if (list.length === 0) return NOTHING;
  const rows = list.map((each) => [
    each.source,
    each.code,
    each.rows,
    (each.examples ?? [each.example]).map((example) => html`<div>${example}</div>`),
  ]);
  return section('Rejects', htmlTable(['source', 'code', 'rows', 'examples'], rows));
}

function audit({ audit: list }: RunReport): Markup {
  if (list.length === 0) return NOTHING;
  const table = (checks: RunReport['audit']): Markup =>
    htmlTable(
      ['status', 'check', 'finding'],
      checks.map((each) => [
        html`<span class="${each.status}">${each.status.replace('_', ' ')}</span>`,
        each.check,
        each.message,
      ]),
    );
  const rank = { fail: 0, accepted: 1, too_few: 2, pass: 3 };
  const raised = list
    .filter((each) => each.status !== 'pass')
    .sort((a, b) => rank[a.status] - rank[b.status]);
  const passed = list.filter((each) => each.status === 'pass');
  return section(
    'Gates',
    html`<p>${passed.length} pass, ${raised.length} do not.</p>${raised.length > 0 ? table(raised) : NOTHING}
<details><summary>Checks that pass</summary>${table(passed)}</details>`,
  );
}

function tables({ tables: list, state }: RunReport): Markup {
  if (list.length === 0) return NOTHING;
  const touched = (each: RunReport['tables'][number]): boolean =>
    each.inserted + each.updated + each.deleted > 0;
  const table = (some: RunReport['tables']): Markup =>
    htmlTable(
      ['table', 'rows', 'inserted', 'updated', 'deleted'],
      some.map((each) => [each.table, each.rows, each.inserted, each.updated, each.deleted]),
    );
  const same = list.filter((each) => !touched(each));
  const rest =
    same.length === 0
      ? NOTHING
      : html`<details><summary>${same.length} tables without a change</summary>${table(same)}</details>`;
  const title =
    state === 'refused' ? 'Changes that were not published' : 'Changes against the publication before';
  return section(title, html`${table(list.filter(touched))}${rest}`);
}

function coverage({ tables: list }: RunReport): Markup {
  const known = list.filter((each) => Object.keys(each.facts?.states ?? {}).length > 0);
  if (known.length === 0) return NOTHING;
  const states = [
    ...new Set(known.flatMap((each) => Object.keys({ ...each.states_before, ...each.facts.states }))),
  ].sort();
  const rows = known.map((each) => [
    each.table,
    ...states.map((state) => {
      const [is, was] = [each.facts.states[state] ?? 0, each.states_before?.[state] ?? 0];
      return was === is || was === 0 ? is : `${was.toLocaleString('en-AU')} → ${is.toLocaleString('en-AU')}`;
    }),
  ]);
  const main = known[0]!;
  const chart = bars({
    title: `Rows of ${main.table} by state`,
    names: states,
    series: [
      { name: 'before', values: states.map((state) => main.states_before?.[state] ?? 0) },
      { name: 'this run', values: states.map((state) => main.facts.states[state] ?? 0) },
    ].filter(({ name, values }) => name === 'this run' || values.some((rows) => rows > 0)),
  });
  return section('Coverage', html`${htmlTable(['table', ...states], rows)}${chart}`);
}

/**
 * The report of a run as one page without scripts, fonts, images or links to fetch. `detail`: what is known besides of the run that
 * made the last publication; null for others.
 */
export function reportPage(report: RunReport, detail: RunDetail | null = null): string {
  const { run_id, command, state, publication, seconds, peak_memory_mb, notes } = report;
  const title = `run ${run_id}: ${state}`;
  const facts = [
    command,
    publication === null ? 'nothing published' : `publication ${publication}`,
    `${seconds.toFixed(1)} s`,
    `peak memory ${peak_memory_mb.toLocaleString('en-AU')} MB`,
  ];
  return page(
    title,
    html`<h1>run ${run_id}: <span class="${state}">${state}</span></h1><p class="note">${facts.join(' · ')}</p>
${notes.map((note) => html`<p>${note}</p>`)}
${failure(report)}${tables(report)}${audit(report)}${coverage(report)}${detail ? [suburbCoverage(detail), ratioStudies(detail)] : NOTHING}${stages(report)}${datasets(report)}${rejects(report)}`,
  );
}
