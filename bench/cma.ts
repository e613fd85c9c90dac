/** Comparables per subject on a seeded city: `npx tsx bench/cma.ts [sales] [subjects]`. */
import { COMPARABLES, comparablesFor, makeRanked, rankComparables } from '../transforms/cma/comparables.ts';
import { recentSalesNearby } from '../transforms/cma/recent_sales.ts';
import { buildSalesIndex, subjectOf } from '../transforms/cma/sales_index.ts';
import type { SaleTable } from '../transforms/property/home_table.ts';
import { seededRandom } from '../transforms/stats/random.ts';

/** Seconds of processor time used so far: what other programs on the machine do counts less than on the clock. */
const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

const SALES = Number(process.argv[2] ?? 200_000);
const SUBJECTS = Number(process.argv[3] ?? 20_000);
/** Properties that a full run has. */
const FULL = 15_000_000;
const DAYS = 1500;
const TYPES = ['house', 'unit', 'townhouse'] as const;

/** Sales around 60 centres, dense in the middle of each, as suburbs are. */
function city(n: number): SaleTable {
  const random = seededRandom(1, 1);
  const centres = Array.from({ length: 60 }, () => [random.next(), random.next()] as const);
  const rows = Array.from({ length: n }, (_, i) => {
    const centre = random.int(centres.length);
    const spread = 0.03 * (random.next() + random.next() - 1);
    const turn = 2 * Math.PI * random.next();
    return {
      id: String(i).padStart(8, '0'),
      area: `suburb ${centre}`,
      type: TYPES[random.int(3)]!,
      lon: 144.8 + 0.5 * centres[centre]![0] + spread * Math.cos(turn),
      lat: -38 + 0.4 * centres[centre]![1] + spread * Math.sin(turn),
      numbers: Array.from({ length: 6 }, () => random.next()),
      day: 18_000 + random.int(DAYS),
    };
  });
  const column = (of: (row: (typeof rows)[number]) => number): Float64Array => Float64Array.from(rows, of);
  return {
    length: n,
    id: rows.map(({ id }) => id),
    property: rows.map(({ id }) => id),
    dwelling_type: rows.map(({ type }) => type),
    area: rows.map(({ area }) => area),
    street: rows.map(() => ''),
    lon: column(({ lon }) => lon),
    lat: column(({ lat }) => lat),
    bedrooms: column(({ numbers }) => 1 + Math.floor(5 * numbers[0]!)),
    bathrooms: column(({ numbers }) => 1 + Math.floor(3 * numbers[1]!)),
    parking: column(({ numbers }) => Math.floor(3 * numbers[2]!)),
    land_area_sqm: column(({ numbers }) => 150 + 800 * numbers[3]!),
    floor_area_sqm: column(({ numbers }) => (numbers[4]! < 0.3 ? NaN : 60 + 200 * numbers[4]!)),
    year_built: column(({ numbers }) => 1900 + Math.floor(120 * numbers[5]!)),
    extra: {},
    day: Int32Array.from(rows, ({ day }) => day),
    price: column(({ numbers }) => 500_000 + 900_000 * numbers[3]!),
  };
}

function measure(name: string, run: (row: number) => void): void {
  for (let row = 0; row < SUBJECTS / 10; row++) run(row);
  const started = cpuSeconds();
  for (let row = 0; row < SUBJECTS; row++) run(row);
  const us = ((cpuSeconds() - started) * 1e6) / SUBJECTS;
  const hours = (us * FULL) / 3.6e9;
  console.log(
    `${name.padEnd(34)} ${us.toFixed(1).padStart(8)} µs   ${hours.toFixed(2)} core hours for 15 million`,
  );
}

const sales = city(SALES);
const started = cpuSeconds();
const index = buildSalesIndex(sales);
console.log(`index of ${SALES.toLocaleString('en-AU')} sales ${(cpuSeconds() - started).toFixed(2)} s`);
const AS_OF = 18_000 + DAYS;
const ranked = makeRanked(COMPARABLES.top);
const step = Math.max(1, Math.floor(SALES / SUBJECTS));
const subjects = Array.from({ length: SUBJECTS }, (_, k) => subjectOf(index.sales, (k * step) % SALES));
measure('rankComparables (numbers only)', (row) =>
  rankComparables(index, subjects[row]!, AS_OF, COMPARABLES, ranked),
);
measure('comparablesFor (ten objects)', (row) => comparablesFor(index, subjects[row]!, AS_OF));
measure('recentSalesNearby (500 m, 1 year)', (row) => recentSalesNearby(index, subjects[row]!, AS_OF));
