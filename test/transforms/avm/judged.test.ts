import { describe, expect, it } from 'vitest';
import { CALIBRATION } from '../../../transforms/avm/calibration.ts';
import { judgedSales } from '../../../transforms/avm/judged.ts';
import { makeLedger } from '../../../transforms/avm/ledger.ts';
import type { AvmModel } from '../../../transforms/avm/model.ts';

const EMPTY = makeLedger([]);

/** A model of which the ledgers alone are asked: estimates 10 % above each price, one sale every second day. */
function modelOf(n: number, part: 'boosted' | 'ridge_local'): AvmModel {
  const ledger = makeLedger(
    Array.from({ length: n }, (_, i) => ({
      day: 18_000 + 2 * i,
      dwelling_type: i % 2 ? 'house' : 'unit',
      generation: 1,
      log_predicted: Math.log(550_000),
      log_price: Math.log(500_000 + 1000 * (i % 7)),
      low: -0.1,
      high: 0.1,
    })),
  );
  const ledgers = { boosted: EMPTY, bare: EMPTY, ridge_local: EMPTY, area_median: EMPTY, [part]: ledger };
  return { ledgers, params: { calibration: CALIBRATION } } as unknown as AvmModel;
}

describe('the sales that a model was evaluated on', () => {
  it('come from its part with recorded errors, with estimates corrected by earlier ones', () => {
    const sales = judgedSales(modelOf(300, 'ridge_local'));
    expect(sales).toHaveLength(300);
    expect(sales[0]).toMatchObject({ dwelling_type: 'unit', is_inside: null });
    expect(sales[0]!.estimate).toBeCloseTo(550_000, 0);
    // What is known of earlier errors lowers the later estimates.
    expect(sales.at(-1)!.estimate).toBeLessThan(530_000);
    expect(sales.at(-1)!.price).toBeGreaterThanOrEqual(500_000);
  });

  it('lie in the interval about as often as it says, once it is known', () => {
    const known = judgedSales(modelOf(600, 'boosted')).filter(({ is_inside }) => is_inside !== null);
    expect(known.length).toBeGreaterThan(550);
    expect(known.filter(({ is_inside }) => is_inside).length / known.length).toBeGreaterThan(0.7);
  });

  it('are empty for a model without evaluated sales', () => {
    expect(judgedSales(modelOf(0, 'boosted'))).toEqual([]);
  });
});
