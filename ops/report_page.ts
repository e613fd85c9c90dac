import { compares, gateKind } from '../pipelines/publish/gate_texts.ts';
import { auditWords, type DatasetReport, type RunReport, stillServed } from '../pipelines/report/report.ts';
import type { RunDetail } from '../pipelines/views/run_detail.ts';
import type { RunLine } from '../pipelines/views/status.ts';
import { DROPS } from '../schema/error_codes/drops.ts';
import { bars } from './charts.ts';
import {
  columnTable,
  facts,
  type HtmlColumn,
  html,
  htmlTable,
  longColumnTable,
  longTable,
  Markup,
  moment,
  NO_MARKUP,
  section,
} from './html.ts';
import { type Page, render } from './page.ts';
import { ratioStudies, suburbCoverage } from './report_detail.ts';
import { timelineCharts } from './runs/timeline_chart.ts';

const rate = (rows: number, seconds: number): number => (seconds > 0 ? Math.round(rows / seconds) : 0);
const counts = (record: Record<string, number>): string =>
  Object.entries(record)
    .map(([name, n]) => `${name} ${n.toLocaleString('en-AU')}`)
    .join(', ');
/** Rows of a long table shown at first: those that need attention, then the largest. */
const OPEN = 8;
const idOf = (title: string): string => title.toLowerCase().replaceAll(/[^a-z]+/g, '-');
const titled = (title: string, body: Markup): Markup => section(idOf(title), title, body);

function failure(report: RunReport): Markup {
  const { error, set_aside } = report;
  if (error === null) return NO_MARKUP;
  return html`<h2 id="failure" class="fail">${error.code}</h2><p>${error.message}</p>
<p class="note">${stillServed(report)}</p>${
    set_aside.length > 0
      ? columnTable(set_aside, ['stage', 'partition', 'attempts', 'code', 'message'])
      : NO_MARKUP
  }`;
}

const sumOf = ({ accounts }: DatasetReport, count: 'rows_in' | 'records' | 'rejects'): number =>
  accounts.reduce((sum, account) => sum + account[count], 0);

function datasets({ datasets: list }: RunReport): Markup {
  if (list.length === 0) return NO_MARKUP;
  const urgent = [...list].sort(
    (a, b) =>
      Number(b.action === 'kept') - Number(a.action === 'kept') ||
      sumOf(b, 'rejects') - sumOf(a, 'rejects') ||
      b.seconds - a.seconds,
  );
  const columns: HtmlColumn<DatasetReport>[] = [
    'dataset',
    'release',
    'action',
    ['rows in', (each) => sumOf(each, 'rows_in')],
    ['records', (each) => sumOf(each, 'records')],
    ['rejected', (each) => sumOf(each, 'rejects')],
    'seconds',
    ['rows/s', (each) => rate(each.rows, each.seconds)],
  ];
  return titled('Datasets', longColumnTable(urgent, columns, OPEN, 'datasets'));
}

const isDrop = (name: string): name is keyof typeof DROPS => Object.hasOwn(DROPS, name);

const reasonLines = (reasons: Record<string, number>): Markup[] =>
  Object.entries(reasons).map(
    ([why, n]) => html`<div class="line">${why} ${n.toLocaleString('en-AU')}</div>`,
  );

function stages({ stages: list }: RunReport): Markup {
  if (list.length === 0) return NO_MARKUP;
  const urgent = [...list].sort((a, b) => b.account.rejects - a.account.rejects || b.seconds - a.seconds);
  const columns: HtmlColumn<RunReport['stages'][number]>[] = [
    'stage',
    ['partitions run', (each) => each.partitions_run],
    ['skipped', (each) => each.partitions_unchanged],
    ['removed', (each) => each.partitions_removed],
    ['rows in', ({ account }) => account.in],
    ['rows out', ({ account }) => account.out],
    ['rejected', ({ account }) => account.rejects],
    ['left out', ({ account }) => counts(account.drops)],
    ['why they ran', ({ reasons }) => reasonLines(reasons)],
    'seconds',
    ['rows/s', (each) => rate(each.rows_written, each.seconds)],
  ];
  const drops = [...new Set(list.flatMap(({ account }) => Object.keys(account.drops)))].filter(isDrop).sort();
  const meanings =
    drops.length === 0
      ? NO_MARKUP
      : html`<details><summary>Why rows are left out</summary>${htmlTable(
          ['left out', 'what it means'],
          drops.map((name) => [name, DROPS[name].join(' ').trim()]),
        )}</details>`;
  return titled('Stages', html`${longColumnTable(urgent, columns, OPEN, 'stages')}${meanings}`);
}

/** Maximum examples of a cause: the first of each source, largest sources first. */
const EXAMPLES = 3;
/** Causes shown at first. */
const CAUSES = 5;

function rejects({ rejects: list }: RunReport): Markup {
  if (list.length === 0) return NO_MARKUP;
  const codes = [...new Set(list.map(({ code }) => code))];
  const causes = codes.map((code) => {
    const of = list.filter((each) => each.code === code).sort((a, b) => b.rows - a.rows);
    const examples = of.flatMap((each) => (each.examples ?? [each.example]).map((text, i) => ({ text, i })));
    return {
      code,
      rows: of.reduce((sum, each) => sum + each.rows, 0),
      sources: of.map((each) => `${each.source} ${each.rows.toLocaleString('en-AU')}`).join(', '),
      examples: examples.sort((a, b) => a.i - b.i).slice(0, EXAMPLES),
    };
  });
  const table = longColumnTable(
    causes.sort((a, b) => b.rows - a.rows),
    [
      ['cause', ({ code }) => code],
      'rows',
      'sources',
      ['examples', ({ examples }) => examples.map(({ text }) => html`<div>${text}</div>`)],
    ],
    CAUSES,
    'causes',
  );
  return titled('Rejects', table);
}

const checkTable = (checks: RunReport['audit']): Markup =>
  columnTable(checks, [
    ['status', ({ status }) => html`<span class="${status}">${status.replace('_', ' ')}</span>`],
    'check',
    ['finding', ({ message }) => message],
  ]);

/** Lists checks by kind, each kind with what it compares. */
function byKind(checks: RunReport['audit']): Markup[] {
  return [...new Set(checks.map(({ check }) => gateKind(check)))].map((kind) => {
    const of = checks.filter(({ check }) => gateKind(check) === kind);
    return html`<h3>${kind}</h3>${compares(kind) === '' ? NO_MARKUP : html`<p class="note">Compares ${compares(kind)}.</p>`}${checkTable(of)}`;
  });
}

function audit({ audit: list }: RunReport): Markup {
  if (list.length === 0) return NO_MARKUP;
  const rank = { fail: 0, warning: 1, accepted: 2, too_few: 3, nothing: 4, pass: 5 };
  const raised = list
    .filter((each) => each.status !== 'pass')
    .sort((a, b) => rank[a.status] - rank[b.status]);
  const passed = list.filter((each) => each.status === 'pass');
  return titled(
    'Gates',
    html`<p>${auditWords(list)}.</p>${byKind(raised)}
<details><summary>Checks that passed</summary>${byKind(passed)}</details>`,
  );
}

function timeline({ timeline: known, stages: list, seconds }: RunReport): Markup {
  if (!known || known.pieces.length === 0) return NO_MARKUP;
  return titled('Timeline', timelineCharts(known, list, seconds));
}

function tables({ tables: list, state }: RunReport): Markup {
  if (list.length === 0) return NO_MARKUP;
  const touched = (each: RunReport['tables'][number]): number => each.inserted + each.updated + each.deleted;
  const table = (some: RunReport['tables']): Markup =>
    longColumnTable(some, ['table', 'rows', 'inserted', 'updated', 'deleted'], OPEN, 'tables with changes');
  const same = list.filter((each) => touched(each) === 0);
  const unchangedTables =
    same.length === 0
      ? NO_MARKUP
      : html`<details><summary>${same.length} tables without a change</summary>${table(same)}</details>`;
  const title =
    state === 'refused' || state === 'held'
      ? 'Changes that were not published'
      : 'Changes against the publication before';
  return titled(
    title,
    html`${table(list.filter((each) => touched(each) > 0).sort((a, b) => touched(b) - touched(a)))}${unchangedTables}`,
  );
}

function coverage({ tables: list }: RunReport): Markup {
  const countedTables = list.filter((each) => Object.keys(each.facts?.states ?? {}).length > 0);
  if (countedTables.length === 0) return NO_MARKUP;
  const states = [
    ...new Set(countedTables.flatMap((each) => Object.keys({ ...each.states_before, ...each.facts.states }))),
  ].sort();
  const fell = (each: RunReport['tables'][number]): boolean =>
    states.some((state) => (each.facts.states[state] ?? 0) < (each.states_before?.[state] ?? 0));
  const urgent = [...countedTables].sort((a, b) => Number(fell(b)) - Number(fell(a)));
  const rows = urgent.map((each) => [
    each.table,
    ...states.map((state) => {
      const [is, was] = [each.facts.states[state] ?? 0, each.states_before?.[state] ?? 0];
      return was === is || was === 0 ? is : `${was.toLocaleString('en-AU')} → ${is.toLocaleString('en-AU')}`;
    }),
  ]);
  const main = countedTables.find(({ table }) => table === 'property') ?? countedTables[0]!;
  const chart = bars({
    title: `Rows of ${main.table} by state`,
    names: states,
    series: [
      { name: 'before', values: states.map((state) => main.states_before?.[state] ?? 0) },
      { name: 'this run', values: states.map((state) => main.facts.states[state] ?? 0) },
    ].filter(({ name, values }) => name === 'this run' || values.some((rows) => rows > 0)),
  });
  return titled('Coverage', html`${longTable(['table', ...states], rows, OPEN, 'tables')}${chart}`);
}

const SEVERE = ['failed', 'refused', 'interrupted'];

/** How far an interrupted run got by its last report. */
function reachedText({ timeline }: RunReport): string {
  const spans = timeline?.pieces ?? [];
  if (spans.length === 0) return 'not known: it ended before it reported anything';
  const last = Math.max(...spans.map(({ from_s, to_s }) => to_s ?? from_s));
  const open = spans.filter(({ isPhase, to_s }) => !isPhase && to_s === null).map(({ name }) => name);
  return `${last.toFixed(1)} s until its last report${open.length > 0 ? `, during ${open.join(', ')}` : ''}`;
}

/** Lists the settings that differ from the defaults. */
function settings({ made_by }: RunReport): Markup {
  if (!made_by) return NO_MARKUP;
  const rows = Object.entries(made_by.settings).map(([key, value]) => [html`<code>${key}</code>`, value]);
  return titled(
    'Configuration',
    html`<p class="note">Settings that are not the defaults; those that may hold a secret are left out.</p>${longTable(['setting', 'value'], rows, OPEN, 'settings')}`,
  );
}

/** Problems come first. */
const bodyOf = (report: RunReport, detail: RunDetail | null): Markup[] => {
  const sections = [
    failure(report),
    audit(report),
    tables(report),
    rejects(report),
    coverage(report),
    ...(detail ? [suburbCoverage(detail), ratioStudies(detail)] : []),
    timeline(report),
    stages(report),
    datasets(report),
    settings(report),
  ];
  return sections.filter((each) => each !== NO_MARKUP);
};

/** Lists links to the sections of a page, from their titles. */
function contents(sections: readonly Markup[]): Markup {
  const titles = sections.flatMap(({ text }) =>
    [...text.matchAll(/<h2 id="([^"]+)"[^>]*>([^<]*)<\/h2>/g)].map(([, id, title]) => [
      id,
      new Markup(title!),
    ]),
  );
  if (titles.length < 2) return NO_MARKUP;
  return html`<nav aria-label="Contents"><ul class="contents">${titles.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>`;
}

/**
 * Renders the page of a run. `detail`: more about the run of the last publication; null for other runs. `line`: its start and end in the
 * control tables. `first`: what stands before its facts.
 */
export function reportOf(
  report: RunReport,
  detail: RunDetail | null,
  line: RunLine | null,
  first: Markup = NO_MARKUP,
): Page {
  const { run_id, made_by, command, state, publication, seconds, peak_memory_mb, notes } = report;
  const shownState = SEVERE.includes(line?.state ?? state) ? (line?.state ?? state) : state;
  const keptDatasets = report.datasets.filter(({ action }) => action === 'kept');
  const mood = keptDatasets.length > 0 && !SEVERE.includes(shownState) ? 'warn' : shownState;
  const megabytes = (size: number): string => `${size.toLocaleString('en-AU')} MB`;
  const aboutRun = facts([
    ['command', command],
    ['started', line && moment(line.started_at)],
    ['took', shownState === 'interrupted' ? reachedText(report) : `${seconds.toFixed(1)} s`],
    ['published', publication === null ? 'nothing' : `publication ${publication}`],
    ['database', report.database_mb === undefined ? null : megabytes(report.database_mb)],
    ['peak memory', peak_memory_mb > 0 ? megabytes(peak_memory_mb) : null],
    ['program', made_by ? `${made_by.version}, Node ${made_by.node}` : null],
  ]);
  const sections = bodyOf(report, detail);
  return {
    title: `run ${run_id}: ${shownState}`,
    body: html`<h1>run ${run_id}: <span class="${mood}">${shownState}</span></h1>${first}
${keptDatasets.map(({ dataset, reason }) => html`<p class="warn">Dataset ${dataset} could not be read, so its previous load is still served: ${reason ?? ''}</p>`)}
${aboutRun}
${notes.map((note) => html`<p>${note}</p>`)}${contents(sections)}${sections}`,
  };
}

/** Renders the report as a standalone file, without scripts, fonts, images or links to load. */
export const reportPage = (
  report: RunReport,
  detail: RunDetail | null = null,
  line: RunLine | null = null,
): string => render(reportOf(report, detail, line));
