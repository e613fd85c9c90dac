import { GrowingInts, lowerBound, orderBy, pickOrdered } from './growing_ints.ts';
import { Interner } from './interner.ts';
import { type IndexSections, type Ints, narrow, prefixed, typedSections } from './sections.ts';
import { Texts } from './texts.ts';

const SHAPE = /^(\D*)(\d{1,9})$/;

/**
 * Splits `GAVIC424742149` into a number and the prefix `9GAVIC`, whose first digit is the number's length. A text of another format
 * is all prefix.
 */
function split(pid: string): [prefix: string, number: number] {
  const match = SHAPE.exec(pid);
  return match === null ? [`0${pid}`, 0] : [`${match[2]!.length}${match[1]}`, Number(match[2])];
}

/** Collects persistent identifiers. */
export class PidsBuilder {
  readonly #prefixes = new Interner();
  readonly #prefixOf = new GrowingInts();
  readonly #numberOf = new GrowingInts();

  get size(): number {
    return this.#prefixOf.size;
  }

  push(pid: string): void {
    const [prefix, number] = split(pid);
    this.#prefixOf.push(this.#prefixes.intern(prefix));
    this.#numberOf.push(number);
  }

  /** Returns the sorted sections and, for each position, the arrival index of its identifier. */
  finish(): { sections: IndexSections; order: Int32Array } {
    const { ranks, sections } = this.#prefixes.finish();
    const prefix = this.#prefixOf.finish().map((id) => ranks[id]!);
    const number = this.#numberOf.finish();
    const order = orderBy(prefix.length, [prefix, number]);
    return {
      order,
      sections: {
        ...prefixed('prefixes', sections),
        prefix: narrow(pickOrdered(prefix, order)),
        number: pickOrdered(number, order),
      },
    };
  }
}

/** Persistent identifiers in two integers each, ascending by prefix and number. */
export class Pids {
  readonly #prefixes: Texts;
  readonly #prefixOf: Ints;
  readonly #numberOf: Int32Array;

  constructor(all: IndexSections, part: string) {
    this.#prefixes = new Texts(all, `${part}.prefixes`);
    const { prefix, number } = typedSections(all, part, ['prefix', 'number']);
    this.#prefixOf = prefix as Ints;
    this.#numberOf = number as Int32Array;
  }

  get size(): number {
    return this.#numberOf.length;
  }

  text(index: number): string {
    const prefix = this.#prefixes.text(this.#prefixOf[index]!);
    const digits = Number(prefix[0]);
    if (digits === 0) return prefix.slice(1);
    return prefix.slice(1) + String(this.#numberOf[index]!).padStart(digits, '0');
  }

  /** Returns the index of an identifier, the first of equal ones; -1: unknown. */
  find(pid: string): number {
    const [text, number] = split(pid);
    const prefix = this.#prefixes.find(text);
    if (prefix === -1) return -1;
    const from = lowerBound(this.#prefixOf, prefix, 0, this.size);
    const to = lowerBound(this.#prefixOf, prefix + 1, from, this.size);
    const at = lowerBound(this.#numberOf, number, from, to);
    return at < to && this.#numberOf[at] === number ? at : -1;
  }
}
