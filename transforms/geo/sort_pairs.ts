/**
 * Sorts the first `n` items and their distances by distance, ties by item, in place without extra memory. Shellsort with gaps of 1,
 * 4, 13, …: for lists of up to some thousand.
 */
export function sortByDistance(items: Int32Array, distances: Float64Array, n: number): void {
  let gap = 1;
  while (gap < n / 3) gap = gap * 3 + 1;
  for (; gap >= 1; gap = Math.floor(gap / 3)) {
    for (let i = gap; i < n; i++) {
      const item = items[i]!;
      const distance = distances[i]!;
      let at = i;
      for (; at >= gap; at -= gap) {
        const before = distances[at - gap]!;
        if (before < distance || (before === distance && items[at - gap]! <= item)) break;
        items[at] = items[at - gap]!;
        distances[at] = before;
      }
      items[at] = item;
      distances[at] = distance;
    }
  }
}
