import { createHash } from 'node:crypto';
import { appendFile } from 'node:fs/promises';
import type { Config } from '../../schema/config.ts';
import type { Table } from '../../schema/table.ts';
import { maskUrl } from '../../store/system/mask_url.ts';
import { tablesRead } from '../engine/reads.ts';
import type { Stage } from '../engine/stage.ts';
import { graph } from '../graph.ts';
import type { RunReport, StageReport } from './report.ts';
import type { OnRunEvent, RunEvent } from './run_event.ts';

const PRODUCER = 'property-data-pipeline';
const SCHEMA_URL = 'https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent';
const FACETS = 'https://openlineage.io/spec/facets';
/** How long a receiver may take for one event. */
const TIMEOUT_MS = 5000;

type Json = Record<string, unknown>;
type EventType = 'START' | 'COMPLETE' | 'FAIL' | 'ABORT';

/** One event of the OpenLineage specification. */
export interface LineageEvent {
  eventType: EventType;
  eventTime: string;
  producer: string;
  schemaURL: string;
  run: { runId: string; facets: Json };
  job: { namespace: string; name: string; facets: Json };
  inputs: Json[];
  outputs: Json[];
}

/** A UUID (version 8) that is the same for the same names. */
export function stableUuid(...names: readonly string[]): string {
  const hex = createHash('sha256').update(names.join('\n')).digest('hex');
  const variant = ((Number.parseInt(hex[16]!, 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const facet = (name: string, version: string, content: Json): Json => ({
  _producer: PRODUCER,
  _schemaURL: `${FACETS}/${version}/${name}.json`,
  ...content,
});

/** Namespace and database of a PostgreSQL URL as OpenLineage names them; no user, no password. */
function placeOf(url: string): { namespace: string; database: string } {
  const { hostname, port, pathname } = new URL(url);
  return { namespace: `postgres://${hostname || 'localhost'}:${port || 5432}`, database: pathname.slice(1) };
}

/** Makes the events of one run. */
class LineageRun {
  readonly #config: Config;
  readonly #place: { namespace: string; database: string };
  readonly #stages: ReadonlyMap<string, Stage>;
  #started = '';

  constructor(config: Config, url: string) {
    this.#config = config;
    this.#place = placeOf(url);
    this.#stages = new Map(graph(config).map((stage) => [stage.name, stage]));
  }

  #dataset(table: Table, facets: Json = {}): Json {
    const fields = Object.entries(table.columns).map(([name, { type, doc }]) => ({
      name,
      type,
      description: doc,
    }));
    return {
      namespace: this.#place.namespace,
      name: `${this.#place.database}.${table.schema}.${table.name}`,
      facets: { schema: facet('SchemaDatasetFacet', '1-1-1', { fields }) },
      ...facets,
    };
  }

  #uuid(runId: number, job: string): string {
    return stableUuid(this.#place.namespace, this.#place.database, String(runId), this.#started, job);
  }

  #event(
    eventType: EventType,
    at: string,
    runId: number,
    job: string,
    more: Partial<LineageEvent> & { facets?: Json },
  ): LineageEvent {
    const parent =
      job === 'run'
        ? {}
        : {
            parent: facet('ParentRunFacet', '1-0-1', {
              run: { runId: this.#uuid(runId, 'run') },
              job: { namespace: this.#config.lineage.namespace, name: 'run' },
            }),
          };
    return {
      eventType,
      eventTime: at,
      producer: PRODUCER,
      schemaURL: SCHEMA_URL,
      run: { runId: this.#uuid(runId, job), facets: { ...parent, ...more.facets } },
      job: { namespace: this.#config.lineage.namespace, name: job, facets: {} },
      inputs: more.inputs ?? [],
      outputs: more.outputs ?? [],
    };
  }

  #stage(runId: number, report: StageReport, at: string): LineageEvent {
    const stage = this.#stages.get(report.stage)!;
    const statistics = {
      outputStatistics: facet('OutputStatisticsOutputDatasetFacet', '1-0-2', {
        rowCount: report.rows_written,
      }),
    };
    return this.#event('COMPLETE', at, runId, stage.name, {
      inputs: tablesRead(stage).map((table) => this.#dataset(table)),
      outputs: [this.#dataset(stage.output, { outputFacets: statistics })],
    });
  }

  #run(report: RunReport, at: string): LineageEvent {
    const { error } = report;
    const facets = error
      ? {
          errorMessage: facet('ErrorMessageRunFacet', '1-0-1', {
            message: `${error.code}: ${error.message}`,
            programmingLanguage: 'TypeScript',
          }),
        }
      : {};
    const outputs = [...this.#stages.values()].filter((stage) => stage.output.schema === 'serving');
    const type = report.state === 'failed' ? 'FAIL' : report.state === 'refused' ? 'ABORT' : 'COMPLETE';
    return this.#event(type, at, report.run_id, 'run', {
      facets,
      inputs: report.datasets.map(({ dataset, release }) => ({
        namespace: this.#config.lineage.namespace,
        name: dataset,
        facets: { version: facet('DatasetVersionDatasetFacet', '1-0-1', { datasetVersion: release }) },
      })),
      outputs: report.publication === null ? [] : outputs.map((stage) => this.#dataset(stage.output)),
    });
  }

  /** The event for something that happened; null: none. */
  of(event: RunEvent): LineageEvent | null {
    switch (event.event) {
      case 'run_started':
        this.#started = event.at;
        return this.#event('START', event.at, event.run_id, 'run', {});
      case 'stage_started':
        return this.#event('START', event.at, event.run_id, event.stage, {});
      case 'stage_done':
        return this.#stage(event.run_id, event.stage, event.at);
      case 'run_done':
        return this.#run(event.report, event.at);
      default:
        return null;
    }
  }
}

/** Sends lineage in the background of a run. */
export interface Lineage {
  onEvent: OnRunEvent;
  /** Waits until every event is sent. Returns one message for each that failed; lineage never fails a run. */
  close(): Promise<string[]>;
}

/** The receiver's address without credentials, and the header that carries them. */
function receiverOf(text: string, token: string | null): { url: URL; authorization: Record<string, string> } {
  const url = new URL(text);
  const { username, password } = url;
  url.username = '';
  url.password = '';
  if (token !== null) return { url, authorization: { authorization: `Bearer ${token}` } };
  if (username === '') return { url, authorization: {} };
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { url, authorization: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } };
}

async function post(receiver: string, token: string | null, event: LineageEvent): Promise<void> {
  const { url, authorization } = receiverOf(receiver, token);
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...authorization },
    body: JSON.stringify(event),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${maskUrl(url.toString())} answers ${response.status}`);
}

/** Sends the OpenLineage events of a run to the configured receiver and file; null: neither is configured. `url`: the database. */
export function openLineage(config: Config, url: string): Lineage | null {
  const { url: receiver, file, token } = config.lineage;
  if (receiver === null && file === null) return null;
  const run = new LineageRun(config, url);
  const failures: string[] = [];
  let last: Promise<unknown> = Promise.resolve();
  const send = async (event: LineageEvent): Promise<void> => {
    if (file !== null) await appendFile(file, `${JSON.stringify(event)}\n`);
    if (receiver !== null) await post(receiver, token, event);
  };
  return {
    onEvent: (event) => {
      const lineage = run.of(event);
      if (lineage === null) return;
      // One after the other: a receiver sees the start of a run before its end.
      last = last
        .then(() => send(lineage))
        .catch((error: Error) =>
          failures.push(`lineage ${lineage.eventType} ${lineage.job.name}: ${error.message}`),
        );
    },
    close: async () => {
      await last;
      return failures;
    },
  };
}
