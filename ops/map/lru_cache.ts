/** LRU cache bounded by weight. Concurrent requests for a key share one computation. */
export class LruCache<T> {
  readonly #most: number;
  readonly #weigh: (value: T) => number;
  readonly #kept = new Map<string, { value: T; weight: number }>();
  readonly #making = new Map<string, Promise<T>>();
  #weight = 0;

  /** `most`: maximum weight in all, bytes. */
  constructor(most: number, weigh: (value: T) => number) {
    this.#most = most;
    this.#weigh = weigh;
  }

  get weight(): number {
    return this.#weight;
  }

  /** Returns the cached value of a key, or computes it once for all concurrent callers. */
  async get(key: string, make: () => Promise<T>): Promise<T> {
    const known = this.#kept.get(key);
    if (known) {
      this.#kept.delete(key);
      this.#kept.set(key, known);
      return known.value;
    }
    const making = this.#making.get(key) ?? this.#make(key, make);
    return making;
  }

  #make(key: string, make: () => Promise<T>): Promise<T> {
    const made = make()
      .then((value) => {
        this.#keep(key, value);
        return value;
      })
      .finally(() => this.#making.delete(key));
    this.#making.set(key, made);
    return made;
  }

  #keep(key: string, value: T): void {
    const weight = this.#weigh(value);
    if (weight > this.#most) return;
    this.#kept.set(key, { value, weight });
    this.#weight += weight;
    for (const [oldest, { weight: freed }] of this.#kept) {
      if (this.#weight <= this.#most) return;
      this.#kept.delete(oldest);
      this.#weight -= freed;
    }
  }
}
