import { expect, it } from 'vitest';
import { RiskValues, riskValue } from '../../transforms/risk_value.ts';

it.each([
  [true, 0, 'Floodway', 'On property: Floodway'],
  [false, 0.4, 'Floodway', '0 m away: Floodway'],
  [false, 213.5, 'Buffer', '214 m away: Buffer'],
  [false, 1000, 'Buffer', '1,000 m away: Buffer'],
])('says the finding in words', (on, distance_m, name, value) => {
  expect(riskValue(on, distance_m, name)).toBe(value);
});

it('says the same where words are kept, also of more names than are', () => {
  const values = new RiskValues();
  for (let i = 0; i < 2000; i++) {
    const name = `n${i % 300}`;
    for (const on of [true, false])
      expect(values.of(on, on ? 0 : i, name)).toBe(riskValue(on, on ? 0 : i, name));
  }
});
