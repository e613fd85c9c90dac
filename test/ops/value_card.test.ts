import { describe, expect, it } from 'vitest';
import { headline } from '../../ops/property/value_card.ts';
import type { PropertyView } from '../../ops/property/view.ts';

const AVM = {
  predicted_price: 984_512,
  predicted_price_low: 880_100,
  predicted_price_high: 1_101_300,
  prediction_date: new Date().toISOString().slice(0, 10),
  confidence: 78,
  rent_aud_pw: null,
  yield_percent: null,
};
const dayBefore = (days: number): string =>
  new Date(Date.parse(AVM.prediction_date) - days * 86_400_000).toISOString().slice(0, 10);

function cardOf(
  avm: Record<string, unknown>,
  events: Record<string, unknown>[] = [],
  prices: number[] = [],
): string {
  const serving = { property_avm: [{ ...AVM, ...avm }], property_event: events };
  const view = {
    lateSources: [],
    explanation: { gnaf_pid: 'GAVIC1', serving },
    comparables: prices.map((price) => ({ price, adjusted_price: null })),
  };
  return headline(view as unknown as PropertyView).text;
}

const sold = (days: number, price: number | null) => ({ type: 'Sold', date: dayBefore(days), price });

describe('the value of a property', () => {
  it('is shown large and to three digits if confidence is not low', () => {
    expect(cardOf({})).toContain('<p class="big">$985,000</p>');
    expect(cardOf({})).toContain('80 % range: $880,000 to $1,100,000; confidence 78/100');
    expect(cardOf({})).not.toContain('low confidence');
  });

  it('is shown to two digits and marked if confidence is low', () => {
    const card = cardOf({ confidence: 9, predicted_price_low: 876_000 });
    expect(card).toContain('<p class="big">about $980,000 <span class="warn">low confidence</span></p>');
    expect(card).toContain('80 % range: $880,000 to $1,100,000; confidence 9/100');
  });

  it('says how old a valuation is, from a year on', () => {
    expect(cardOf({})).not.toContain('old.');
    expect(cardOf({ prediction_date: dayBefore(400) })).toContain('The valuation date is a year old.');
    expect(cardOf({ prediction_date: dayBefore(3300) })).toContain('The valuation date is 9 years old.');
  });

  it('flags a recent sale that differs by more than 15 %', () => {
    const far = cardOf({}, [sold(6, 700_000), sold(900, 400_000)]);
    expect(far).toContain('The estimate is 41 % above the last sale.');
    expect(cardOf({}, [sold(6, 1_300_000)])).toContain('The estimate is 24 % below the last sale.');
    for (const sale of [sold(6, 950_000), sold(800, 700_000), sold(3, null)])
      expect(cardOf({}, [sale])).not.toContain('the last sale');
  });

  it('says that it contradicts all of its comparable sales', () => {
    expect(cardOf({}, [], [700_000, 900_000])).toContain(
      'The estimate is above all 2 comparable sales; the highest is $900,000 at the valuation date.',
    );
    expect(cardOf({}, [], [1_200_000])).toContain('The estimate is below its comparable sale;');
    for (const prices of [[], [900_000, 1_200_000], [984_512]])
      expect(cardOf({}, [], prices)).not.toContain('The estimate is');
    const none = { predicted_price: null, predicted_price_low: null, predicted_price_high: null };
    expect(cardOf({ ...none, reason: 'too_few_sales' }, [], [700_000])).toContain(
      'Too few sales are known around it. The comparable sales below are too few, or too unlike it, for one.',
    );
  });
});
