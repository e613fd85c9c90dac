import type { RunReport } from '../pipelines/report/report.ts';
import { movedStates } from '../pipelines/views/candidate_diff.ts';
import type { KeyedChange } from '../pipelines/views/journal_view.ts';
import { n, plural } from './plural.ts';
import { changeLine, statesText } from './render_journal.ts';

/** Maximum changes in a summary. */
const SHOWN = 10;

const RESULTS: Readonly<Record<RunReport['state'], string>> = {
  published: 'published',
  unchanged: 'nothing changed',
  held: 'held, every gate passed',
  refused: 'held, because gates failed',
  failed: 'failed',
};

/** A text inside Markdown: no character formats it or ends a table cell. */
const plain = (text: string): string => text.replaceAll(/[\\`*_[\]<>|#]/g, '\\$&').replaceAll(/\s+/g, ' ');

const tableLines = ({ tables }: RunReport): string[] => {
  const changed = tables.filter(({ inserted, updated, deleted }) => inserted + updated + deleted > 0);
  if (changed.length === 0) return [];
  return [
    '| Table | Rows | Inserted | Updated | Deleted | By state |',
    '| --- | ---: | ---: | ---: | ---: | --- |',
    ...changed.map((table) => {
      const { rows, inserted, updated, deleted } = table;
      const counts = [rows, inserted, updated, deleted].map(n).join(' | ');
      return `| ${plain(table.table)} | ${counts} | ${plain(statesText(movedStates(table)))} |`;
    }),
    '',
  ];
};

/** What a run changes, as Markdown: result, failed gates, counts by table and state, and the first of `changes`. */
export function renderSummary(report: RunReport, changes: readonly KeyedChange[]): string {
  const { run_id, state, audit, error } = report;
  const failed = audit.filter(({ status }) => status === 'fail');
  const gate = ({ check, message }: (typeof audit)[number]): string =>
    `- **${plain(check)}**: ${plain(message)}`;
  return [
    `### Run ${run_id}: ${RESULTS[state]}`,
    '',
    ...(error === null ? [] : [`${plain(error.code)}: ${plain(error.message)}`, '']),
    ...(failed.length === 0 ? [] : [`${plural(failed.length, 'gate')} failed:`, '', ...failed.map(gate), '']),
    ...tableLines(report),
    ...(changes.length === 0
      ? []
      : [
          'Largest changes:',
          '',
          ...changes.slice(0, SHOWN).map((change) => `- ${plain(changeLine(change))}`),
          '',
        ]),
  ].join('\n');
}
