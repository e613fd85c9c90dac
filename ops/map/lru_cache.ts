/** What is made once and kept as long as there is room: the least lately asked for goes first. */
export class LruCache<T> {
  readonly #most: number;
  readonly #weigh: (value: T) => number;
  readonly #kept = new Map<string, { value: T; weight: number }>();
  readonly #making = new Map<string, Promise<T>>();
  #weight = 0;

  /** `most`: bytes that all may weigh together. */
  constructor(most: number, weigh: (value: T) => number) {
    this.#most = most;
    this.#weigh = weigh;
  }

  get weight(): number {
    return this.#weight;
  }

  /** What is kept under a key, or is made now: once, however many ask while it is made. */
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
