import { EtlError } from '../../schema/errors.ts';

/**
 * Computes column j of the Cholesky factor below its diagonal, which is `root`. Four rows at a time: their sums are independent,
 * and each keeps the order of a single row, so results are equal to the bit.
 */
function divideColumn(a: Float64Array, n: number, j: number, root: number): void {
  const rowStart = j * n;
  let i = j + 1;
  for (; i + 3 < n; i += 4) {
    const p = i * n;
    const q = p + n;
    const r = q + n;
    const s = r + n;
    let p_sum = a[p + j]!;
    let q_sum = a[q + j]!;
    let r_sum = a[r + j]!;
    let s_sum = a[s + j]!;
    for (let k = 0; k < j; k++) {
      const factor = a[rowStart + k]!;
      p_sum -= a[p + k]! * factor;
      q_sum -= a[q + k]! * factor;
      r_sum -= a[r + k]! * factor;
      s_sum -= a[s + k]! * factor;
    }
    a[p + j] = p_sum / root;
    a[q + j] = q_sum / root;
    a[r + j] = r_sum / root;
    a[s + j] = s_sum / root;
  }
  for (; i < n; i++) {
    const p = i * n;
    let sum = a[p + j]!;
    for (let k = 0; k < j; k++) sum -= a[p + k]! * a[rowStart + k]!;
    a[p + j] = sum / root;
  }
}

/**
 * Solves A x = b for a symmetric positive definite A (n × n, row-major; the lower triangle is read and overwritten), b in place.
 * Cholesky, O(n³ / 3). @throws EtlError `avm_not_solvable` if A is not positive definite
 */
export function solveSpd(a: Float64Array, b: Float64Array): void {
  const n = b.length;
  for (let j = 0; j < n; j++) {
    let diagonal = a[j * n + j]!;
    for (let k = 0; k < j; k++) diagonal -= a[j * n + k]! ** 2;
    if (!(diagonal > 0)) {
      throw new EtlError(
        'avm_not_solvable',
        `The normal equations of the hedonic model are not positive definite at column ${j} (pivot ${diagonal}). ` +
          'Check the sales for values that are not finite, and that the ridge penalty is above 0.',
      );
    }
    const root = Math.sqrt(diagonal);
    a[j * n + j] = root;
    divideColumn(a, n, j, root);
  }
  for (let i = 0; i < n; i++) {
    let sum = b[i]!;
    for (let k = 0; k < i; k++) sum -= a[i * n + k]! * b[k]!;
    b[i] = sum / a[i * n + i]!;
  }
  for (let i = n - 1; i >= 0; i--) {
    let sum = b[i]!;
    for (let k = i + 1; k < n; k++) sum -= a[k * n + i]! * b[k]!;
    b[i] = sum / a[i * n + i]!;
  }
}

/**
 * Smooths noisy means to one slowly changing level per step: minimises Σ weight (x - mean)² + smooth Σ (x_t - x_{t-1})² + shrink Σ
 * x². Steps without weight are filled from their neighbours. Tridiagonal, O(n).
 */
export function smoothLevels(
  weighted_sum: Float64Array,
  weight: Float64Array,
  smooth: number,
  shrink: number,
): Float64Array {
  const n = weight.length;
  const diagonal = new Float64Array(n);
  const x = Float64Array.from(weighted_sum);
  for (let t = 0; t < n; t++) {
    diagonal[t] = weight[t]! + shrink + smooth * ((t > 0 ? 1 : 0) + (t < n - 1 ? 1 : 0));
    if (t === 0) continue;
    const factor = -smooth / diagonal[t - 1]!;
    diagonal[t] = diagonal[t]! + factor * smooth;
    x[t] = x[t]! - factor * x[t - 1]!;
  }
  for (let t = n - 1; t >= 0; t--) {
    x[t] = (x[t]! + (t < n - 1 ? smooth * x[t + 1]! : 0)) / diagonal[t]!;
  }
  return x;
}
