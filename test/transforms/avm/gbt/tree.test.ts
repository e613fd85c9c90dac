import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyBinning, type FeatureMatrix, makeBinning } from '../../../../transforms/avm/gbt/bins.ts';
import { boost } from '../../../../transforms/avm/gbt/boost.ts';
import { predictForest } from '../../../../transforms/avm/gbt/forest.ts';
import { Histograms } from '../../../../transforms/avm/gbt/histogram.ts';
import { TreeGrower } from '../../../../transforms/avm/gbt/tree.ts';
import { seededRandom } from '../../../../transforms/stats/random.ts';

interface Params {
  leaves: number;
  min_leaf: number;
  lambda: number;
}

/** A leaf of the brute-force tree: its rows, and the best split of them found by trying every cut of every feature. */
interface BruteLeaf {
  rows: number[];
  gain: number;
  left: number[];
  right: number[];
}

/** Grows a tree on raw values by trying everything: the specification of TreeGrower. Returns the value of each row. */
function bruteForceTree(matrix: FeatureMatrix, gradient: Float64Array, params: Params): Float64Array {
  const valueAt = (feature: number, row: number): number => matrix.values[feature * matrix.rows + row]!;
  const sum = (rows: readonly number[]): number => rows.reduce((total, row) => total + gradient[row]!, 0);
  const score = (rows: readonly number[]): number => sum(rows) ** 2 / (rows.length + params.lambda);
  const leafOf = (rows: number[]): BruteLeaf => {
    const best: BruteLeaf = { rows, gain: 1e-12, left: [], right: [] };
    matrix.names.forEach((_, feature) => {
      const cuts = [...new Set(rows.map((row) => valueAt(feature, row)).filter((v) => !Number.isNaN(v)))];
      cuts.sort((a, b) => a - b);
      const hasMissing = rows.some((row) => Number.isNaN(valueAt(feature, row)));
      for (const missingLeft of hasMissing ? [true, false] : [false]) {
        for (const cut of cuts) {
          const goesLeft = (row: number): boolean => {
            const value = valueAt(feature, row);
            return Number.isNaN(value) ? missingLeft : value <= cut;
          };
          const left = rows.filter(goesLeft);
          const right = rows.filter((row) => !goesLeft(row));
          if (left.length < params.min_leaf || right.length < params.min_leaf) continue;
          const gain = score(left) + score(right) - score(rows);
          if (gain > best.gain) Object.assign(best, { gain, left, right });
        }
      }
    });
    return best;
  };
  const leaves = [leafOf(Array.from({ length: matrix.rows }, (_, row) => row))];
  while (leaves.length < params.leaves) {
    const best = leaves.reduce((a, b) => (b.gain > a.gain ? b : a));
    if (best.left.length === 0) break;
    leaves[leaves.indexOf(best)] = leafOf(best.left);
    leaves.push(leafOf(best.right));
  }
  const values = new Float64Array(matrix.rows);
  for (const { rows } of leaves)
    for (const row of rows) values[row] = -sum(rows) / (rows.length + params.lambda);
  return values;
}

function matrixOf(columns: readonly (readonly number[])[]): FeatureMatrix {
  return {
    names: columns.map((_, f) => `f${f}`),
    rows: columns[0]!.length,
    values: Float64Array.from(columns.flat()),
  };
}

function grow(matrix: FeatureMatrix, gradient: Float64Array, params: Params): Float64Array {
  const binning = makeBinning(matrix, 254);
  const grower = new TreeGrower(
    applyBinning(binning, matrix),
    binning.edges.map((own) => own.length + 2),
    params,
    1,
  );
  const rows = Uint32Array.from({ length: matrix.rows }, (_, row) => row);
  const { tree, leaves } = grower.grow(
    rows,
    gradient,
    matrix.names.map((_, f) => f),
  );
  const values = new Float64Array(matrix.rows);
  for (const { node, from, to } of leaves)
    for (let k = from; k < to; k++) values[rows[k]!] = tree.value[node]!;
  return values;
}

describe('a tree', () => {
  it('is the one that trying every split gives', () => {
    const cell = fc.oneof({ weight: 6, arbitrary: fc.integer({ min: 0, max: 12 }) }, fc.constant(NaN));
    const shape = fc.integer({ min: 8, max: 60 }).chain((rows) =>
      fc.record({
        columns: fc.array(fc.array(cell, { minLength: rows, maxLength: rows }), {
          minLength: 1,
          maxLength: 4,
        }),
        // Whole multiples of 1/64: sums are exact, so that both ways see the same ties.
        gradient: fc.array(fc.integer({ min: -64, max: 64 }), { minLength: rows, maxLength: rows }),
        leaves: fc.integer({ min: 1, max: 8 }),
        min_leaf: fc.integer({ min: 1, max: 5 }),
        lambda: fc.constantFrom(0.5, 1, 2),
      }),
    );
    fc.assert(
      fc.property(shape, ({ columns, gradient, ...params }) => {
        const matrix = matrixOf(columns);
        const gradients = Float64Array.from(gradient, (value) => value / 64);
        expect(grow(matrix, gradients, params)).toEqual(bruteForceTree(matrix, gradients, params));
      }),
      { numRuns: 200 },
    );
  });

  it('puts a value that was never missing in training with the larger side', () => {
    const matrix = matrixOf([[1, 1, 1, 1, 1, 1, 9, 9]]);
    const targets = Float64Array.of(0, 0, 0, 0, 0, 0, 1, 1);
    const binning = makeBinning(matrix, 63);
    const { forest } = boost({ data: applyBinning(binning, matrix), targets }, binning, BOOST, 1);
    const at = (value: number): number =>
      predictForest(forest, applyBinning(binning, matrixOf([[value]])))[0]!;
    expect(at(NaN)).toBe(at(1));
    expect(at(NaN)).not.toBe(at(9));
  });
});

const BOOST = {
  objective: { kind: 'huber', delta: 0.15 },
  rounds: 20,
  learning_rate: 0.2,
  leaves: 8,
  min_leaf: 1,
  lambda: 1,
  feature_fraction: 1,
  bagging_fraction: 1,
  patience: 5,
} as const;

describe('bins', () => {
  it('hold each of few values on its own, and missing apart', () => {
    const matrix = matrixOf([[3, NaN, 1, 2, 1]]);
    const binning = makeBinning(matrix, 63);
    expect([...binning.edges[0]!]).toEqual([1.5, 2.5]);
    expect([...applyBinning(binning, matrix).bins]).toEqual([3, 0, 1, 2, 1]);
  });

  it('hold about as many values each where there are many, and never more bins than asked', () => {
    const random = seededRandom(2, 2);
    const column = Array.from({ length: 5000 }, () => (random.next() < 0.4 ? 0 : random.next()));
    const matrix = matrixOf([column]);
    const binning = makeBinning(matrix, 32);
    expect(binning.edges[0]!.length).toBeLessThanOrEqual(31);
    const counts = new Map<number, number>();
    for (const bin of applyBinning(binning, matrix).bins) counts.set(bin, (counts.get(bin) ?? 0) + 1);
    const rest = [...counts.values()].sort((a, b) => b - a).slice(1);
    for (const count of rest) expect(count).toBeLessThan(200);
  });

  it('survive neighbours that have no number between them', () => {
    const a = 1;
    const b = 1 + Number.EPSILON;
    const matrix = matrixOf([[a, b]]);
    expect([...applyBinning(makeBinning(matrix, 63), matrix).bins]).toEqual([1, 2]);
  });
});

describe('boosting', () => {
  const random = seededRandom(7, 7);
  const x = Array.from({ length: 1500 }, () => random.next());
  const z = Array.from({ length: 1500 }, () => random.next());
  const noise = Array.from({ length: 1500 }, () => random.next() - 0.5);
  const matrix = matrixOf([x, z]);
  const binning = makeBinning(matrix, 63);
  const data = applyBinning(binning, matrix);
  const targets = Float64Array.from(x, (v, i) => Math.sin(6 * v) + 0.2 * noise[i]!);
  const params = { ...BOOST, rounds: 150, min_leaf: 15, bagging_fraction: 0.75, feature_fraction: 0.5 };

  it('learns what is there', () => {
    const { forest } = boost({ data, targets }, binning, params, 1);
    const predicted = predictForest(forest, data);
    let error = 0;
    x.forEach((v, i) => {
      error += Math.abs(predicted[i]! - Math.sin(6 * v)) / x.length;
    });
    expect(error).toBeLessThan(0.05);
  });

  it('gives equal bytes for equal seeds, and other trees for another seed', () => {
    const run = (seed: number) => boost({ data, targets }, binning, params, seed).forest;
    expect(run(1)).toEqual(run(1));
    expect(run(1)).not.toEqual(run(2));
  });

  it('stops where the held rows stop improving', () => {
    const shuffled = targets.toSorted();
    const held = { data, targets: Float64Array.from(noise) };
    const stopped = boost({ data, targets: shuffled }, binning, params, 1, held);
    expect(stopped.rounds).toBeLessThan(params.rounds);
    expect(stopped.forest.starts.length - 1).toBe(stopped.rounds);
  });

  it('puts the asked share of the targets below a quantile', () => {
    for (const alpha of [0.1, 0.9]) {
      const objective = { kind: 'quantile', alpha } as const;
      const { forest } = boost({ data, targets }, binning, { ...params, objective, min_leaf: 40 }, 1);
      const predicted = predictForest(forest, data);
      const below = targets.filter((target, i) => target <= predicted[i]!).length / targets.length;
      expect(Math.abs(below - alpha)).toBeLessThan(0.04);
    }
  });
});

describe('histograms', () => {
  it.each([0.15, 0.9, 1])(
    'sum and count exactly whatever the number of rows, with gradients up to %d',
    (bound) => {
      const random = seededRandom(3, 3);
      const rows = 9000;
      const columns = Array.from({ length: 7 }, (_, f) => (f === 0 ? 1 : 3 * f + 2));
      const data = {
        rows,
        columns: columns.length,
        bins: Uint8Array.from({ length: rows * columns.length }, (_, i) =>
          random.int(columns[Math.floor(i / rows)]!),
        ),
      };
      const grid = (value: number): number => Math.round(value * 2 ** 30) / 2 ** 30;
      // Half of them at the bound and of one sign: the largest sums that there may be.
      const gradient = Float64Array.from({ length: rows }, () =>
        random.next() < 0.5 ? grid(bound) : grid((2 * random.next() - 1) * bound),
      );
      const histograms = new Histograms(data, columns, bound);
      const features = [0, 1, 2, 4, 6];
      histograms.use(features);
      for (const n of [1, 399, 400, 2048, 2049, rows]) {
        const picked = Uint32Array.from({ length: n }, (_, k) => Math.floor((k * rows) / n));
        const made = histograms.count(picked, gradient);
        features.forEach((feature, slot) => {
          const expected = new Float64Array(2 * columns[feature]!);
          for (const row of picked) {
            const bin = data.bins[feature * rows + row]!;
            expected[2 * bin]! += gradient[row]!;
            expected[2 * bin + 1]! += 1;
          }
          const start = slot * histograms.slots;
          expect(made.slice(start, start + expected.length)).toEqual(expected);
        });
        histograms.giveBack(made);
      }
    },
  );
});
