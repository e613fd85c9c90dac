import { loadedSources, type Source } from '../../pipelines/publish/catalogue.ts';
import { ADAPTERS } from '../../sources/index.ts';
import { columns } from '../render.ts';
import { type Flags, inspect } from './inspect.ts';

/** A dataset with its age as of today. */
export interface AgedSource extends Source {
  /** Days since the release date, or since it was loaded where the label states none. */
  age_days: number;
  /** Null: the publisher has no fixed rhythm. */
  is_late: boolean | null;
}

/** What `pipeline sources` prints. */
export interface SourcesReport {
  sources: AgedSource[];
  /** Datasets of the configuration that are not loaded. */
  not_loaded: string[];
  /** Names of the adapters that a dataset may name. */
  adapters: string[];
}

const DAY_MS = 86_400_000;

/** Adds ages, as of a day given as YYYY-MM-DD. */
export function aged(source: Source, today: string): AgedSource {
  const since = source.release_date ?? source.loaded_at.slice(0, 10);
  const age_days = Math.round((Date.parse(today) - Date.parse(since)) / DAY_MS);
  return {
    ...source,
    age_days,
    is_late: source.cadence_days === null ? null : age_days > source.cadence_days,
  };
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
export function renderSources({ sources, not_loaded, adapters }: SourcesReport): string {
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
  out.push(`adapters: ${adapters.join(', ')}`);
  return out.join('\n');
}

/** Prints each loaded dataset with release, rows, CRS, age against its cadence, coverage, licence and last load. */
export async function sourcesCommand(flags: Flags): Promise<void> {
  await inspect(
    flags,
    async (client, { config }): Promise<SourcesReport> => {
      const today = new Date().toISOString().slice(0, 10);
      const sources = (await loadedSources(client, config)).map((source) => aged(source, today));
      const loaded = new Set(sources.map(({ dataset }) => dataset));
      const not_loaded = Object.keys(config.datasets).filter((name) => !loaded.has(name));
      return { sources, not_loaded, adapters: ADAPTERS.map(({ name }) => name) };
    },
    renderSources,
  );
}
