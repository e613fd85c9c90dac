import type { valuationSaleAsset } from '../../schema/assets/valuation.ts';
import { STATE_NAMES } from '../../schema/states.ts';
import type { Row } from '../../schema/table.ts';

/** Newest sales of a state with a model of its own that the model of the whole country takes: it is for the others, and held by one thread. */
export const NEWEST_OF_STATE = 4_000;

type Sale = Pick<Row<typeof valuationSaleAsset>, 'gnaf_pid' | 'event_id' | 'date'>;

const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const inOrder = (a: Sale, b: Sale): number =>
  byCodeUnit(a.gnaf_pid, b.gnaf_pid) || byCodeUnit(a.event_id, b.event_id);

/**
 * The sales of a kind that the model of the whole country is made from and values by, in the order of their keys: all of the states
 * without a model of their own, beside the newest of each other state; none where every state with sales has its own model. `read` gives the
 * sales of one state, so that those of one are in memory beside what is taken.
 */
export async function pooledSales<S extends Sale>(
  read: (state: string) => Promise<S[]>,
  own: ReadonlySet<string>,
  most = NEWEST_OF_STATE,
): Promise<S[]> {
  const pooled: S[] = [];
  const take = (sales: readonly S[]): void => {
    for (const sale of sales) pooled.push(sale);
  };
  const states = Object.keys(STATE_NAMES);
  for (const state of states.filter((each) => !own.has(each))) take(await read(state));
  if (pooled.length === 0) return [];
  for (const state of states.filter((each) => own.has(each))) {
    const sales = await read(state);
    sales.sort((a, b) => byCodeUnit(b.date, a.date) || inOrder(a, b));
    take(sales.slice(0, most));
  }
  return pooled.sort(inOrder);
}
