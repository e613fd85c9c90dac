/** Formats a whole number: 12,345. */
export const n = (value: number): string => value.toLocaleString('en-AU');

/** Formats a count with its noun: `1 row`, `2,000 rows`. */
export const plural = (count: number, one: string): string => `${n(count)} ${one}${count === 1 ? '' : 's'}`;
