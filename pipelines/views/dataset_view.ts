import type pg from 'pg';
import type { Config } from '../../schema/config.ts';
import { EtlError } from '../../schema/errors.ts';
import type { MatchStatus } from '../../transforms/address/match/match_result.ts';
import { type CatalogueEntry, loadedSources } from '../publish/catalogue.ts';
import { listRejects, type RejectedRow } from '../report/rejects.ts';

/** A dataset with its age as of today. */
export interface AgedSource extends CatalogueEntry {
  /** Days since the release date, or since loading if the label has no date. */
  age_days: number;
  /** Whether a newer release is overdue; null: the publisher has no fixed release cycle. */
  is_late: boolean | null;
}

const DAY_MS = 86_400_000;

/** Adds ages as of a day given as YYYY-MM-DD. */
export function aged(source: CatalogueEntry, today: string): AgedSource {
  const since = source.release_date ?? source.loaded_at.slice(0, 10);
  const age_days = Math.round((Date.parse(today) - Date.parse(since)) / DAY_MS);
  return {
    ...source,
    age_days,
    is_late: source.cadence_days === null ? null : age_days > source.cadence_days,
  };
}

interface DatasetRun {
  run_id: number;
  /** UTC, ISO 8601. */
  started_at: string;
  release: string;
  action: 'loaded' | 'kept' | 'removed';
  reason: string;
  /** Records of all its parts after the run. */
  records: number;
  rejects: number;
  seconds: number;
}

/** A loaded dataset, with the reason why the last run could not read a newer delivery; null: none. */
export interface DatasetLine extends AgedSource {
  error: string | null;
  /** Whether its configuration has a download address. */
  is_fetchable: boolean;
}

/** A configured dataset that is not loaded. */
export interface NotLoaded {
  dataset: string;
  /** Last run that failed on it, with code and message; null: no run failed on it yet. */
  failed: { run_id: number; at: string; error: string } | null;
}

/** Maximum runs searched for the history of a dataset. */
const RUNS = 200;

const KEPT = `SELECT d->>'dataset' AS dataset, d->>'reason' AS reason
  FROM jsonb_array_elements((SELECT report->'datasets' FROM control.run
    WHERE state NOT IN ('running', 'failed') AND command NOT IN ('rollback', 'publish') ORDER BY run_id DESC LIMIT 1)) d
  WHERE d->>'action' = 'kept'`;

const HISTORY = `SELECT r.run_id, to_char(r.started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS started_at,
    d->>'release' AS release, d->>'action' AS action, d->>'reason' AS reason, (d->>'seconds')::float8 AS seconds,
    (SELECT COALESCE(sum((a->>'records')::float8) FILTER (WHERE a->>'table' IS NOT NULL), 0) FROM jsonb_array_elements(d->'accounts') a) AS records,
    (SELECT COALESCE(sum((a->>'rejects')::float8), 0) FROM jsonb_array_elements(d->'accounts') a) AS rejects
  FROM (SELECT * FROM control.run WHERE report ? 'datasets' ORDER BY run_id DESC LIMIT ${RUNS}) r,
    jsonb_array_elements(r.report->'datasets') d
  WHERE d->>'dataset' = $1 AND d->>'action' <> 'unchanged' ORDER BY r.run_id DESC`;

const FAILED = `SELECT DISTINCT ON (1) report #>> '{error,details,dataset}' AS dataset, run_id,
    to_char(COALESCE(finished_at, started_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS at,
    (report #>> '{error,code}') || ': ' || (report #>> '{error,message}') AS error
  FROM control.run WHERE state = 'failed' AND report #>> '{error,details,dataset}' = ANY ($1) ORDER BY 1, run_id DESC`;

/** Returns the configured datasets that are not loaded, failed ones first. */
async function notLoaded(
  client: pg.ClientBase,
  config: Config,
  loaded: ReadonlySet<string>,
): Promise<NotLoaded[]> {
  const names = Object.keys(config.datasets).filter((name) => !loaded.has(name));
  if (names.length === 0) return [];
  const { rows } = await client.query<{ dataset: string; run_id: number; at: string; error: string }>(
    FAILED,
    [names],
  );
  const failures = new Map(rows.map(({ dataset, ...failed }) => [dataset, failed]));
  const all = names.map((dataset) => ({ dataset, failed: failures.get(dataset) ?? null }));
  return [...all.filter(({ failed }) => failed !== null), ...all.filter(({ failed }) => failed === null)];
}

/** Reads the loaded datasets by name, and the configured ones that are not loaded. */
export async function readDatasets(
  client: pg.ClientBase,
  config: Config,
): Promise<{ datasets: DatasetLine[]; not_loaded: NotLoaded[] }> {
  const today = new Date().toISOString().slice(0, 10);
  const keptRows = await client.query<{ dataset: string; reason: string }>(KEPT);
  const errors = new Map(keptRows.rows.map(({ dataset, reason }) => [dataset, reason]));
  const datasets = (await loadedSources(client, config)).map((source) => ({
    ...aged(source, today),
    error: errors.get(source.dataset) ?? null,
    is_fetchable: config.datasets[source.dataset]?.fetch !== undefined,
  }));
  const loaded = new Set(datasets.map(({ dataset }) => dataset));
  return { datasets, not_loaded: await notLoaded(client, config, loaded) };
}

/** Everything known about one dataset. */
export interface DatasetView extends DatasetLine {
  notes: string[];
  /** Files of the active loads, without folders. */
  files: string[];
  rejected: RejectedRow[];
  /** Market events by the result of their match, most frequent first. Empty: the dataset has none. */
  matches: { status: MatchStatus; events: number }[];
  runs: DatasetRun[];
}

const MATCHES = `SELECT status, count(*)::float8 AS events FROM asset.event_match WHERE starts_with(event_key, $1 || '|')
  GROUP BY status ORDER BY 2 DESC, 1`;

const REJECTED = 100;

/** Reads a dataset. @throws EtlError config_invalid if no dataset with this name is loaded */
export async function readDataset(client: pg.ClientBase, config: Config, name: string): Promise<DatasetView> {
  const line = (await readDatasets(client, config)).datasets.find(({ dataset }) => dataset === name);
  if (line === undefined) throw new EtlError('config_invalid', `No dataset ${name} is loaded.`);
  const lastReport = await client.query<{ notes: string[]; files: string[] }>(
    `SELECT COALESCE((SELECT array_agg(DISTINCT note ORDER BY note) FROM control.load l, jsonb_array_elements_text(l.notes) note
       WHERE l.dataset = $1 AND l.state = 'active'), '{}') AS notes,
     COALESCE((SELECT array_agg(DISTINCT file ORDER BY file) FROM control.load l, jsonb_array_elements(l.files) f,
       regexp_replace(f->>'path', '^.*/', '') file WHERE l.dataset = $1 AND l.state = 'active'), '{}') AS files`,
    [name],
  );
  const matches = await client.query<DatasetView['matches'][number]>(MATCHES, [name]);
  const runs = await client.query<DatasetRun>(HISTORY, [name]);
  const rejected = await listRejects(client, { dataset: name, code: null, limit: REJECTED });
  return { ...line, ...lastReport.rows[0]!, rejected, matches: matches.rows, runs: runs.rows };
}
