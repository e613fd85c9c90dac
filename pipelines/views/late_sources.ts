import type pg from 'pg';
import type { Config } from '../../schema/config.ts';
import { eventBucket } from '../../schema/event_bucket.ts';
import { HAZARD_FIELD_MAPS } from '../../sources/hazards/field_maps.ts';
import { ADAPTERS } from '../../sources/index.ts';
import { type DatasetLine, readDatasets } from './dataset_view.ts';

/** A late dataset that values of a state come from. */
export interface LateSource extends Pick<DatasetLine, 'dataset' | 'age_days'> {
  /** Record tables that it fills, themes that it covers, and its hazard layer. */
  topics: ReadonlySet<string>;
}

const NATIONAL = 'AU';
/** Buckets of market events of one state. */
const BUCKETS = 10_000;

/** True if a dataset has values of a state, by its options and its stated coverage. Null: any state. */
function isOfState(
  { coverage }: DatasetLine,
  options: Readonly<Record<string, unknown>>,
  state: string | null,
): boolean {
  const isHere = (each: unknown): boolean => state === null || each === state || each === NATIONAL;
  const { state: own, states } = options;
  if (own !== undefined && !isHere(own)) return false;
  if (Array.isArray(states) && !states.some(isHere)) return false;
  return coverage.length === 0 || coverage.some((each) => isHere(each.state));
}

/** Lists which of some datasets report market events of a state. */
export async function marketDatasets(
  client: pg.ClientBase,
  names: readonly string[],
  state: string | null,
): Promise<Set<string>> {
  const last = state === null ? 0 : eventBucket(state, '1970-01-01');
  const { rows } = await client.query<{ dataset: string }>(
    `SELECT DISTINCT dataset FROM control.load l JOIN control.load_digest d USING (load_id)
     WHERE dataset = ANY ($1) AND l.state = 'active' AND table_name = 'market_event' AND (cell > $2 AND cell <= $3 OR $4)`,
    [names, last - BUCKETS, last, state === null],
  );
  return new Set(rows.map(({ dataset }) => dataset));
}

/** Reads the late datasets that values of a state come from. `state` null: of any state. */
export async function readLateSources(
  client: pg.ClientBase,
  config: Config,
  state: string | null,
): Promise<LateSource[]> {
  const { datasets } = await readDatasets(client, config);
  const lateLines = datasets.filter(({ is_late }) => is_late);
  const tablesOf = (adapter: string): string[] =>
    ADAPTERS.find(({ name }) => name === adapter)?.tables.map(({ name }) => name) ?? [];
  const market = lateLines.filter(({ adapter }) => tablesOf(adapter).includes('market_event'));
  const names = market.map(({ dataset }) => dataset);
  const ofMarket = names.length === 0 ? new Set() : await marketDatasets(client, names, state);
  return lateLines.flatMap((line) => {
    const { dataset, age_days, adapter, coverage } = line;
    const options = config.datasets[dataset]?.options ?? {};
    if (names.includes(dataset) ? !ofMarket.has(dataset) : !isOfState(line, options, state)) return [];
    const { layer, field_map } = options;
    const ownLayer = layer ?? (typeof field_map === 'string' ? HAZARD_FIELD_MAPS[field_map]?.layer : null);
    const themes = [
      ...coverage.map(({ theme }) => theme),
      ...(typeof ownLayer === 'string' ? [ownLayer] : []),
    ];
    return [{ dataset, age_days, topics: new Set([...tablesOf(adapter), ...themes]) }];
  });
}
