/** Rearranges values[0, n) so that values[k] is the value that sorting would put there, and returns it. In place, expected O(n), no NaN. */
export function selectKth(values: Float64Array, k: number, n: number = values.length): number {
  let lo = 0;
  let hi = n - 1;
  while (lo < hi) {
    const pivot = values[(lo + hi) >> 1]!;
    let i = lo;
    let j = hi;
    while (i <= j) {
      while (values[i]! < pivot) i++;
      while (values[j]! > pivot) j--;
      if (i > j) break;
      const value = values[i]!;
      values[i++] = values[j]!;
      values[j--] = value;
    }
    if (k <= j) hi = j;
    else if (k >= i) lo = i;
    else break;
  }
  return values[k]!;
}

/**
 * Returns the quantile with linear interpolation between order statistics (type 7 of Hyndman and Fan); NaN for no values.
 * Rearranges values[0, n).
 */
export function quantileInPlace(values: Float64Array, q: number, n: number = values.length): number {
  if (n === 0) return NaN;
  const at = q * (n - 1);
  const k = Math.floor(at);
  const low = selectKth(values, k, n);
  if (at === k) return low;
  // After the selection all values after k are at least as large: the next order statistic is their minimum.
  let high = Infinity;
  for (let i = k + 1; i < n; i++) if (values[i]! < high) high = values[i]!;
  return low + (at - k) * (high - low);
}

/** Returns the quantile of values without changing them; see quantileInPlace. */
export function quantile(values: ArrayLike<number>, q: number): number {
  return quantileInPlace(Float64Array.from(values), q);
}

/** Returns the median, the mean of the two middle values for an even number; NaN for no values. */
export function median(values: ArrayLike<number>): number {
  return quantile(values, 0.5);
}

/** Returns the median absolute deviation from the median, times 1.4826: the standard deviation of a normal sample. NaN for no values. */
export function robustSpread(values: ArrayLike<number>): number {
  const centre = median(values);
  return 1.4826 * median(Float64Array.from(values, (value) => Math.abs(value - centre)));
}
