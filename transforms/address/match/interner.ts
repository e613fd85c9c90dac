import type { IndexSections } from './sections.ts';
import { textSections } from './texts.ts';

/** Texts by number while they are gathered: each distinct text is kept once. Numbers count from 0 in the order of first sight. */
export class Interner {
  readonly #ids = new Map<string, number>();

  get size(): number {
    return this.#ids.size;
  }

  /** Number of a text, given to it where it is seen for the first time. */
  intern(text: string): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const id = this.#ids.size;
    this.#ids.set(text, id);
    return id;
  }

  /** The texts in the order of their code units with their sections, and the place of each number in that order. */
  finish(): { texts: string[]; ranks: Int32Array; sections: IndexSections } {
    const texts = [...this.#ids.keys()].sort((a, b) => (a < b ? -1 : 1));
    const ranks = new Int32Array(texts.length);
    texts.forEach((text, rank) => {
      ranks[this.#ids.get(text)!] = rank;
    });
    return { texts, ranks, sections: textSections(texts) };
  }
}
