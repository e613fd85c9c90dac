import type { valuationSaleAsset } from '../../../schema/assets/valuation.ts';
import { STATE_NAMES } from '../../../schema/states.ts';
import type { Row } from '../../../schema/table.ts';
import { byCodeUnit } from '../../../transforms/property/home_table.ts';

/**
 * Maximum sales that the national model takes from a state with its own model, newest first. It serves the other states, and one thread
 * must hold it.
 */
const NEWEST_OF_STATE = 4_000;

type PooledSaleKey = Pick<Row<typeof valuationSaleAsset>, 'gnaf_pid' | 'event_id' | 'date'>;

const inOrder = (a: PooledSaleKey, b: PooledSaleKey): number =>
  byCodeUnit(a.gnaf_pid, b.gnaf_pid) || byCodeUnit(a.event_id, b.event_id);

/** Keeps the `most` newest sales of batches, with at most a few times as many in memory. */
async function newestOf<S extends PooledSaleKey>(
  batches: AsyncIterable<readonly S[]>,
  most: number,
): Promise<S[]> {
  let pooled: S[] = [];
  const cut = (): void => {
    pooled.sort((a, b) => byCodeUnit(b.date, a.date) || inOrder(a, b));
    pooled = pooled.slice(0, most);
  };
  for await (const batch of batches) {
    for (const sale of batch) pooled.push(sale);
    if (pooled.length > 4 * most) cut();
  }
  if (pooled.length > most) cut();
  return pooled;
}

/**
 * Reads the training sales of a kind's national model, sorted by key: all sales of states without their own model, and the newest of every
 * other state. None if every state with sales has its own model. `read` returns the sales of one state in batches.
 */
export async function pooledSales<S extends PooledSaleKey>(
  readState: (state: string) => AsyncIterable<readonly S[]>,
  ownState: ReadonlySet<string>,
  most = NEWEST_OF_STATE,
): Promise<S[]> {
  const pooled: S[] = [];
  const states = Object.keys(STATE_NAMES);
  for (const state of states.filter((each) => !ownState.has(each)))
    for await (const batch of readState(state)) for (const sale of batch) pooled.push(sale);
  if (pooled.length === 0) return [];
  for (const state of states.filter((each) => ownState.has(each)))
    for (const sale of await newestOf(readState(state), most)) pooled.push(sale);
  return pooled.sort(inOrder);
}
