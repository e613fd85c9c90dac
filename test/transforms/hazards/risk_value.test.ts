import { expect, it } from 'vitest';
import { reportedDistance } from '../../../transforms/hazards/risk_row.ts';
import { type RiskFinding, riskValue } from '../../../transforms/hazards/risk_value.ts';

const finding = (own: Partial<RiskFinding>): RiskFinding => ({
  layer: 'flood',
  shape: 'polygon',
  on_property: false,
  distance_m: 1,
  share: 0,
  name: 'Floodway',
  ...own,
});

it.each<[Partial<RiskFinding>, string]>([
  [{ on_property: true, distance_m: 0, share: 1 }, 'On the property, covers the whole property: Floodway'],
  [{ on_property: true, distance_m: 0, share: 0.437 }, 'On the property, covers 43 % of it: Floodway'],
  [
    { on_property: true, distance_m: 0, share: 0.004 },
    'On the property, covers less than 1 % of the property: Floodway',
  ],
  [{ on_property: true, distance_m: 0, share: 0 }, 'On the property: Floodway'],
  [{ distance_m: 1 }, 'Not on the property; the nearest is within 1 m of its boundary: Floodway'],
  [{ distance_m: 214 }, 'Not on the property; the nearest is 214 m away: Floodway'],
  [{ distance_m: 1000 }, 'Not on the property; the nearest is 1,000 m away: Floodway'],
  [
    { layer: 'hv_power_line', shape: 'line', on_property: true, name: 'Transmission Line, 220 kV' },
    'Crosses the property: Transmission Line, 220 kV',
  ],
  [
    { layer: 'environment', shape: 'point', on_property: true, name: 'Service Station' },
    'Recorded at a place on the property: Service Station',
  ],
  [
    { layer: 'public_housing', on_property: true, name: '31.2 % of dwellings are public housing' },
    'The property is in an area where 31.2 % of dwellings are public housing',
  ],
  [
    { layer: 'public_housing', distance_m: 80, name: '31.2 % of dwellings are public housing' },
    'An area where 31.2 % of dwellings are public housing is 80 m away',
  ],
])('says %o as a buyer reads it', (own, value) => {
  expect(riskValue(finding(own))).toBe(value);
});

it('reports a distance of 0 only on the property', () => {
  expect(reportedDistance(true, 0)).toBe(0);
  expect(reportedDistance(false, 0)).toBe(1);
  expect(reportedDistance(false, 0.3)).toBe(1);
  expect(reportedDistance(false, 1.6)).toBe(2);
});
