/**
 * What the valuation is worth on cases made of one file of sales: `nice npx tsx bench/avm_cases.ts <sales.csv> <map.yaml> [case …]`.
 * One line for each case; without names, all of them. A case changes what is known of the sales or their prices, all seeded:
 * `as_is`, `quarter_blank` (coordinates, bathrooms, parking and land of a random quarter of the rows unknown), `unplaced` (no
 * coordinates at all), `falling` and `rising` (20 % a year besides), `fall` (15 % at once, 60 days before the end), `errors` (one
 * price in a hundred ten times too high or low), `units`, `few` (2,000 sales). A name may end in `@` and the share that is judged.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { evaluate } from '../pipelines/evaluate/evaluate.ts';
import { withForestThreads } from '../pipelines/evaluate/forest_threads.ts';
import { readSales } from '../pipelines/evaluate/read_sales.ts';
import { parseSalesMap } from '../pipelines/evaluate/sales_map.ts';
import { SALE_RULES, validateSales } from '../transforms/avm/validate_sales.ts';
import { type SaleTable, selectSales } from '../transforms/property/home_table.ts';
import { seededRandom } from '../transforms/stats/random.ts';

const [file, mapFile, ...asked] = process.argv.slice(2);
if (!file || !mapFile)
  throw new Error('usage: npx tsx bench/avm_cases.ts <sales.csv> <map.yaml> [case[@split] …]');
const LAG_DAYS = 14;
const YEAR = 365.25;
const BLANKED = ['lon', 'lat', 'bathrooms', 'parking', 'land_area_sqm'] as const;

const map = parseSalesMap(readFileSync(mapFile, 'utf8'), mapFile);
const read = await readSales(file, map);
const today = Math.floor(Date.now() / 86_400_000);
const { sales: given } = validateSales(read.sales, read.facts, today, SALE_RULES[map.kind]);

/** The sales with the rows that `is` picks blank in `names`. */
function blank(
  sales: SaleTable,
  names: readonly (typeof BLANKED)[number][],
  is: (row: number) => boolean,
): SaleTable {
  const columns = names.map((name) => [
    name,
    sales[name].map((value, row) => (is(row) ? Number.NaN : value)),
  ]);
  return { ...sales, ...Object.fromEntries(columns) };
}

const priced = (sales: SaleTable, factor: (row: number) => number): SaleTable => ({
  ...sales,
  price: sales.price.map((price, row) => Math.round(price * factor(row))),
});

function quarterBlank(sales: SaleTable, seed: number): SaleTable {
  const random = seededRandom(seed, 1);
  const isBlank = Array.from({ length: sales.length }, () => random.next() < 0.25);
  return blank(sales, BLANKED, (row) => isBlank[row]!);
}

const pick = (sales: SaleTable, is: (row: number) => boolean): SaleTable =>
  selectSales(sales, Array.from({ length: sales.length }, (_, row) => row).filter(is));

const drift = (yearly: number) => (sales: SaleTable) =>
  priced(sales, (row) => (1 + yearly) ** ((sales.day[row]! - sales.day[0]!) / YEAR));

const CASES: Readonly<Record<string, (sales: SaleTable) => SaleTable>> = {
  as_is: (sales) => sales,
  quarter_blank: (sales) => quarterBlank(sales, 1),
  quarter_blank_2: (sales) => quarterBlank(sales, 2),
  unplaced: (sales) => blank(sales, ['lon', 'lat'], () => true),
  falling: drift(-0.2),
  rising: drift(0.2),
  fall: (sales) => priced(sales, (row) => (sales.day[row]! > sales.day.at(-1)! - 60 ? 0.85 : 1)),
  errors: (sales) => {
    const random = seededRandom(1, 2);
    return priced(sales, () => {
      const drawn = random.next();
      return drawn < 0.005 ? 10 : drawn < 0.01 ? 0.1 : 1;
    });
  },
  units: (sales) => pick(sales, (row) => sales.dwelling_type[row] === 'unit'),
  few: (sales) => {
    const random = seededRandom(1, 3);
    return pick(sales, () => random.next() < 2000 / sales.length);
  },
};

const names = asked.length > 0 ? asked : Object.keys(CASES);
console.log(
  'case                  judged   none  error %  of area  within 20  COD    PRD    ratio  coverage  first…last quarter   seconds',
);
await withForestThreads(undefined, async (threads) => {
  for (const name of names) {
    const [own, split = '0.15'] = name.split('@') as [string, string?];
    const make = CASES[own];
    if (!make) throw new Error(`no case ${own}: ${Object.keys(CASES).join(', ')}`);
    const snapshot = createHash('sha256').update(name).digest('hex');
    const started = performance.now();
    const options = { kind: map.kind, split: Number(split), folds: 1, lag_days: LAG_DAYS, snapshot };
    const { evaluation, judged } = await evaluate(make(given), options, threads);
    const seconds = (performance.now() - started) / 1000;
    const { overall, methods, no_estimate } = evaluation;
    const [model, area] = methods as [(typeof methods)[0], (typeof methods)[0]];
    const inside = judged.map(({ price, estimate }) =>
      Number(price >= estimate.low && price <= estimate.high),
    );
    const quarters = [0, 1, 2, 3].map((k) => {
      const part = inside.slice((k * inside.length) / 4, ((k + 1) * inside.length) / 4);
      return ((100 * part.reduce((sum, n) => sum + n, 0)) / part.length).toFixed(0);
    });
    const none = Object.values(no_estimate).reduce((sum, n) => sum + n, 0);
    console.log(
      [
        name.padEnd(20),
        String(overall.n).padStart(7),
        String(none).padStart(6),
        model.median_abs_error_pct.toFixed(2).padStart(8),
        (model.median_abs_error_pct / area.median_abs_error_pct).toFixed(3).padStart(8),
        model.within_20_pct.toFixed(1).padStart(10),
        model.cod.toFixed(2).padStart(6),
        model.prd.toFixed(3).padStart(6),
        model.median_ratio.toFixed(3).padStart(6),
        overall.coverage_pct.toFixed(1).padStart(8),
        quarters.join(' ').padStart(16),
        seconds.toFixed(1).padStart(10),
      ].join(' '),
    );
    for (const tier of evaluation.by_tier)
      console.log(
        `  ${tier.group.padEnd(18)} ${String(tier.n).padStart(7)}        ${tier.median_abs_error_pct.toFixed(2).padStart(8)}          ${tier.within_20_pct.toFixed(1).padStart(10)} ${tier.cod.toFixed(2).padStart(6)}        ${tier.median_ratio.toFixed(3).padStart(6)} ${tier.coverage_pct.toFixed(1).padStart(8)}`,
      );
  }
});
