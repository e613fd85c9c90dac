import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { packModel, unpackModel } from '../../../transforms/avm/artefact.ts';
import { extendLedger } from '../../../transforms/avm/ledger.ts';
import { AVM, type AvmParams, MASKED_ATTRIBUTES } from '../../../transforms/avm/params.ts';
import {
  Calibrator,
  ledgerEntry,
  ledgerOf,
  ledgersOf,
  rawPredictions,
  valueHomes,
} from '../../../transforms/avm/predict.ts';
import { trainAvm } from '../../../transforms/avm/train.ts';
import { inCanonicalOrder, selectHomes, selectSales } from '../../../transforms/property/home_table.ts';
import { median } from '../../../transforms/stats/quantile.ts';
import { FIRST_DAY, QUICK, syntheticCity } from './synthetic_city.ts';

const CITY = inCanonicalOrder(syntheticCity(2500));
const AS_OF = FIRST_DAY + 800;
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const OPTIONS = { kind: 'sale', as_of: AS_OF, snapshot: 'test', digest } as const;
const { model, evidence } = trainAvm(CITY, OPTIONS, QUICK);
const LATER = selectSales(
  CITY,
  Array.from({ length: CITY.length }, (_, i) => i).filter((i) => CITY.day[i]! > AS_OF),
);

describe('a trained model', () => {
  it('values homes it has not seen, with an interval around the price', () => {
    const values = valueHomes(model, evidence, LATER, AS_OF);
    let inside = 0;
    let n = 0;
    values.forEach(({ estimate }, i) => {
      if (!estimate) return;
      expect(estimate.low).toBeLessThan(estimate.price);
      expect(estimate.high).toBeGreaterThan(estimate.price);
      expect(estimate.confidence).toBeGreaterThanOrEqual(0);
      expect(estimate.confidence).toBeLessThanOrEqual(100);
      n++;
      if (LATER.price[i]! >= estimate.low && LATER.price[i]! <= estimate.high) inside++;
    });
    expect(n).toBeGreaterThan(0.9 * LATER.length);
    expect(inside / n).toBeGreaterThan(0.7);
    expect(inside / n).toBeLessThan(0.9);
  });

  it('survives its artefact bit by bit', () => {
    const bytes = packModel(model);
    const again = unpackModel(bytes);
    expect(again).toEqual(model);
    expect(Buffer.compare(packModel(again), bytes)).toBe(0);
    expect(valueHomes(again, evidence, LATER, AS_OF)).toEqual(valueHomes(model, evidence, LATER, AS_OF));
  });

  it.each([
    ['nothing', new Uint8Array()],
    ['other bytes', new TextEncoder().encode('PK\u0003\u0004 and so on')],
    ['half of itself', packModel(model).subarray(0, 50_000)],
    ['a header that lies', packModel(model).with(4, 255).with(7, 255)],
  ])('is not read from %s', (_, bytes) => {
    expect(() => unpackModel(bytes)).toThrow(expect.objectContaining({ code: 'avm_artefact' }));
  });

  it('has an id that follows sales, settings, day and snapshot', () => {
    const idOf = (...args: Parameters<typeof trainAvm>): string => trainAvm(...args).model.id;
    const small = selectSales(
      CITY,
      Array.from({ length: 300 }, (_, i) => i),
    );
    const base = idOf(small, OPTIONS, QUICK);
    expect(base).toMatch(/^[0-9a-f]{64}$/);
    expect(idOf(small, OPTIONS, QUICK)).toBe(base);
    const price = small.price.with(7, small.price[7]! + 1);
    expect(idOf({ ...small, price }, OPTIONS, QUICK)).not.toBe(base);
    expect(idOf(small, { ...OPTIONS, as_of: AS_OF + 1 }, QUICK)).not.toBe(base);
    expect(idOf(small, { ...OPTIONS, snapshot: 'other' }, QUICK)).not.toBe(base);
    expect(idOf(small, OPTIONS, { ...QUICK, seed: 2 })).not.toBe(base);
  });

  it('values in batches as at once', () => {
    const half = LATER.length >> 1;
    const rows = (from: number, to: number) =>
      selectHomes(
        LATER,
        Array.from({ length: to - from }, (_, i) => from + i),
      );
    const parts = [
      ...valueHomes(model, evidence, rows(0, half), AS_OF),
      ...valueHomes(model, evidence, rows(half, LATER.length), AS_OF),
    ];
    expect(parts).toEqual(valueHomes(model, evidence, LATER, AS_OF));
  });
});

describe('tiers', () => {
  const one = selectHomes(LATER, [0]);
  const whole = {
    ...one,
    bedrooms: Float64Array.of(3),
    bathrooms: Float64Array.of(1),
    floor_area_sqm: Float64Array.of(120),
    year_built: Float64Array.of(1970),
  };
  const unknown = Float64Array.of(NaN);
  const bare = { bedrooms: unknown, bathrooms: unknown, floor_area_sqm: unknown, land_area_sqm: unknown };
  const value = (home: typeof one, trained = { model, evidence }) =>
    valueHomes(trained.model, trained.evidence, home, AS_OF)[0]!;

  it('are full with all that the model asks for, masked without some of it', () => {
    expect(value(whole).estimate?.tier).toBe('full');
    expect(value({ ...whole, floor_area_sqm: unknown }).estimate?.tier).toBe('masked');
    expect(value({ ...whole, year_built: unknown }).estimate?.tier).toBe('masked');
  });

  const tierOf = (home: typeof one, trained = { model, evidence }) =>
    rawPredictions(trained.model, trained.evidence, home, Int32Array.of(AS_OF)).raws[0]!.tier;

  it('are bare for a home without attributes, or located only by street or suburb', () => {
    const unplaced = { lon: unknown, lat: unknown };
    expect(tierOf({ ...whole, ...bare })).toBe('bare');
    expect(tierOf({ ...whole, ...unplaced })).toBe('bare');
    expect(tierOf({ ...whole, ...unplaced, ...bare, street: ['no such street'] })).toBe('bare');
    const near = value({ ...whole, ...unplaced }).estimate!;
    const { price } = value(whole).estimate!;
    expect(Math.abs(Math.log(near.price / price))).toBeLessThan(0.3);
  });

  it('fall back to the suburb median, at low confidence, without attributes or trees', () => {
    const region = trained(600, { ...QUICK, min_area_sales: 2 });
    expect(tierOf({ ...whole, ...bare }, region)).toBe('area_median');
    const { estimate, reason } = value({ ...whole, ...bare }, region);
    if (estimate) expect(estimate.confidence).toBeLessThanOrEqual(30);
    else expect(reason).toBe('too_uncertain');
  });

  it.each([
    ['type_not_valued', { ...whole, dwelling_type: ['rural'] }],
    ['not_located', { ...whole, lon: unknown, lat: unknown, area: ['nowhere'] }],
  ])('end with the reason %s', (reason, home) => expect(value(home)).toEqual({ estimate: null, reason }));

  it('use ridge with local residual for few sales, and no model for hardly any', () => {
    const region = trainAvm(
      selectSales(
        CITY,
        Array.from({ length: 600 }, (_, i) => i),
      ),
      OPTIONS,
      QUICK,
    );
    expect(region.model.boosted).toBeNull();
    expect(value(whole, region).estimate?.tier).toBe('ridge_local');
    const hamlet = trainAvm(
      selectSales(
        CITY,
        Array.from({ length: 40 }, (_, i) => i),
      ),
      OPTIONS,
      QUICK,
    );
    expect(value(whole, hamlet)).toEqual({ estimate: null, reason: 'too_few_sales' });
    const nothing = trainAvm(selectSales(CITY, []), OPTIONS, QUICK);
    expect(value(whole, nothing).estimate).toBeNull();
  });

  const trained = (n: number, params: AvmParams) =>
    trainAvm(
      selectSales(
        CITY,
        Array.from({ length: n }, (_, i) => i),
      ),
      OPTIONS,
      params,
    );

  it('do not drop for a missing attribute that no sale has', () => {
    const blank = (homes: typeof CITY) => ({
      ...homes,
      ...Object.fromEntries(
        MASKED_ATTRIBUTES.map((name) => [name, new Float64Array(homes.length).fill(NaN)]),
      ),
    });
    const plain = trainAvm(blank(CITY), OPTIONS, QUICK);
    const homes = blank(LATER);
    const valued = valueHomes(plain.model, plain.evidence, homes, AS_OF);
    expect(new Set(valued.map(({ estimate }) => estimate?.tier))).toEqual(new Set(['full']));
    const errors = valued.map(({ estimate }, i) => Math.abs(estimate!.price / homes.price[i]! - 1));
    const medians = rawPredictions(
      plain.model,
      plain.evidence,
      homes,
      new Int32Array(homes.length).fill(AS_OF),
    );
    const simple = [...medians.rows.described.area_median].map((log, i) =>
      Math.abs(Math.exp(log) / homes.price[i]! - 1),
    );
    expect(median(errors)).toBeLessThan(median(simple));
  });

  it('include trees exactly from the minimum of usable sales', () => {
    const params = (min_boost_sales: number): AvmParams => ({ ...QUICK, min_boost_sales });
    const usable = trained(600, QUICK).model.trained_sales;
    expect(trained(600, params(usable)).model.boosted).not.toBeNull();
    expect(trained(600, params(usable + 1)).model.boosted).toBeNull();
  });

  it('include the suburb median exactly from the minimum of sales', () => {
    const bareHome = { ...whole, ...bare };
    const { model, evidence } = trained(CITY.length, { ...QUICK, min_boost_sales: CITY.length + 1 });
    const batch = rawPredictions(model, evidence, bareHome, Int32Array.of(AS_OF));
    const sales = batch.rows.described.area_count[0]!;
    expect(sales).toBeGreaterThan(8);
    const tierAt = (min_area_sales: number) => {
      const own = { ...model, params: { ...model.params, min_area_sales } };
      return rawPredictions(own, evidence, bareHome, Int32Array.of(AS_OF)).raws[0]!;
    };
    expect(tierAt(sales).tier).toBe('area_median');
    expect(tierAt(sales + 1)).toMatchObject({ tier: null, reason: 'too_few_sales' });
    expect(AVM).toMatchObject({ min_boost_sales: 2000, min_area_sales: 8 });
  });
});

describe('known errors', () => {
  it('correct the level, and widen the interval of what comes after them only', () => {
    const days = new Int32Array(LATER.length).fill(AS_OF);
    const { raws } = rawPredictions(model, evidence, LATER, days);
    const raw = raws.find((own) => own.tier === 'full')!;
    const name = ledgerOf(model, raw)!;
    const entries = raws.flatMap((own, i) =>
      ledgerOf(model, own) === name ? (ledgerEntry(model, own, AS_OF, LATER.price[i]! * 1.3) ?? []) : [],
    );
    const ledgers = ledgersOf(model);
    const before = new Calibrator(model);
    const after = new Calibrator(model, { ...ledgers, [name]: extendLedger(ledgers[name]!, entries) });
    expect(after.value(raw, AS_OF + 13)).toEqual(before.value(raw, AS_OF + 13));
    const rise = after.value(raw, AS_OF + 14).estimate!.price / before.value(raw, AS_OF + 14).estimate!.price;
    expect(rise).toBeGreaterThan(1.08);
    expect(rise).toBeLessThan(1.3);
  });
});

describe('extra features', () => {
  it('join in by name, and win gain where they say something', () => {
    const secret = CITY.price.map((price, i) => (i % 3 === 0 ? NaN : Math.log(price) + 0.01 * (i % 7)));
    const dull = CITY.price.map((_, i) => i % 11);
    const extra = { 'school.secret': secret, 'hazard.dull': dull };
    const trained = trainAvm({ ...CITY, extra }, OPTIONS, QUICK).model;
    const gain = new Map(trained.gain.map((own) => [own.name, own.gain]));
    expect(trained.extra).toEqual(['hazard.dull', 'school.secret']);
    expect(gain.get('school.secret')).toBeGreaterThan(10 * gain.get('hazard.dull')!);
  });
});

describe('rents', () => {
  it('are valued by the same machinery', () => {
    const rents = { ...CITY, price: CITY.price.map((price) => Math.round((price * 0.045) / 52)) };
    const trained = trainAvm(rents, { ...OPTIONS, kind: 'rent' }, QUICK);
    const [first] = valueHomes(trained.model, trained.evidence, selectHomes(LATER, [0]), AS_OF);
    expect(first!.estimate!.price).toBeGreaterThan(100);
    expect(first!.estimate!.price).toBeLessThan(2000);
    expect(trained.model.id).not.toBe(model.id);
  });
});
