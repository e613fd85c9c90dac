/** A source of numbers from 0 to 1 that a seed decides (mulberry32). */
export type Random = () => number;

export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const below = (random: Random, n: number): number => Math.floor(random() * n);

/** Texts that break what reads them: numbers that are none, controls, quotes, paths, markup. */
const POISON = [
  'NaN',
  '1e999',
  '-0',
  '0x10',
  '9'.repeat(400),
  '\0',
  '\u001b[2J',
  '"',
  "';DROP TABLE serving.property;--",
  '../../etc/passwd',
  '{"type":"Feature"}',
  '\ufeff',
  '\r',
  '٧',
  'x'.repeat(1_200_000),
];

type Mutator = (bytes: Buffer, random: Random) => Buffer;

const MUTATORS: Readonly<Record<string, Mutator>> = {
  'bits flipped': (bytes, random) => {
    const out = Buffer.from(bytes);
    for (let i = 0; i <= below(random, 8); i++) out[below(random, out.length)]! ^= 1 << below(random, 8);
    return out;
  },
  'cut off': (bytes, random) => bytes.subarray(0, below(random, bytes.length)),
  'a piece left out': (bytes, random) => {
    const from = below(random, bytes.length);
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + 1 + below(random, 2000))]);
  },
  'a piece twice': (bytes, random) => {
    const from = below(random, bytes.length);
    const to = from + 1 + below(random, 2000);
    return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]);
  },
  'noise inside': (bytes, random) => {
    const at = below(random, bytes.length);
    const noise = Buffer.from(Array.from({ length: 1 + below(random, 300) }, () => below(random, 256)));
    return Buffer.concat([bytes.subarray(0, at), noise, bytes.subarray(at)]);
  },
  'a figure forged': (bytes, random) => {
    const out = Buffer.from(bytes);
    if (out.length < 16) return out;
    const at = below(random, out.length - 8);
    const values = [0, -1, 0x7fffffff, 0xffffffff, Number.NaN, Number.POSITIVE_INFINITY, -1e300];
    const value = values[below(random, values.length)]!;
    if (Number.isInteger(value) && random() < 0.5) out.writeInt32LE(value | 0, at);
    else out.writeDoubleLE(value, at);
    return out;
  },
  poison: (bytes, random) => {
    const at = below(random, bytes.length);
    const text = Buffer.from(POISON[below(random, POISON.length)]!);
    return Buffer.concat([bytes.subarray(0, at), text, bytes.subarray(at + below(random, 12))]);
  },
  emptied: () => Buffer.alloc(0),
};

const NAMES = Object.keys(MUTATORS);

/** A hostile version of a valid file, and what was done to it. */
export function mutate(bytes: Buffer, random: Random): { how: string; bytes: Buffer } {
  const how = NAMES[below(random, NAMES.length)]!;
  return { how, bytes: bytes.length === 0 ? Buffer.from('x') : MUTATORS[how]!(bytes, random) };
}
