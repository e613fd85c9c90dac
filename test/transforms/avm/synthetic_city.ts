import { AVM, type AvmParams } from '../../../transforms/avm/params.ts';
import type { SaleTable } from '../../../transforms/property/home_table.ts';
import { dayOf } from '../../../transforms/stats/calendar.ts';
import { seededRandom } from '../../../transforms/stats/random.ts';

export const FIRST_DAY = dayOf({ year: 2020, month: 1, day: 1 });

/** Settings that train in a second; what they leave out is accuracy, not code. */
export const QUICK: AvmParams = {
  ...AVM,
  boost: { ...AVM.boost, rounds: 100, learning_rate: 0.1, leaves: 7, patience: 20, feature_fraction: 0.4 },
  interval: { ...AVM.interval, rounds: 40, learning_rate: 0.15 },
  folds: 2,
  min_boost_sales: 800,
};

const TYPES = ['house', 'unit', 'townhouse'] as const;

/**
 * A made-up city: 25 suburbs on a grid, three types, prices that follow size, place and a rising market with normal errors of
 * about 0.15. Attributes are missing here and there; some properties sell twice.
 */
export function syntheticCity(n: number, seed = 1, days = 900): SaleTable {
  const random = seededRandom(seed, 9);
  const normal = (): number => {
    let sum = -6;
    for (let i = 0; i < 12; i++) sum += random.next();
    return sum;
  };
  const rows = Array.from({ length: n }, (_, i) => {
    const column = random.int(5);
    const line = random.int(5);
    const type = TYPES[Math.min(2, random.int(4) % 3)]!;
    const bedrooms = (type === 'unit' ? 1 : 2) + random.int(3);
    const floor = Math.exp(3.9 + 0.25 * bedrooms + 0.2 * normal());
    const land = type === 'unit' ? NaN : Math.exp(6 + 0.35 * normal());
    const year = 1900 + random.int(118);
    const x = column + random.next();
    const y = line + random.next();
    const day = FIRST_DAY + random.int(days);
    const place = 0.5 * Math.exp(-((x - 2) ** 2 + (y - 3) ** 2) / 3) + 0.1 * Math.sin(3 * column + line);
    const log =
      12.6 +
      place +
      0.6 * Math.log(floor / 120) +
      (type === 'unit' ? -0.25 : 0.2 * Math.log(land / 450)) +
      0.002 * Math.max(0, year - 1980) +
      (0.08 * (day - FIRST_DAY)) / 365 +
      0.15 * normal();
    const missing = (value: number, share: number): number => (random.next() < share ? NaN : value);
    return {
      id: `s${String(i).padStart(6, '0')}`,
      property: `p${random.int(Math.ceil(n * 1.5))}`,
      type,
      area: `suburb ${column}${line}`,
      // Five streets side by side in a suburb.
      street: `street ${Math.floor(5 * (x - column))}`,
      lon: 145 + 0.02 * x,
      lat: -37.9 + 0.02 * y,
      bedrooms,
      bathrooms: missing(1 + random.int(2), 0.1),
      parking: missing(random.int(3), 0.1),
      land,
      floor: missing(floor, 0.3),
      year: missing(year, 0.3),
      day,
      price: Math.round(Math.exp(log)),
    };
  });
  const column = (of: (row: (typeof rows)[number]) => number): Float64Array => Float64Array.from(rows, of);
  return {
    length: n,
    id: rows.map((row) => row.id),
    property: rows.map((row) => row.property),
    dwelling_type: rows.map((row) => row.type),
    area: rows.map((row) => row.area),
    street: rows.map((row) => row.street),
    lon: column((row) => row.lon),
    lat: column((row) => row.lat),
    bedrooms: column((row) => row.bedrooms),
    bathrooms: column((row) => row.bathrooms),
    parking: column((row) => row.parking),
    land_area_sqm: column((row) => row.land),
    floor_area_sqm: column((row) => row.floor),
    year_built: column((row) => row.year),
    extra: {},
    day: Int32Array.from(rows, (row) => row.day),
    price: column((row) => row.price),
  };
}
