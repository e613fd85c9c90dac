/** Returns one bit per letter of a key: gives a quick lower bound on the edits between two keys. */
export function letterMask(key: string): number {
  let mask = 0;
  for (let i = 0; i < key.length; i++) mask |= 1 << (key.charCodeAt(i) & 31);
  return mask;
}

function bitCount(bits: number): number {
  let n = bits - ((bits >>> 1) & 0x55555555);
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
  return Math.imul((n + (n >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Returns false if the letters alone show that two keys are more than `limit` edits apart. */
export const mayBeNear = (a: number, b: number, limit: number): boolean => bitCount(a ^ b) <= 2 * limit;

const WIDTH = 64;
const ROWS = [new Uint8Array(WIDTH), new Uint8Array(WIDTH), new Uint8Array(WIDTH)] as const;

/**
 * Returns the edits between two keys: letters inserted, omitted or replaced, or two neighbours swapped (optimal string alignment).
 * Above `limit`, or for keys of more than 60 characters: limit + 1.
 */
export function editDistance(a: string, b: string, limit: number): number {
  const over = limit + 1;
  if (Math.abs(a.length - b.length) > limit || a.length > 60 || b.length > 60) return over;
  let [before, last, row] = ROWS as readonly Uint8Array[] as [Uint8Array, Uint8Array, Uint8Array];
  for (let j = 0; j <= b.length; j++) last[j] = j;
  for (let i = 1; i <= a.length; i++) {
    row[0] = i;
    let least = i;
    const letter = a.charCodeAt(i - 1);
    for (let j = 1; j <= b.length; j++) {
      const same = letter === b.charCodeAt(j - 1);
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === b.charCodeAt(j - 1))
        cost = Math.min(cost, before[j - 2]! + 1);
      row[j] = cost;
      if (cost < least) least = cost;
    }
    if (least > limit) return over;
    [before, last, row] = [last, row, before];
  }
  return Math.min(last[b.length]!, over);
}

/**
 * Returns the maximum edits of a typo in a name of this length: none below 4 letters, one below 6, else two. Shorter names are one
 * letter away from other names.
 */
export const editsAllowed = (length: number): number => (length < 4 ? 0 : length < 6 ? 1 : 2);

/** Returns whether edits leave so few letters that other names are as close: fewer than five, or than eight at two edits. */
export const isDoubtful = (edits: number, length: number): boolean => length < (edits > 1 ? 8 : 5);
