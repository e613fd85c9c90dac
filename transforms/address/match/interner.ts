/** Texts by number: each distinct text is kept once. Numbers count from 0 in the order of first sight. */
export class Interner {
  readonly #ids = new Map<string, number>();
  readonly #texts: string[] = [];

  get size(): number {
    return this.#texts.length;
  }

  /** Number of a text, given to it where it is seen for the first time. */
  intern(text: string): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const id = this.#texts.length;
    this.#ids.set(text, id);
    this.#texts.push(text);
    return id;
  }

  /** Number of a text; -1: it was never seen. */
  find(text: string): number {
    return this.#ids.get(text) ?? -1;
  }

  /** Text of a number that intern has given. */
  text(id: number): string {
    return this.#texts[id]!;
  }
}
