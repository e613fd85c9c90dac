import type { IndexSections } from './sections.ts';
import { textSections } from './texts.ts';

/** Collects distinct texts and numbers them from 0 in order of first appearance. */
export class Interner {
  readonly #ids = new Map<string, number>();

  get size(): number {
    return this.#ids.size;
  }

  /** Returns the id of a text, and assigns one if the text is new. */
  intern(text: string): number {
    const existing = this.#ids.get(text);
    if (existing !== undefined) return existing;
    const id = this.#ids.size;
    this.#ids.set(text, id);
    return id;
  }

  /** Returns the texts in code-unit order with their sections, and each id's position in that order. */
  finish(): { texts: string[]; ranks: Int32Array; sections: IndexSections } {
    const texts = [...this.#ids.keys()].sort((a, b) => (a < b ? -1 : 1));
    const ranks = new Int32Array(texts.length);
    texts.forEach((text, rank) => {
      ranks[this.#ids.get(text)!] = rank;
    });
    return { texts, ranks, sections: textSections(texts) };
  }
}
