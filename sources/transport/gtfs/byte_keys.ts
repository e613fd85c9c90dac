/** Spreads bytes over 32 bits (FNV-1a with a last mix). */
function hash(bytes: Uint8Array, start: number, end: number): number {
  let h = 0x811c9dc5;
  for (let i = start; i < end; i++) h = Math.imul(h ^ bytes[i]!, 0x01000193);
  return Math.imul(h ^ (h >>> 15), 0x2c1b3c6d) >>> 0;
}

/**
 * Numbers identifiers from 0 in order of arrival: an open-addressing hash table over the bytes of the keys, which are kept one
 * after the other. Exact, and some 15 bytes a key beside its own; a Map of texts takes about 100.
 */
export class ByteKeys {
  #arena = new Uint8Array(1 << 16);
  /** End of each key in the arena. */
  #ends = new Float64Array(1 << 10);
  /** Number + 1 of the key in a slot; 0 is free. */
  #slots = new Int32Array(1 << 12);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Number of the key in bytes[start, end); -1 where it is not there. */
  find(bytes: Uint8Array, start: number, end: number): number {
    return this.#slots[this.#slotOf(bytes, start, end)]! - 1;
  }

  /** Number of a key, adding it where it is not there: then it equals the former `size`. */
  add(bytes: Uint8Array, start: number, end: number): number {
    const slot = this.#slotOf(bytes, start, end);
    if (this.#slots[slot] !== 0) return this.#slots[slot]! - 1;
    const from = this.#startOf(this.#size);
    const to = from + end - start;
    if (to > this.#arena.length)
      this.#arena = grown(this.#arena, new Uint8Array(Math.max(to, this.#arena.length * 2)));
    if (this.#size === this.#ends.length) this.#ends = grown(this.#ends, new Float64Array(this.#size * 2));
    this.#arena.set(bytes.subarray(start, end), from);
    this.#ends[this.#size] = to;
    this.#slots[slot] = ++this.#size;
    if (this.#size > this.#slots.length * 0.7) this.#rehash();
    return this.#size - 1;
  }

  #startOf(at: number): number {
    return at === 0 ? 0 : this.#ends[at - 1]!;
  }

  /** Slot of a key, or the free one where it would be. */
  #slotOf(bytes: Uint8Array, start: number, end: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = hash(bytes, start, end) & mask; ; slot = (slot + 1) & mask) {
      const at = this.#slots[slot]! - 1;
      if (at < 0 || this.#equals(at, bytes, start, end)) return slot;
    }
  }

  #equals(at: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = this.#startOf(at);
    if (this.#ends[at]! - from !== end - start) return false;
    for (let i = start, j = from; i < end; i++, j++) if (bytes[i] !== this.#arena[j]) return false;
    return true;
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let at = 0; at < this.#size; at++) {
      let slot = hash(this.#arena, this.#startOf(at), this.#ends[at]!) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = at + 1;
    }
    this.#slots = slots;
  }
}

function grown<T extends Uint8Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

/** A small number for each key; 0 for a key without one. */
export class ByteKeyValues {
  readonly #keys = new ByteKeys();
  #values = new Uint8Array(1 << 10);

  get size(): number {
    return this.#keys.size;
  }

  get(bytes: Uint8Array, start: number, end: number): number {
    const at = this.#keys.find(bytes, start, end);
    return at < 0 ? 0 : this.#values[at]!;
  }

  /** Sets bits in the number of a key. */
  addBits(bytes: Uint8Array, start: number, end: number, bits: number): void {
    const at = this.#at(bytes, start, end);
    this.#values[at] = this.#values[at]! | bits;
  }

  set(bytes: Uint8Array, start: number, end: number, value: number): void {
    this.#values[this.#at(bytes, start, end)] = value;
  }

  #at(bytes: Uint8Array, start: number, end: number): number {
    const at = this.#keys.add(bytes, start, end);
    if (at >= this.#values.length)
      this.#values = grown(this.#values, new Uint8Array(this.#values.length * 2));
    return at;
  }
}
