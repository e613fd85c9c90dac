import { z } from 'zod';

/** Text of a request as a number: blank is not given; anything that is no number stays text, and is refused. */
function asNumber(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (text === '') return undefined;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : value;
}

/** A number that may be absent or written as text. `fallback` is documented; the query applies it where it makes a difference who set it. */
export const numberParam = (doc: string, schema: z.ZodNumber = z.number(), fallback?: number) =>
  z
    .preprocess(asNumber, schema.optional())
    .optional()
    .meta({ description: doc, ...(fallback === undefined ? {} : { default: fallback }) });

/** A whole number with a default and bounds. */
export const countParam = (doc: string, min: number, max: number, fallback: number) =>
  z
    .preprocess(asNumber, z.number().int().min(min).max(max).default(fallback))
    .default(fallback)
    .meta({ description: doc });

/** True or false, also written as text; blank is false. */
export const flagParam = (doc: string) =>
  z
    .preprocess(
      (value) => (typeof value === 'string' ? (TRUTH[value.trim().toLowerCase()] ?? value) : value),
      z.boolean().default(false),
    )
    .default(false)
    .meta({ description: doc });
const TRUTH: Readonly<Record<string, boolean>> = {
  true: true,
  false: false,
  '1': true,
  '0': false,
  '': false,
};

/** A text of a request; PostgreSQL has no character 0. */
export const textParam = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[^\0]*$/, 'has a character 0');

/** Most names in one list. */
const LISTED_MAX = 200;

/** Names separated by commas, or a list of them; blanks and repeated names are left out. */
export const listParam = <T extends z.ZodType<string>>(doc: string, item: T) =>
  z
    .preprocess((value) => {
      const parts = typeof value === 'string' ? value.split(',') : value;
      if (!Array.isArray(parts)) return value;
      const texts = parts.map((part) => (typeof part === 'string' ? part.trim() : part));
      return [...new Set(texts.filter((part) => part !== ''))];
    }, z.array(item).max(LISTED_MAX).default([]))
    .default([])
    .meta({ description: doc });

/** One of some words, in any case; blank is not given. */
export const choiceParam = <const T extends readonly string[]>(doc: string, words: T) =>
  z
    .preprocess((value) => {
      if (typeof value !== 'string') return value;
      const word = value.trim().toLowerCase();
      return word === '' ? undefined : word;
    }, z.enum(words).optional())
    .optional()
    .meta({ description: doc });

/** One of some words in capitals, in any case, with a default; blank is not given. */
export const levelParam = <const T extends readonly string[]>(doc: string, words: T, fallback: T[number]) =>
  z
    .preprocess(
      (value) => {
        if (typeof value !== 'string') return value;
        const word = value.trim().toUpperCase();
        return word === '' ? undefined : word;
      },
      z.enum(words).default(fallback as never),
    )
    .default(fallback as never)
    .meta({ description: doc });
