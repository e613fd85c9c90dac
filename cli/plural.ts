/** A whole number as people read it: 12,345. */
export const n = (value: number): string => value.toLocaleString('en-AU');

/** A count with its noun, which takes an s unless it is one: `1 row`, `2,000 rows`. */
export const plural = (count: number, one: string): string => `${n(count)} ${one}${count === 1 ? '' : 's'}`;
