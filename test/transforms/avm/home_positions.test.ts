import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hasOwnPoint, PLACE_SPREAD, placeHomes, placesOf } from '../../../transforms/avm/home_positions.ts';
import { valueHomes } from '../../../transforms/avm/predict.ts';
import { trainAvm } from '../../../transforms/avm/train.ts';
import { metresBetween } from '../../../transforms/cma/point_grid.ts';
import {
  type HomeTable,
  inCanonicalOrder,
  knownBy,
  selectSales,
} from '../../../transforms/property/home_table.ts';
import { median } from '../../../transforms/stats/quantile.ts';
import { seededRandom } from '../../../transforms/stats/random.ts';
import { FIRST_DAY, QUICK, syntheticCity } from './synthetic_city.ts';

const CITY = inCanonicalOrder(syntheticCity(2500));
const PLACES = placesOf(CITY);
const without = (homes: HomeTable, is: (row: number) => boolean, names: readonly (keyof HomeTable)[]) => ({
  ...homes,
  ...Object.fromEntries(
    names.map((name) => [
      name,
      (homes[name] as Float64Array).map((own, row) => (is(row) ? Number.NaN : own)),
    ]),
  ),
});
const errorsOf = (placed: HomeTable): number[] =>
  CITY.id.map((_, i) => metresBetween(CITY.lon[i]!, CITY.lat[i]!, placed.lon[i]!, placed.lat[i]!));

describe('homes without coordinates', () => {
  it('lie in the middle of their street, else of their suburb, and say how far from there they may be', () => {
    const blank = without(CITY, () => true, ['lon', 'lat']);
    const by_street = errorsOf(placeHomes(blank, PLACES));
    const suburbs = { ...blank, street: CITY.street.map(() => '') };
    const in_suburb = placeHomes(suburbs, PLACES);
    expect(median(by_street)).toBeLessThan(0.8 * median(errorsOf(in_suburb)));
    const spread = in_suburb.extra[PLACE_SPREAD]!;
    const inside = errorsOf(in_suburb).filter((error, i) => error < 2 * spread[i]!).length;
    expect(inside / CITY.length).toBeGreaterThan(0.9);
  });

  it('keep their position when they are placed again, as do homes with coordinates', () => {
    const once = placeHomes(
      without(CITY, (row) => row % 3 === 0, ['lon', 'lat']),
      PLACES,
    );
    expect(placeHomes(once, PLACES)).toEqual(once);
    CITY.lon.forEach((lon, row) => {
      expect(hasOwnPoint(once, row)).toBe(row % 3 > 0);
      if (row % 3 > 0) expect(once.lon[row]).toBe(lon);
    });
  });

  it('are placed by the other homes alone when their own point is hidden', () => {
    const hidden = placeHomes(CITY, PLACES, () => true);
    for (let row = 0; row < 20; row++) {
      const own = CITY.property[row]!;
      const rest = CITY.id.map((_, i) => i).filter((i) => CITY.property[i] !== own || i === row);
      const blank = without(selectSales(CITY, rest), (i) => rest[i] === row, ['lon', 'lat']);
      const at = rest.indexOf(row);
      const placed = placeHomes(blank, placesOf(blank));
      expect(placed.lon[at]).toBeCloseTo(hidden.lon[row]!, 6);
      expect(placed.lat[at]).toBeCloseTo(hidden.lat[row]!, 6);
    }
  });

  it('have no position without a known suburb', () => {
    const lost = { ...without(CITY, () => true, ['lon', 'lat']), area: CITY.area.map(() => 'nowhere') };
    expect(placeHomes(lost, PLACES).lon.every(Number.isNaN)).toBe(true);
  });
});

describe('a quarter of the sales without coordinates and most attributes', () => {
  const random = seededRandom(1, 1);
  const isBlank = CITY.id.map(() => random.next() < 0.25);
  const blanked = ['lon', 'lat', 'bathrooms', 'parking', 'land_area_sqm'] as const;
  const sales = without(CITY, (row) => isBlank[row]!, blanked) as typeof CITY;
  const as_of = FIRST_DAY + 750;
  const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
  const { model, evidence } = trainAvm(
    selectSales(
      sales,
      Array.from({ length: knownBy(sales.day, as_of) }, (_, i) => i),
    ),
    { kind: 'sale', as_of, snapshot: 'test', digest },
    QUICK,
  );
  const from = knownBy(sales.day, as_of);
  const later = selectSales(
    sales,
    Array.from({ length: sales.length - from }, (_, i) => from + i),
  );
  const values = valueHomes(model, evidence, later, as_of);
  const errorOf = (blank: boolean): number[] =>
    values.flatMap(({ estimate }, i) =>
      estimate && isBlank[from + i] === blank ? [Math.abs(Math.log(estimate.price / later.price[i]!))] : [],
    );

  it('are all valued, nearly as well as the others', () => {
    const tiers = new Set(
      values.flatMap(({ estimate }, i) => (isBlank[from + i] ? [estimate?.tier ?? 'none'] : [])),
    );
    expect([...tiers]).toEqual(['bare']);
    expect(median(errorOf(true))).toBeLessThan(1.4 * median(errorOf(false)));
  });

  it('lie in their intervals as often as the others', () => {
    const inside = values.filter(
      ({ estimate }, i) =>
        isBlank[from + i] && later.price[i]! >= estimate!.low && later.price[i]! <= estimate!.high,
    ).length;
    const n = values.filter((_, i) => isBlank[from + i]).length;
    expect(inside / n).toBeGreaterThan(0.7);
    expect(inside / n).toBeLessThan(0.9);
  });
});
