import type { valuationSaleAsset } from '../../../schema/assets/valuation.ts';
import { STATE_NAMES } from '../../../schema/states.ts';
import type { Row } from '../../../schema/table.ts';

/** Newest sales of a state with a model of its own that the model of the whole country takes: it is for the others, and held by one thread. */
const NEWEST_OF_STATE = 4_000;

type PooledSaleKey = Pick<Row<typeof valuationSaleAsset>, 'gnaf_pid' | 'event_id' | 'date'>;

const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const inOrder = (a: PooledSaleKey, b: PooledSaleKey): number =>
  byCodeUnit(a.gnaf_pid, b.gnaf_pid) || byCodeUnit(a.event_id, b.event_id);

/** The newest of what comes in batches, so that a few times as many are in memory at once. */
async function newestOf<S extends PooledSaleKey>(
  batches: AsyncIterable<readonly S[]>,
  most: number,
): Promise<S[]> {
  let kept: S[] = [];
  const cut = (): void => {
    kept.sort((a, b) => byCodeUnit(b.date, a.date) || inOrder(a, b));
    kept = kept.slice(0, most);
  };
  for await (const batch of batches) {
    for (const sale of batch) kept.push(sale);
    if (kept.length > 4 * most) cut();
  }
  if (kept.length > most) cut();
  return kept;
}

/**
 * The sales of a kind that the model of the whole country is made from and values by, in the order of their keys: all of the states
 * without a model of their own, beside the newest of each other state; none where every state with sales has its own model. `read` gives the
 * sales of one state in batches.
 */
export async function pooledSales<S extends PooledSaleKey>(
  read: (state: string) => AsyncIterable<readonly S[]>,
  own: ReadonlySet<string>,
  most = NEWEST_OF_STATE,
): Promise<S[]> {
  const pooled: S[] = [];
  const states = Object.keys(STATE_NAMES);
  for (const state of states.filter((each) => !own.has(each)))
    for await (const batch of read(state)) for (const sale of batch) pooled.push(sale);
  if (pooled.length === 0) return [];
  for (const state of states.filter((each) => own.has(each)))
    for (const sale of await newestOf(read(state), most)) pooled.push(sale);
  return pooled.sort(inOrder);
}
