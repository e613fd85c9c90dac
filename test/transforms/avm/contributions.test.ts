import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { explainPrediction } from '../../../transforms/avm/contributions.ts';
import type { Tier } from '../../../transforms/avm/model.ts';
import { rawPredictions } from '../../../transforms/avm/predict.ts';
import { type Training, trainAvm } from '../../../transforms/avm/train.ts';
import { inCanonicalOrder, selectHomes, selectSales } from '../../../transforms/property/home_table.ts';
import { FIRST_DAY, QUICK, syntheticCity } from './synthetic_city.ts';

const AS_OF = FIRST_DAY + 1000;
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const OPTIONS = { kind: 'sale', as_of: AS_OF, snapshot: 'test', digest } as const;
const plain = inCanonicalOrder(syntheticCity(1500));
/** A hidden premium of 30 % that nothing but this feature tells. */
const near = plain.price.map((_, i) => i % 2);
const CITY = {
  ...plain,
  price: plain.price.map((price, i) => (near[i] === 1 ? price * 1.3 : price)),
  extra: { 'transport.near': near },
};
const boosted = trainAvm(CITY, OPTIONS, QUICK);
const ridge = trainAvm({ ...plain, extra: {} }, OPTIONS, { ...QUICK, min_boost_sales: 10_000 });

const rowsOf = (n: number): number[] => Array.from({ length: n }, (_, i) => i * 7);

function explainAll({ model, evidence }: Training, of: Tier, city: typeof CITY | typeof plain) {
  const homes = selectHomes(city, rowsOf(100));
  const batch = rawPredictions(model, evidence, homes, new Int32Array(homes.length).fill(AS_OF));
  return batch.raws.flatMap((raw, row) =>
    raw.tier === of ? [{ row, ...explainPrediction(model, evidence, batch, row, AS_OF)! }] : [],
  );
}

describe('the contributions to a prediction', () => {
  it.each([
    ['full', boosted, CITY],
    ['masked', boosted, CITY],
    ['ridge_local', ridge, plain],
  ] as const)('of tier %s sum to it', (tier, training, city) => {
    const explained = explainAll(training, tier, city);
    expect(explained.length).toBeGreaterThan(5);
    for (const { start, contributions, log_predicted } of explained) {
      const sum = contributions.reduce((all, { log_effect }) => all + log_effect, start);
      expect(sum).toBeCloseTo(log_predicted, 9);
      const sizes = contributions.map(({ log_effect }) => Math.abs(log_effect));
      expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
    }
  });

  it('name the feature that the premium comes from, with its value', () => {
    const effects = { 0: [] as number[], 1: [] as number[] };
    for (const { contributions } of explainAll(boosted, 'full', CITY)) {
      const own = contributions.find(({ feature }) => feature === 'transport.near')!;
      expect(own.group).toBe('transport');
      effects[own.value as 0 | 1].push(own.log_effect);
    }
    const mean = (values: number[]): number => values.reduce((sum, own) => sum + own, 0) / values.length;
    expect(mean(effects[1]) - mean(effects[0])).toBeGreaterThan(0.15);
    expect(mean(effects[1]) - mean(effects[0])).toBeLessThan(0.35);
  });

  it('are null without a prediction, and only a start for a suburb median', () => {
    const [one] = [selectHomes(plain, [0])];
    const days = Int32Array.of(AS_OF);
    const rural = rawPredictions(ridge.model, ridge.evidence, { ...one, dwelling_type: ['rural'] }, days);
    expect(explainPrediction(ridge.model, ridge.evidence, rural, 0, AS_OF)).toBeNull();
    const none = Float64Array.of(NaN);
    const bare = { ...one, lon: none, lat: none };
    const median = rawPredictions(ridge.model, ridge.evidence, bare, days);
    expect(median.raws[0]!.tier).toBe('area_median');
    const { start, contributions } = explainPrediction(ridge.model, ridge.evidence, median, 0, AS_OF)!;
    expect(contributions).toEqual([]);
    expect(start).toBe(median.raws[0]!.log_predicted);
  });

  it('explain the same model after other sales were left out of what is described', () => {
    const few = selectSales(CITY, rowsOf(150));
    const batch = rawPredictions(
      boosted.model,
      boosted.evidence,
      few,
      few.day.map(() => AS_OF),
    );
    const alone = rawPredictions(
      boosted.model,
      boosted.evidence,
      selectHomes(few, [7]),
      Int32Array.of(AS_OF),
    );
    expect(explainPrediction(boosted.model, boosted.evidence, batch, 7, AS_OF)).toEqual(
      explainPrediction(boosted.model, boosted.evidence, alone, 0, AS_OF),
    );
  });
});
