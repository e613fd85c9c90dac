import { expect, it } from 'vitest';
import { renderAvm } from '../../cli/render_valuation.ts';
import { shownValue } from '../../contract/answers/shown_value.ts';
import { contributions } from '../../ops/property/valuation_view.ts';
import type { AvmExplanation } from '../../pipelines/explain/explain_avm.ts';

it.each([
  [984_512, 50, 985_000, false],
  [1_049_999, 90, 1_050_000, false],
  [484, 90, 484, false],
  [984_512, 49, 980_000, true],
  [984_512, null, 980_000, true],
  [1_049_999, 9, 1_000_000, true],
  [999_999, 9, 1_000_000, true],
  [484, 9, 480, true],
  [7, 9, 7, true],
  [0, 9, 0, true],
])('shows an estimate of %d with confidence %s as %d', (exact, confidence, value, is_uncertain) => {
  expect(shownValue(exact, confidence)).toEqual({ value, is_uncertain });
});

it('rounds every step and end of a doubtful estimate, in the terminal and the console', () => {
  const value = {
    kind: 'sale',
    price: 984_512,
    low: 880_123,
    high: 1_101_321,
    confidence: 9,
    fsd: 0.3,
    tier: 'trees',
    model_id: 'd6187c9f2491a47c',
    trained_sales: 844,
    as_of: '2026-06-01',
    outcome: 'promoted',
    failures: [],
    reason: null,
    is_served: true,
    comparables_price: null,
    disputed_times: null,
    start: 912_345,
    contributions: [
      { feature: 'bedrooms', group: 'attributes', value: 3, log_effect: 0.0762, effect_percent: 7.9 },
    ],
  };
  const explained = { gnaf_pid: 'GAVIC1', home: {}, values: [value], comparables: [] };
  for (const text of [
    renderAvm(explained as unknown as AvmExplanation),
    contributions(explained as unknown as AvmExplanation).text,
  ]) {
    expect(text).toMatch(/about (<b>)?\$980,000/);
    for (const dollars of text.match(/\$\d+(,\d+)*/g)!) expect(dollars).toMatch(/0,000$/);
  }
});
