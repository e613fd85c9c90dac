/** States by their number in a key. */
const STATES = ['NSW', 'VIC', 'QLD', 'SA_', 'WA_', 'TAS', 'NT_', 'ACT', 'OT_'] as const;
const STATE_CODE = new Map(STATES.map((state, i) => [packed(state, 0), i]));
const DIGITS = 9;
const PID_LENGTH = 5 + DIGITS;

function packed(text: string, at: number): number {
  return (text.charCodeAt(at) << 16) | (text.charCodeAt(at + 1) << 8) | text.charCodeAt(at + 2);
}

/**
 * Packs the G-NAF address PID at `start`..`end` of `text` into a number: 14 characters, `GA`, the state padded to three with `_`, nine
 * digits. Different PIDs have different numbers, all positive and exact. -1: a PID of another format.
 */
export function pidKey(text: string, start: number, end: number): number {
  if (end - start !== PID_LENGTH || text.charCodeAt(start) !== 71 || text.charCodeAt(start + 1) !== 65)
    return -1;
  const state = STATE_CODE.get(packed(text, start + 2));
  if (state === undefined) return -1;
  let digits = 0;
  for (let i = start + 5; i < end; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) return -1;
    digits = digits * 10 + digit;
  }
  return state * 1e9 + digits + 1;
}

/** Spreads keys over 32 bits. */
function hash(key: number): number {
  let h = Math.imul(key | 0, 0x9e3779b1) ^ Math.imul((key / 4_294_967_296) | 0, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  return (h ^ (h >>> 13)) >>> 0;
}

/** Returns which of `parts` equal shares a key belongs to; keys of -1 belong to share 0. */
export const partOfKey = (key: number, parts: number): number =>
  parts === 1 || key < 0 ? 0 : hash(key) % parts;

/**
 * Numbers PIDs from 0 in order of arrival: an open-addressing hash table with about 14 bytes per PID. Data about PIDs is in typed arrays
 * indexed by that number. PIDs of another format (key -1) are kept in a Map by their text.
 */
export class PidTable {
  #keys: Float64Array;
  /** Number + 1 of the PID in a slot; 0 is free. */
  #slots: Int32Array;
  #mask: number;
  readonly #odd = new Map<string, number>();
  #size = 0;

  /** @param expected number of PIDs to allocate for; the table grows beyond it. */
  constructor(expected: number) {
    let slots = 1024;
    while (slots * 0.7 < expected) slots *= 2;
    this.#slots = new Int32Array(slots);
    this.#mask = slots - 1;
    this.#keys = new Float64Array(Math.max(1024, expected));
  }

  get size(): number {
    return this.#size;
  }

  /** Returns the number of a PID; -1: not in the table. `pid` is called only if the key is -1. */
  find(key: number, pid: () => string): number {
    if (key < 0) return this.#odd.get(pid()) ?? -1;
    for (let slot = hash(key) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = this.#slots[slot]! - 1;
      if (at < 0 || this.#keys[at] === key) return at;
    }
  }

  /** Returns the number of a PID, which is added if it is new: then the number equals the former `size`. */
  add(key: number, pid: () => string): number {
    if (key < 0) {
      const text = pid();
      const at = this.#odd.get(text);
      if (at !== undefined) return at;
      // A copy, because a substring keeps its whole text block in memory.
      this.#odd.set(Buffer.from(text).toString(), this.#size);
      return this.#append(-1);
    }
    if (this.#size > this.#slots.length * 0.7) this.#grow();
    for (let slot = hash(key) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = this.#slots[slot]! - 1;
      if (at >= 0) {
        if (this.#keys[at] === key) return at;
        continue;
      }
      this.#slots[slot] = this.#size + 1;
      return this.#append(key);
    }
  }

  #append(key: number): number {
    if (this.#size === this.#keys.length) {
      const keys = new Float64Array(this.#keys.length * 2);
      keys.set(this.#keys);
      this.#keys = keys;
    }
    this.#keys[this.#size] = key;
    return this.#size++;
  }

  #grow(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let at = 0; at < this.#size; at++) {
      if (this.#keys[at]! < 0) continue;
      let slot = hash(this.#keys[at]!) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = at + 1;
    }
    this.#slots = slots;
    this.#mask = mask;
  }
}
