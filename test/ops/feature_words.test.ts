import { describe, expect, it } from 'vitest';
import { describeFeature, type ExplainedHome } from '../../ops/property/feature_words.ts';
import { contributions, stepsOf } from '../../ops/property/valuation_view.ts';
import { shownDollars } from '../../ops/property/value_card.ts';
import type { AvmExplanation, ExplainedValue } from '../../pipelines/explain/explain_avm.ts';
import { HOME_EXTRA, home } from '../../schema/assets/valuation.ts';
import { featureNames } from '../../transforms/avm/feature_set.ts';

const NOTHING_KNOWN = Object.fromEntries(
  Object.keys(home).map((column) => [column, null]),
) as unknown as ExplainedHome;
const HOUSE: ExplainedHome = {
  ...NOTHING_KNOWN,
  dwelling_type: 'house',
  land_area_sqm: 182,
  bedrooms: 1,
  zone: 0,
};

const VALUE = {
  start: 1_000_000,
  contributions: [
    ['hedonic_value', 0.1],
    ['ln_land', Math.log(0.75)],
    ['area_median', 0.05],
    ['area_residual', -0.02],
    ['dwelling_type', 0.01],
  ].map(([feature, log_effect]) => ({ feature, group: '', value: null, log_effect, effect_percent: 0 })),
} as unknown as ExplainedValue;

describe('descriptions of the features of a valuation', () => {
  it('exist for every feature of a model, and never show its name', () => {
    const names = [...featureNames(Object.keys(HOME_EXTRA)), 'place', 'suburb', 'level_correction'];
    const unnamed = names.filter((name) => describeFeature(name, HOUSE) === name.replaceAll(/[._]/g, ' '));
    expect(unnamed).toEqual([]);
    for (const name of names)
      for (const each of [HOUSE, NOTHING_KNOWN])
        expect(describeFeature(name, each), name).not.toMatch(/_|ln |null|NaN/);
  });

  it('state the value of the feature for the home', () => {
    expect(describeFeature('ln_land', HOUSE)).toBe('Land 182 m²');
    expect(describeFeature('dwelling_type', HOUSE)).toBe('Dwelling type house');
    expect(describeFeature('bedrooms', HOUSE)).toBe('1 bedroom');
    expect(describeFeature('zoning.category', HOUSE)).toBe('Zone residential low');
    expect(describeFeature('ln_floor', HOUSE)).toBe('Floor area not known');
    expect(describeFeature('hazard.flood', { ...HOUSE, flood_on: 0 })).toBe('No flood on the property');
  });

  it('explain the estimate step by step from its start, with equal texts combined', () => {
    const steps = stepsOf(VALUE, HOUSE);
    expect(steps.map(({ says }) => says)).toEqual([
      'Land 182 m²',
      'What homes of its type, size and place are worth',
      'Sales in the suburb',
      'Dwelling type house',
    ]);
    expect(steps[0]).toMatchObject({ from: 1_000_000, to: expect.closeTo(750_000, 3) });
    steps.slice(1).forEach((step, i) => {
      expect(step.from).toBe(steps[i]!.to);
    });
    const all = VALUE.contributions.reduce((sum, { log_effect }) => sum + log_effect, 0);
    expect(steps.at(-1)!.to).toBeCloseTo(1_000_000 * Math.exp(all), 3);
  });

  it('show the start and every running value in one column, each column under its title', () => {
    const value = { ...VALUE, price: 853_000, low: 8e5, high: 9e5, confidence: 80, model_id: 'm' };
    const shown = { ...value, trained_sales: 10, outcome: 'promoted', failures: [], disputed_times: null };
    const { text } = contributions({ values: [shown], home: HOUSE } as unknown as AvmExplanation);
    const titles = [...text.matchAll(/<th scope="col"([^>]*)>(.*?)<\/th>/g)].map((each) => each.slice(1));
    expect(titles).toEqual([
      ['', 'factor'],
      ['', 'effect'],
      [' class="n"', 'running value'],
      ['', 'change'],
    ]);
    const cells = [...text.matchAll(/<td data-label="running value"([^>]*)>([^<]*)</g)];
    expect(cells.map(([, , amount]) => amount)).toEqual([
      '$1,000,000',
      ...stepsOf(VALUE, HOUSE).map(({ to }) => shownDollars(to, 80)),
    ]);
    for (const [, attributes, amount] of cells) expect(attributes, amount).toBe(' class="n"');
  });
});
