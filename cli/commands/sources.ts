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

/** The datasets, for people. */
export function renderSources({ sources, not_loaded, failed, adapters }: SourcesReport): string {
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
  if (not_loaded.length > 0) out.push(`not loaded: ${not_loaded.join(', ')}`);
  for (const each of failed)
    out.push(
      `  ${each.dataset} failed in run ${each.failed!.run_id}, ${each.failed!.at}: ${each.failed!.error}`,
    );
  out.push(`adapters: ${adapters.join(', ')}`);
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
    renderSources,
  );
}
