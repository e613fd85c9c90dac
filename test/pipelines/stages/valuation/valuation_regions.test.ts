import { describe, expect, it } from 'vitest';
import { avmModelStage, avmPooledModelStage } from '../../../../pipelines/stages/valuation/avm_model.ts';
import { pooledSales } from '../../../../pipelines/stages/valuation/pooled_sales.ts';
import { modelPartition } from '../../../../schema/model_partition.ts';
import { STATE_NAMES } from '../../../../schema/states.ts';
import { unpackModel } from '../../../../transforms/avm/artefact.ts';
import { EVIDENCE } from '../../../../transforms/avm/evidence_params.ts';
import { isoOfDay } from '../../../../transforms/stats/calendar.ts';
import { FIRST_DAY } from '../../../transforms/avm/synthetic_city.ts';
import { computed } from '../../computed.ts';
import { DAY, DAYS, salesOf } from './city_sales.ts';

type Model = { kind: string; region: string; model_id: string; trained_sales: number; artefact: Uint8Array };

type SaleOf = { gnaf_pid: string; event_id: string; date: string; state: string };

/** Rows as they come from a database. */
async function* inBatches(rows: readonly SaleOf[]): AsyncGenerator<readonly SaleOf[]> {
  for (let i = 0; i < rows.length; i += 70) yield rows.slice(i, i + 70);
}

/** The model of the whole country, where these states have models of their own. */
async function pooledModel(sale: Record<string, unknown>[], own: readonly string[]) {
  const given = sale as SaleOf[];
  const read = (state: string) => inBatches(given.filter((row) => row.state === state));
  const pooled = await pooledSales(read, new Set(own));
  return computed(avmPooledModelStage, { day: DAY }, -1, new Map([['sale', pooled]]));
}
const ownModel = (sale: Record<string, unknown>[]): Model | undefined =>
  computed(avmModelStage, { sale, day: DAY }).rows[0] as unknown as Model | undefined;

/** The fewest sales that carry a model of their own. */
function fewest(): number {
  let [none, some] = [EVIDENCE.min_sales, 400];
  while (some - none > 1) {
    const middle = (none + some) >> 1;
    if (ownModel(salesOf('NSW', middle))) some = middle;
    else none = middle;
  }
  return some;
}

describe('the model of a state', () => {
  const enough = fewest();
  const [many, few] = [salesOf('NSW', enough), salesOf('TAS', enough - 1)];
  const own = ownModel(many)!;

  it('is its own from the first sale that a hedonic model of two hundred others describes', () => {
    expect(enough).toBeGreaterThan(EVIDENCE.min_sales);
    expect(own).toMatchObject({ kind: 'sale', region: 'NSW' });
    expect(own.trained_sales).toBeGreaterThan(0);
    expect(ownModel(few)).toBeUndefined();
    expect(unpackModel(own.artefact).boosted, 'far too few for trees').toBeNull();
  });

  it('is made of the whole country where the sales of a state are too few', async () => {
    const sale = [...many, ...few];
    const pooled = await pooledModel(sale, ['NSW']);
    const [whole] = pooled.rows as unknown as Model[];
    expect(whole).toMatchObject({ kind: 'sale', region: 'AU' });
  });

  it('is not made of the whole country where every state with sales has its own', async () => {
    expect((await pooledModel(many, ['NSW'])).rows).toEqual([]);
  });

  it('is made of all sales of the states without one, and of the newest of each other state', async () => {
    const read: string[] = [];
    const of = (state: string) => {
      read.push(state);
      return inBatches((state === 'NSW' ? many : state === 'TAS' ? few : []) as SaleOf[]);
    };
    const pooled = await pooledSales(of, new Set(['NSW', 'VIC']), 50);
    expect(pooled.filter(({ state }) => state === 'TAS')).toHaveLength(few.length);
    const newest = (many as SaleOf[]).toSorted(
      (a, b) => b.date.localeCompare(a.date) || (a.gnaf_pid < b.gnaf_pid ? -1 : 1),
    );
    const taken = pooled.filter(({ state }) => state === 'NSW').map(({ gnaf_pid }) => gnaf_pid);
    expect(taken).toEqual(
      newest
        .slice(0, 50)
        .map(({ gnaf_pid }) => gnaf_pid)
        .sort(),
    );
    expect(read.sort()).toEqual(Object.keys(STATE_NAMES).sort());
    const none: string[] = [];
    const nothing = (state: string) => {
      none.push(state);
      return inBatches([]);
    };
    expect(await pooledSales(nothing, new Set(['NSW', 'VIC']))).toEqual([]);
    // Where it is not needed, the sales of the others are not read.
    expect(none).not.toContain('NSW');
  });

  it('has an id that follows every sale it was given, those too new to train on too', () => {
    const last = many.at(-1)!;
    const newest = { ...last, gnaf_pid: 'NSW-new', event_id: 'new', date: isoOfDay(FIRST_DAY + DAYS - 3) };
    const grown = ownModel([...many, newest])!;
    expect(grown.trained_sales).toBe(own.trained_sales);
    expect(grown.model_id).not.toBe(own.model_id);
    expect(ownModel([...many, { ...newest, land_area_sqm: 1 }])!.model_id).not.toBe(grown.model_id);
    expect(ownModel(many.toReversed())!.model_id).toBe(own.model_id);
    expect(modelPartition('rent', 'NSW')).not.toBe(modelPartition('sale', 'NSW'));
  });
});
