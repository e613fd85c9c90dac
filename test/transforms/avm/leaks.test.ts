import { describe, expect, it } from 'vitest';
import { packModel } from '../../../transforms/avm/artefact.ts';
import { type Described, describeHomes } from '../../../transforms/avm/describe_homes.ts';
import { buildEvidence } from '../../../transforms/avm/evidence.ts';
import { EVIDENCE } from '../../../transforms/avm/evidence_params.ts';
import { valueHomes } from '../../../transforms/avm/predict.ts';
import { trainAvm } from '../../../transforms/avm/train.ts';
import { inCanonicalOrder, type SaleTable, selectSales } from '../../../transforms/property/home_table.ts';
import { monthOf } from '../../../transforms/stats/calendar.ts';
import { seededRandom, shuffleFirst } from '../../../transforms/stats/random.ts';
import { ratioStudy } from '../../../transforms/stats/ratio_study.ts';
import { FIRST_DAY, QUICK, syntheticCity } from './synthetic_city.ts';

const CITY = inCanonicalOrder(syntheticCity(2500));
const OPTIONS = {
  kind: 'sale',
  as_of: FIRST_DAY + 800,
  snapshot: 'test',
  digest: (text: string) => text,
} as const;

const withPrices = (sales: SaleTable, price: Float64Array): SaleTable => ({ ...sales, price });

/** Everything that is known of row `i`, as bits. */
function rowOf(described: Described, i: number): BigUint64Array {
  const n = described.anchor.length;
  const values = Array.from({ length: described.values.length / n }, (_, k) => described.values[k * n + i]!);
  values.push(
    described.anchor[i]!,
    described.comparables[i]!,
    described.area_median[i]!,
    described.area_count[i]!,
  );
  return new BigUint64Array(Float64Array.from(values).buffer);
}

describe('no feature sees what was not known', () => {
  const before = describeHomes(buildEvidence(CITY), CITY, CITY.day);

  it.each([200, 430, 555, 700])('on day %d, no feature depends on later prices', (offset) => {
    const day = FIRST_DAY + offset;
    const tripled = CITY.price.map((price, i) => (CITY.day[i]! > day ? 3 * price : price));
    const evidence = buildEvidence(withPrices(CITY, tripled));
    const after = describeHomes(evidence, CITY, CITY.day);
    let described = 0;
    for (let i = 0; i < CITY.length; i++) {
      if (CITY.day[i]! > day + 14) break;
      expect(rowOf(after, i)).toEqual(rowOf(before, i));
      if (Number.isFinite(before.anchor[i]!)) described++;
    }
    if (offset > 200) expect(described).toBeGreaterThan(300);
    // The same change is seen after the lag: the test would notice features that see nothing at all.
    const last = CITY.length - 1;
    if (offset === 430) expect(rowOf(after, last)).not.toEqual(rowOf(before, last));
  });

  it('a price never reaches the features of its own sale', () => {
    const random = seededRandom(2, 2);
    for (let k = 0; k < 12; k++) {
      const i = 800 + random.int(CITY.length - 800);
      const changed = CITY.price.slice();
      changed[i] = changed[i]! * 1.7;
      const own = selectSales(CITY, [i]);
      const after = describeHomes(buildEvidence(withPrices(CITY, changed)), own, own.day);
      expect(rowOf(after, 0)).toEqual(rowOf(before, i));
    }
  });

  it('a month of outliers alone gives no earlier model', () => {
    // The first month lacks one sale for a model; the only sale of the second month is an outlier.
    const first_month = monthOf(CITY.day[0]!);
    const rows = Array.from({ length: CITY.length }, (_, i) => i).filter(
      (i) => monthOf(CITY.day[i]!) === first_month,
    );
    const next = CITY.day.findIndex((day) => monthOf(day) === first_month + 1);
    const few = selectSales(CITY, rows);
    const more = selectSales(CITY, [...rows, next]);
    more.price[rows.length] = 1e9;
    const params = { ...EVIDENCE, min_sales: more.length };
    const home = selectSales(CITY, [next]);
    const describedOn = (sales: SaleTable, days: number) =>
      rowOf(
        describeHomes(
          buildEvidence(sales, params),
          home,
          home.day.map(() => more.day.at(-1)! + days),
        ),
        0,
      );
    expect(buildEvidence(more, params).vintages).toHaveLength(1);
    expect(describedOn(more, params.lag_days)).toEqual(describedOn(few, params.lag_days));
    expect(describedOn(more, params.lag_days + 31)).not.toEqual(describedOn(few, params.lag_days + 31));
  });

  it('sales of the last days before the lag are not seen either', () => {
    const own = selectSales(CITY, [CITY.length - 1]);
    const day = own.day[0]!;
    const recent = CITY.price.map((price, i) => (CITY.day[i]! > day - 14 ? price * 5 : price));
    const after = describeHomes(buildEvidence(withPrices(CITY, recent)), own, own.day);
    expect(rowOf(after, 0)).toEqual(rowOf(before, CITY.length - 1));
  });
});

describe('a model', () => {
  it('has no skill where prices are shuffled among the sales', () => {
    const order = Int32Array.from({ length: CITY.length }, (_, i) => i);
    shuffleFirst(order, order.length, seededRandom(3, 3));
    const shuffled = withPrices(
      CITY,
      Float64Array.from(order, (i) => CITY.price[i]!),
    );
    const skill = (sales: SaleTable): number => {
      const { model, evidence } = trainAvm(sales, OPTIONS, QUICK);
      const rows = Array.from({ length: sales.length }, (_, i) => i).filter(
        (i) => sales.day[i]! > OPTIONS.as_of,
      );
      const test = selectSales(sales, rows);
      const values = valueHomes(model, evidence, test, OPTIONS.as_of);
      const valued = rows.map((_, k) => k).filter((k) => values[k]!.estimate !== null);
      const prices = Float64Array.from(valued, (k) => test.price[k]!);
      const constant = new Float64Array(prices.length).fill(prices.toSorted()[prices.length >> 1]!);
      const estimates = Float64Array.from(valued, (k) => values[k]!.estimate!.price);
      const error = ratioStudy(estimates, prices).median_abs_error_pct;
      return 1 - error / ratioStudy(constant, prices).median_abs_error_pct;
    };
    expect(skill(CITY)).toBeGreaterThan(0.4);
    expect(skill(shuffled)).toBeLessThan(0.1);
  });

  it('is the same bytes whatever the order of the sales', () => {
    const order = Int32Array.from({ length: CITY.length }, (_, i) => i);
    shuffleFirst(order, order.length, seededRandom(9, 9));
    const bytes = packModel(trainAvm(CITY, OPTIONS, QUICK).model);
    const other = packModel(trainAvm(selectSales(CITY, order), OPTIONS, QUICK).model);
    expect(Buffer.compare(bytes, other)).toBe(0);
  });
});
