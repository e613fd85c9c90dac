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

/** Lists the datasets that report market events of a state. */
async function marketDatasets(client: pg.ClientBase, state: string | null): Promise<Set<string>> {
  const last = state === null ? 0 : eventBucket(state, '1970-01-01');
  const { rows } = await client.query<{ dataset: string }>(
    `SELECT DISTINCT dataset FROM control.load l WHERE state = 'active' AND EXISTS (SELECT FROM record.market_event e
       WHERE e.load_id = l.load_id AND (e.month_partition > $1 AND e.month_partition <= $2 OR $3))`,
    [last - BUCKETS, last, state === null],
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
  const late = datasets.filter(({ is_late }) => is_late);
  if (late.length === 0) return [];
  const ofMarket = await marketDatasets(client, state);
  return late.flatMap((line) => {
    const { dataset, age_days, adapter, coverage } = line;
    const options = config.datasets[dataset]?.options ?? {};
    const tables = ADAPTERS.find(({ name }) => name === adapter)?.tables.map(({ name }) => name) ?? [];
    const isMarket = tables.includes('market_event');
    if (isMarket ? !ofMarket.has(dataset) : !isOfState(line, options, state)) return [];
    const { layer, field_map } = options;
    const ownLayer = layer ?? (typeof field_map === 'string' ? HAZARD_FIELD_MAPS[field_map]?.layer : null);
    const themes = [
      ...coverage.map(({ theme }) => theme),
      ...(typeof ownLayer === 'string' ? [ownLayer] : []),
    ];
    return [{ dataset, age_days, topics: new Set([...tables, ...themes]) }];
  });
}
