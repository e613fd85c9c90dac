/** CPU time of some work, milliseconds. */
function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * How many times as much CPU time the work of `large` takes as that of `small`, the least of three attempts each. It is the same on a slow
 * machine and beside other work. What takes less than a millisecond counts as one.
 */
export function timesAsMuch(large: () => unknown, small: () => unknown): number {
  let [most, least] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let attempt = 0; attempt < 3; attempt++) {
    least = Math.min(least, cpuMs(small));
    most = Math.min(most, cpuMs(large));
  }
  return most / Math.max(least, 1);
}

/** Beyond what four times the input may take where the work grows with it: 4 times, or 16 where all pairs are compared. */
export const FOURFOLD_MAX = 10;
