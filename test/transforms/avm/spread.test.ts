import { describe, expect, it } from 'vitest';
import { spreadOf, widened } from '../../../transforms/avm/spread.ts';
import { seededRandom } from '../../../transforms/stats/random.ts';
import { ratioStudy } from '../../../transforms/stats/ratio_study.ts';

const LEVEL = 13;

/** Sales and their prediction of least error: prices vary by what is known and by what is not. */
function sales(n: number, unknown: number): { predicted: Float64Array; paid: Float64Array } {
  const random = seededRandom(3, 1);
  const normal = (): number => Array.from({ length: 12 }, random.next).reduce((sum, own) => sum + own, -6);
  const predicted = Float64Array.from({ length: n }, () => 0.45 * normal());
  return { predicted, paid: predicted.map((own) => own + unknown * normal()) };
}

const prbOf = (predicted: Float64Array, paid: Float64Array): number =>
  ratioStudy(
    predicted.map((own) => Math.exp(LEVEL + own)),
    paid.map((own) => Math.exp(LEVEL + own)),
  ).prb;

describe('widened predictions', () => {
  const level = new Float64Array(20_000).fill(LEVEL);

  it('are less biased to the middle, at hardly any cost in error', () => {
    const { predicted, paid } = sales(20_000, 0.15);
    const above = predicted.map((own) => own + LEVEL);
    const wide = widened(above, level, spreadOf(predicted, paid)).map((own) => own - LEVEL);
    expect(prbOf(predicted, paid)).toBeLessThan(-0.03);
    expect(prbOf(wide, paid)).toBeGreaterThan(0.8 * prbOf(predicted, paid));
    const error = (own: Float64Array): number =>
      own.reduce((sum, value, row) => sum + Math.abs(value - paid[row]!), 0);
    expect(error(wide) / error(predicted)).toBeLessThan(1.005);
  });

  it('are unchanged if they vary as much as prices, or more', () => {
    const { predicted } = sales(2000, 0);
    expect(spreadOf(predicted, predicted).factor).toBe(1);
    expect(
      spreadOf(
        predicted,
        predicted.map((own) => own / 2),
      ).factor,
    ).toBe(1);
  });

  it('are widened by at most 3 %, and unchanged if all predictions are equal', () => {
    const { predicted } = sales(2000, 0);
    expect(
      spreadOf(
        predicted,
        predicted.map((own) => 5 * own),
      ).factor,
    ).toBe(1.03);
    expect(spreadOf(new Float64Array(5), Float64Array.of(1, 2, 3, 4, 5))).toEqual({ middle: 0, factor: 1 });
  });
});
