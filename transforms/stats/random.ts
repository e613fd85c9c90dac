/** A seeded random source for sampling; equal seeds give equal sequences on every machine. */
export interface SeededRandom {
  /** Uniform in [0, 1), 32 bits. */
  next(): number;
  /** Uniform integer in [0, below). */
  int(below: number): number;
}

/** Finaliser of splitmix32: spreads neighbouring seeds over the whole range. */
function spread(seed: number): number {
  let z = (seed + 0x9e3779b9) | 0;
  z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
  z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
  return (z ^ (z >>> 15)) >>> 0;
}

/** Returns the generator of one stream; `stream` keeps the uses of one seed independent. Algorithm: splitmix32. */
export function seededRandom(seed: number, stream: number): SeededRandom {
  let state = spread(spread(seed | 0) ^ Math.imul(stream | 0, 0x85ebca6b)) | 0;
  const next = (): number => {
    const value = spread(state);
    state = (state + 0x9e3779b9) | 0;
    return value / 4294967296;
  };
  return { next, int: (below) => Math.floor(next() * below) };
}

/** Moves a random choice of all items to the first `take` positions, in place. */
export function shuffleFirst(items: Int32Array | Uint32Array, take: number, random: SeededRandom): void {
  for (let i = 0; i < take; i++) {
    const j = i + random.int(items.length - i);
    const item = items[i]!;
    items[i] = items[j]!;
    items[j] = item;
  }
}
