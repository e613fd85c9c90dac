/** Training and prediction of boosted trees on seeded rows: `npx tsx bench/avm.ts [rows] [features] [trees]`. */
import { applyBinning, type FeatureMatrix, makeBinning } from '../transforms/avm/gbt/bins.ts';
import { boost } from '../transforms/avm/gbt/boost.ts';
import { predictForest } from '../transforms/avm/gbt/forest.ts';
import { AVM } from '../transforms/avm/params.ts';
import { seededRandom } from '../transforms/stats/random.ts';

/** Seconds of processor time used so far: what other programs on the machine do counts less than on the clock. */
const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

const ROWS = Number(process.argv[2] ?? 30_000);
const FEATURES = Number(process.argv[3] ?? 25);
const TREES = Number(process.argv[4] ?? 500);

const random = seededRandom(1, 1);
const matrix: FeatureMatrix = {
  names: Array.from({ length: FEATURES }, (_, f) => `f${f}`),
  rows: ROWS,
  values: Float64Array.from({ length: ROWS * FEATURES }, () => random.next()),
};
const targets = Float64Array.from({ length: ROWS }, (_, row) => {
  let sum = random.next();
  for (let f = 0; f < FEATURES; f++) sum += Math.sin(4 * matrix.values[f * ROWS + row]!) / (1 + f);
  return sum;
});

function timed<T>(name: string, per: string, count: number, run: () => T): T {
  const started = cpuSeconds();
  const result = run();
  const seconds = cpuSeconds() - started;
  console.log(
    `${name.padEnd(34)} ${seconds.toFixed(2)} s   ${((1e6 * seconds) / count).toFixed(1)} µs per ${per}`,
  );
  return result;
}

const binning = timed('find bins', 'value', ROWS * FEATURES, () => makeBinning(matrix, AVM.bins));
const data = timed('bin', 'value', ROWS * FEATURES, () => applyBinning(binning, matrix));
const params = { ...AVM.boost, rounds: TREES };
const { forest } = timed(`grow ${TREES} trees on ${ROWS} × ${FEATURES}`, 'tree', TREES, () =>
  boost({ data, targets }, binning, params, 1),
);
timed('predict', 'row', ROWS, () => predictForest(forest, data));
