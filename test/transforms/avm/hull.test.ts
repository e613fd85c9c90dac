import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { confidenceOf, forecastSd } from '../../../transforms/avm/confidence.ts';
import { Calibrator, rawPredictions, valueHomes } from '../../../transforms/avm/predict.ts';
import { trainAvm } from '../../../transforms/avm/train.ts';
import { type HomeTable, inCanonicalOrder, selectHomes } from '../../../transforms/property/home_table.ts';
import { FIRST_DAY, QUICK, syntheticCity } from './synthetic_city.ts';

const SOLD = inCanonicalOrder(syntheticCity(1500));
// Houses sell in the zones 0 and 1, and once in 4.
const zone = Float64Array.from(SOLD.id, (_, i) => (i === 7 ? 4 : i % 2));
const CITY = { ...SOLD, extra: { 'zoning.category': zone } };
const AS_OF = FIRST_DAY + 900;
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const { model, evidence } = trainAvm(CITY, { kind: 'sale', as_of: AS_OF, snapshot: 'test', digest }, QUICK);

const HOUSE = CITY.dwelling_type.findIndex(
  (type, i) => type === 'house' && Number.isFinite(CITY.bathrooms[i]! + CITY.floor_area_sqm[i]!),
);
type Change = Partial<Record<'lon' | 'lat' | 'bedrooms' | 'bathrooms' | 'land_area_sqm', number>>;

/** The valuation of a house that sold, with some of it otherwise. */
function valued(change: Change, type = 'house', in_zone = 0) {
  const home = selectHomes(CITY, [HOUSE]);
  const columns = Object.entries(change).map(([name, value]) => [name, Float64Array.of(value)]);
  const homes: HomeTable = {
    ...home,
    ...Object.fromEntries(columns),
    property: ['another'],
    dwelling_type: [type],
    extra: { 'zoning.category': Float64Array.of(in_zone) },
  };
  return valueHomes(model, evidence, homes, AS_OF)[0]!;
}

describe('homes outside the evidence', () => {
  it('do not include a house like those that sold', () => {
    expect(valued({}).reason).toBeNull();
  });

  it.each<[string, Change]>([
    ['a farm of 80 square kilometres', { land_area_sqm: 80e6 }],
    ['a school ground of five hectares', { land_area_sqm: 50_000 }],
    ['a lot of no size to speak of', { land_area_sqm: 21 }],
    ['a house of 14 bedrooms', { bedrooms: 14 }],
    ['a house of 9 bathrooms', { bathrooms: 9 }],
    ['a house 60 km from the last one that sold', { lon: 145.8 }],
    ['a house 11 km from the last one that sold', { lon: 145.22 }],
  ])('%s is outside the evidence', (_, change) => {
    expect(valued(change)).toEqual({ estimate: null, reason: 'outside_evidence' });
  });

  it('include a house in a zone with hardly any sales, if its zone is known', () => {
    for (const other of [3, 4])
      expect(valued({}, 'house', other)).toEqual({ estimate: null, reason: 'outside_evidence' });
    expect(valued({}, 'house', 1).reason).toBeNull();
    expect(valued({}, 'house', Number.NaN).reason).toBeNull();
  });

  it('have type_not_valued if they are no dwellings for sale', () => {
    for (const type of ['other', 'land', 'retirement', ''])
      expect(valued({}, type)).toEqual({ estimate: null, reason: 'type_not_valued' });
  });
});

describe('confidence', () => {
  it('follows from the width of the interval alone, whatever the tier and the similar sales', () => {
    const calibrator = new Calibrator(model);
    const { raws } = rawPredictions(model, evidence, selectHomes(CITY, [HOUSE]), Int32Array.of(AS_OF));
    const [raw] = raws;
    const agreed = calibrator.value(raw!, AS_OF).estimate!;
    expect(agreed.comparables).toBe(Math.round(Math.exp(raw!.log_comparables)));
    for (const by of [-0.6, 0.6]) {
      const other = { ...raw!, log_comparables: Math.log(agreed.price) + by };
      const disputed = calibrator.value(other, AS_OF).estimate!;
      expect(disputed).toEqual({ ...agreed, comparables: disputed.comparables });
    }
    for (const { estimate } of [valued({}), valued({ lon: 145.17 }), valued({ bedrooms: Number.NaN })]) {
      if (estimate === null) continue;
      const { price, low, high, confidence } = estimate;
      expect(confidence).toBe(confidenceOf(forecastSd(price, low, high)));
    }
  });
});
