import { type IndexSections, type Section, textOfUnits, typedSections } from './sections.ts';

/** Returns the FNV-1a hash of a text's UTF-16 code units. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value ^ (value >>> 15);
}

/** Returns the sections of distinct texts; the id of a text is its index. */
export function textSections(texts: readonly string[]): IndexSections {
  const starts = new Int32Array(texts.length + 1);
  texts.forEach((text, id) => {
    starts[id + 1] = starts[id]! + text.length;
  });
  const units = new Uint16Array(starts[texts.length]!);
  let length = 2;
  while (length < texts.length * 2) length *= 2;
  const slots = new Int32Array(length).fill(-1);
  texts.forEach((text, id) => {
    for (let i = 0; i < text.length; i++) units[starts[id]! + i] = text.charCodeAt(i);
    let slot = hash(text) & (length - 1);
    while (slots[slot] !== -1) slot = (slot + 1) & (length - 1);
    slots[slot] = id;
  });
  return { units, starts, slots };
}

/** Texts by id, in three arrays: their code units, their start offsets, and an open hash table that finds ids. */
export class Texts {
  readonly #units: Uint16Array;
  readonly #starts: Section;
  readonly #slots: Section;
  /** Cache of texts already read. */
  readonly #cache: string[] = [];

  constructor(all: IndexSections, part: string) {
    const { units, starts, slots } = typedSections(all, part, ['units', 'starts', 'slots']);
    this.#units = units as Uint16Array;
    this.#starts = starts;
    this.#slots = slots;
  }

  get size(): number {
    return this.#starts.length - 1;
  }

  #is(id: number, text: string): boolean {
    const from = this.#starts[id]!;
    if (this.#starts[id + 1]! - from !== text.length) return false;
    for (let i = 0; i < text.length; i++) if (this.#units[from + i] !== text.charCodeAt(i)) return false;
    return true;
  }

  /** Returns the id of a text; -1: none. */
  find(text: string): number {
    const last = this.#slots.length - 1;
    for (let slot = hash(text) & last; ; slot = (slot + 1) & last) {
      const id = this.#slots[slot]!;
      if (id === -1 || this.#is(id, text)) return id;
    }
  }

  text(id: number): string {
    const cached = this.#cache[id];
    if (cached !== undefined) return cached;
    const text = textOfUnits(this.#units.subarray(this.#starts[id]!, this.#starts[id + 1]!));
    this.#cache[id] = text;
    return text;
  }
}
