import { GrowingInts } from './growing.ts';
import { Interner } from './interner.ts';

const SHAPE = /^(\D*)(\d{1,9})$/;

/**
 * Persistent identifiers in two integers each: `GAVIC424742149` is the prefix `GAVIC` with nine digits, and a number. A text
 * of another shape is kept whole. Find works by an open hash table, which `index` makes and `forget` drops.
 */
export class Pids {
  readonly #prefixes = new Interner();
  readonly #prefixOf = new GrowingInts();
  readonly #numberOf = new GrowingInts();
  #slots: Int32Array | null = null;

  get size(): number {
    return this.#prefixOf.size;
  }

  push(pid: string): void {
    const match = SHAPE.exec(pid);
    this.#prefixOf.push(this.#prefixes.intern(match ? `${match[2]!.length}${match[1]}` : `0${pid}`));
    this.#numberOf.push(match ? Number(match[2]) : 0);
  }

  /** The identifier at an index. */
  text(index: number): string {
    const prefix = this.#prefixes.text(this.#prefixOf.at(index));
    const digits = Number(prefix[0]);
    if (digits === 0) return prefix.slice(1);
    return prefix.slice(1) + String(this.#numberOf.at(index)).padStart(digits, '0');
  }

  #slotOf(prefix: number, number: number): number {
    const hash = Math.imul(number ^ Math.imul(prefix + 1, 0x9e3779b1), 0x85ebca6b);
    return (hash ^ (hash >>> 15)) & (this.#slots!.length - 1);
  }

  /** Makes the table that find needs; of identifiers that repeat, the first is found. */
  index(): void {
    let length = 16;
    while (length < this.size * 2) length *= 2;
    this.#slots = new Int32Array(length).fill(-1);
    for (let i = 0; i < this.size; i++) {
      const [prefix, number] = [this.#prefixOf.at(i), this.#numberOf.at(i)];
      const slot = this.#seek(prefix, number);
      if (this.#slots[slot] === -1) this.#slots[slot] = i;
    }
  }

  /** The slot that holds an identifier, or the free one where it belongs. */
  #seek(prefix: number, number: number): number {
    const slots = this.#slots!;
    let slot = this.#slotOf(prefix, number);
    for (;;) {
      const held = slots[slot]!;
      if (held === -1 || (this.#prefixOf.at(held) === prefix && this.#numberOf.at(held) === number))
        return slot;
      slot = (slot + 1) & (slots.length - 1);
    }
  }

  /** Index of an identifier; -1: unknown. */
  find(pid: string): number {
    const match = SHAPE.exec(pid);
    const prefix = this.#prefixes.find(match ? `${match[2]!.length}${match[1]}` : `0${pid}`);
    return prefix === -1 ? -1 : this.#slots![this.#seek(prefix, match ? Number(match[2]) : 0)]!;
  }

  /** Frees the table of find. */
  forget(): void {
    this.#slots = null;
  }
}
