/**
 * Assigns identifiers that are unique in a part: the publisher's if there is one, else the number of the feature in its file. A repeated
 * identifier gets `#2`, `#3` … in file order. Memory: one entry per distinct identifier.
 */
export class FeatureIds {
  readonly #prefix: string;
  readonly #unnamed: string;
  readonly #seenIds = new Set<string>();
  readonly #repeated = new Map<string, number>();

  /** `prefix` precedes the publisher's identifiers, `unnamed` the numbers of features without one. */
  constructor(prefix: string, unnamed: string) {
    this.#prefix = prefix;
    this.#unnamed = unnamed;
  }

  idOf(id: string | null, feature: number): string {
    if (id === null) return `${this.#unnamed}${feature}`;
    if (!this.#seenIds.has(id)) {
      this.#seenIds.add(id);
      return this.#prefix + id;
    }
    const times = (this.#repeated.get(id) ?? 1) + 1;
    this.#repeated.set(id, times);
    return `${this.#prefix}${id}#${times}`;
  }
}
