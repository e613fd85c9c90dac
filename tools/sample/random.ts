/** A seeded source of numbers; the same key gives the same sequence on every machine. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** Uniform integer in [0, below). */
  int(below: number): number;
  /** True with the given probability. */
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
}

/** 32-bit FNV-1a hash of a text. */
function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return h >>> 0;
}

/**
 * Generator for one subject, for example `suburb NSW 3`: subjects are independent of each other and of their order.
 * Algorithm: sfc32 seeded with hashes of seed and key.
 */
export function seededRandom(seed: number, key: string): Random {
  let a = hash(`${seed}/a/${key}`);
  let b = hash(`${seed}/b/${key}`);
  let c = hash(`${seed}/c/${key}`);
  let counter = 1;
  const next = (): number => {
    const t = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return (t >>> 0) / 4294967296;
  };
  for (let i = 0; i < 12; i++) next();
  return {
    next,
    int: (below) => Math.floor(next() * below),
    chance: (probability) => next() < probability,
    pick: (from) => from[Math.floor(next() * from.length)]!,
  };
}

/** Twelve lower-case hexadecimal digits that depend on the key alone. */
export function hexDigits(seed: number, key: string): string {
  const high = hash(`${seed}/h/${key}`).toString(16).padStart(8, '0');
  return high + (hash(`${seed}/l/${key}`) & 0xffff).toString(16).padStart(4, '0');
}
