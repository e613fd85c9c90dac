/** Result of one check. `message` has the finding and, unless it passed, the remedy. */
export interface Check {
  check: string;
  status: 'pass' | 'warn' | 'fail';
  message: string;
}

export type CheckResult = Omit<Check, 'check'>;

export const pass = (message: string): CheckResult => ({ status: 'pass', message });
export const warn = (message: string): CheckResult => ({ status: 'warn', message });
export const fail = (message: string): CheckResult => ({ status: 'fail', message });

/** Runs one check. An exception counts as its failure, so later checks still run. */
export async function attempt(check: string, work: () => CheckResult | Promise<CheckResult>): Promise<Check> {
  try {
    return { check, ...(await work()) };
  } catch (error) {
    return { check, ...fail(error instanceof Error ? error.message || error.name : String(error)) };
  }
}

/** Joins the first `most` items of a list. */
export function some(items: readonly string[], most = 5): string {
  const examples = items.slice(0, most).join(', ');
  return items.length > most ? `${examples} and ${items.length - most} more` : examples;
}

/** Formats a size: `999 MB`, `12.3 GB` (powers of ten). */
export const size = (bytes: number): string =>
  bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
