import { type AgedSource, type NotLoaded, readDatasets } from '../../pipelines/inspect/dataset_view.ts';
import { ADAPTERS } from '../../sources/index.ts';
import { columns } from '../render.ts';
import { type Flags, inspect } from './inspect.ts';

/** What `pipeline sources` prints. */
export interface SourcesReport {
  sources: AgedSource[];
  /** Datasets of the configuration that are not loaded. */
  not_loaded: string[];
  /** Those of them at which a run failed, with the last such run. */
  failed: NotLoaded[];
  /** Names of the adapters that a dataset may name. */
  adapters: string[];
}

const n = (value: number): string => value.toLocaleString('en-AU');

function ageText({ age_days, is_late, cadence, cadence_days }: AgedSource): string {
  if (is_late === null) return `${n(age_days)} days old, ${cadence}`;
  return `${n(age_days)} days old, ${is_late ? 'LATE' : 'in time'} (${cadence}, at most ${n(cadence_days!)})`;
}

/** Themes with the states, or numbers of councils, where they are covered. */
function coverageText({ coverage, parts }: AgedSource): string {
  if (coverage.length === 0)
    return `parts ${parts.slice(0, 12).join(', ')}${parts.length > 12 ? ` and ${parts.length - 12} more` : ''}`;
  return coverage
    .map(
      ({ theme, state, areas }) =>
        `${theme} ${state}${areas.includes('*') ? '' : ` (${areas.length} councils)`}`,
    )
    .join(', ');
}

/** What is not loaded, with the errors of what failed. */
const missing = ({ not_loaded, failed }: SourcesReport): string[] => [
  ...(not_loaded.length > 0 ? [`not loaded: ${not_loaded.join(', ')}`] : []),
  ...failed.map(
    (each) =>
      `  ${each.dataset} failed in run ${each.failed!.run_id}, ${each.failed!.at}: ${each.failed!.error}`,
  ),
];

/** Datasets of the short form: a screen of them. */
const LISTED = 15;

/** A line for each dataset, late ones and those with rejects first; no more than a screen. */
export function renderSourcesBriefly(report: SourcesReport): string {
  const { sources } = report;
  const rank = ({ is_late, rejects }: AgedSource): number => (is_late ? 0 : rejects > 0 ? 1 : 2);
  const shown = [...sources].sort((a, b) => rank(a) - rank(b)).slice(0, LISTED);
  const lines = shown.map(({ dataset, release, age_days, is_late, records, rejects }) => [
    dataset,
    release,
    `${n(age_days)} days${is_late ? ', LATE' : ''}`,
    `${n(records)} records`,
    rejects > 0 ? `${n(rejects)} rejected` : '',
  ]);
  const late = sources.filter(({ is_late }) => is_late).length;
  const more = sources.length - shown.length;
  return [
    sources.length === 0
      ? 'no dataset is loaded'
      : `${n(sources.length)} datasets are loaded, ${n(late)} of them late`,
    ...(lines.length > 0 ? [columns(lines, '  ')] : []),
    ...(more > 0 ? [`  … and ${n(more)} more`] : []),
    ...missing(report),
    'All of it: --verbose',
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
            `${n(source.records)} records, ${n(source.rejects)} rejected, ${n(source.left_out)} left out`,
          ],
          ['CRS', source.crs || 'none'],
          ['coverage', coverageText(source)],
          ['licence', source.licence],
          ['attribution', source.attribution],
          ['loaded', source.loaded_at],
        ],
        '  ',
      ),
    );
  }
  out.push(...missing(report), `adapters: ${adapters.join(', ')}`);
  return out.join('\n');
}

/** Prints each loaded dataset with release, rows, CRS, age against its cadence, coverage, licence and last load. */
export async function sourcesCommand(flags: Flags): Promise<void> {
  await inspect(
    flags,
    async (client, { config }): Promise<SourcesReport> => {
      const { datasets: sources, not_loaded } = await readDatasets(client, config);
      return {
        sources,
        not_loaded: not_loaded.map(({ dataset }) => dataset),
        failed: not_loaded.filter(({ failed }) => failed !== null),
        adapters: ADAPTERS.map(({ name }) => name),
      };
    },
    flags.verbose ? renderSources : renderSourcesBriefly,
  );
}
