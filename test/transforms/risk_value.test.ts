import { expect, it } from 'vitest';
import { riskValue } from '../../transforms/risk_value.ts';

it.each([
  [true, 0, 'Floodway', 'On property: Floodway'],
  [false, 0.4, 'Floodway', '0 m away: Floodway'],
  [false, 213.5, 'Buffer', '214 m away: Buffer'],
  [false, 1000, 'Buffer', '1,000 m away: Buffer'],
])('says the finding in words', (on, distance_m, name, value) => {
  expect(riskValue(on, distance_m, name)).toBe(value);
});
