import { timeText } from '../contract/answers/time_text.ts';
import type { AgedSource, NotLoaded } from '../pipelines/views/dataset_view.ts';
import { plural } from './plural.ts';
import { columns } from './render.ts';

/** What `pipeline status --datasets` prints. */
export interface SourcesReport {
  sources: AgedSource[];
  /** Datasets of the configuration that are not loaded. */
  not_loaded: string[];
  /** Datasets that failed, with the last run that failed on them. */
  failed: NotLoaded[];
  /** Names of the adapters that a dataset may name. */
  adapters: string[];
}

const n = (value: number): string => value.toLocaleString('en-AU');

function ageText({ age_days, release_date, is_late, cadence, cadence_days }: AgedSource): string {
  const days = plural(age_days, 'day');
  const age = release_date === null ? `age unknown, loaded ${days} ago` : `${days} old`;
  if (is_late === null) return `${age}, ${cadence}`;
  const lateness = is_late ? ', LATE' : release_date === null ? '' : ', in time';
  return `${age}${lateness} (${cadence}, at most ${n(cadence_days!)})`;
}

/** Themes with the states, or numbers of councils, where they are covered. */
function coverageText({ coverage, parts }: AgedSource): string {
  if (coverage.length === 0)
    return `parts ${parts.slice(0, 12).join(', ')}${parts.length > 12 ? ` and ${parts.length - 12} more` : ''}`;
  return coverage
    .map(
      ({ theme, state, areas }) =>
        `${theme} ${state}${areas.includes('*') ? '' : ` (${plural(areas.length, 'council')})`}`,
    )
    .join(', ');
}

/** What is not loaded, with the errors of what failed. */
const missing = ({ not_loaded, failed }: SourcesReport): string[] => [
  ...(not_loaded.length > 0 ? [`not loaded: ${not_loaded.join(', ')}`] : []),
  ...failed.map(
    (each) =>
      `  ${each.dataset} failed in run ${each.failed!.run_id}, ${timeText(each.failed!.at)}: ${each.failed!.error}`,
  ),
];

/** Datasets of the short form: a screen of them. */
const LISTED = 15;

/** A line for each dataset, late ones and those with rejects first; no more than a screen. */
export function renderSourcesBriefly(report: SourcesReport): string {
  const { sources } = report;
  const rank = ({ is_late, rejects }: AgedSource): number => (is_late ? 0 : rejects > 0 ? 1 : 2);
  const shownSources = [...sources].sort((a, b) => rank(a) - rank(b)).slice(0, LISTED);
  const lines = shownSources.map(
    ({ dataset, release, age_days, release_date, is_late, records, rejects }) => [
      dataset,
      release,
      `${release_date === null ? 'age unknown' : plural(age_days, 'day')}${is_late ? ', LATE' : ''}`,
      plural(records, 'record'),
      rejects > 0 ? `${n(rejects)} rejected` : '',
    ],
  );
  const lateCount = sources.filter(({ is_late }) => is_late).length;
  const hidden = sources.length - shownSources.length;
  return [
    sources.length === 0
      ? 'no dataset is loaded'
      : `${plural(sources.length, 'dataset')} loaded, ${n(lateCount)} late`,
    ...(lines.length > 0 ? [columns(lines, '  ')] : []),
    ...(hidden > 0 ? [`  … and ${n(hidden)} more`] : []),
    ...missing(report),
    'Everything: --verbose',
  ].join('\n');
}

/** The datasets, for people. */
export function renderSources(report: SourcesReport): string {
  const { sources, adapters } = report;
  const out = sources.length === 0 ? ['no dataset is loaded'] : [];
  for (const source of sources) {
    out.push(
      `${source.dataset}: ${source.title}, ${source.publisher}`,
      columns(
        [
          ['release', `${source.release}, ${ageText(source)}`],
          [
            'rows',
            `${plural(source.records, 'record')}, ${n(source.rejects)} rejected, ${n(source.left_out)} left out`,
          ],
          ['CRS', source.crs || 'none'],
          ['coverage', coverageText(source)],
          ['licence', source.licence],
          ['attribution', source.attribution],
          ['loaded', timeText(source.loaded_at)],
        ],
        '  ',
      ),
    );
  }
  out.push(...missing(report), `adapters: ${adapters.join(', ')}`);
  return out.join('\n');
}
