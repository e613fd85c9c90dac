import { z } from 'zod';
import { STATE_NAMES } from '../../schema/states.ts';

const WHOLE = /^[+-]?\d+$/;
const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
/** Maximum characters of a number. */
const NUMBER_LENGTH = 100;

/** Converts a text to a number if it has the expected format. Any other text, also a blank or long one, stays text and is refused. */
const asNumber = (form: RegExp) => (value: unknown) =>
  typeof value === 'string' && value.length <= NUMBER_LENGTH && form.test(value.trim())
    ? Number(value)
    : value;

/**
 * A number that may be absent or a text. `fallback` is only documented; the query applies it, because the origin of the value may matter.
 */
export const numberParam = (doc: string, schema: z.ZodNumber = z.number(), fallback?: number) =>
  z
    .preprocess(asNumber(schema.isInt ? WHOLE : DECIMAL), schema.optional())
    .optional()
    .meta({ description: doc, ...(fallback === undefined ? {} : { default: fallback }) });

/** A required whole number within bounds. */
export const wholeParam = (doc: string, min: number, max: number) =>
  z.preprocess(asNumber(WHOLE), z.number().int().min(min).max(max)).meta({ description: doc });

export const countParam = (doc: string, min: number, max: number, fallback: number) =>
  z
    .preprocess(asNumber(WHOLE), z.number().int().min(min).max(max).default(fallback))
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

/** A text. PostgreSQL has no character 0. */
export const textParam = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[^\0]*$/, 'has a character 0');

/** Default maximum of names in a list. */
const LISTED_MAX = 200;

/** Names separated by commas, or a list of them. Blanks and repeats are left out. */
export const listParam = <T extends z.ZodType<string>>(doc: string, item: T, most = LISTED_MAX) =>
  z
    .preprocess((value) => {
      const parts = typeof value === 'string' ? value.split(',') : value;
      if (!Array.isArray(parts)) return value;
      const texts = parts.map((part) => (typeof part === 'string' ? part.trim() : part));
      return [...new Set(texts.filter((part) => part !== ''))];
    }, z.array(item).max(most).default([]))
    .default([])
    .meta({ description: doc });

/** Converts a text to one of the words, ignoring case. Blank counts as absent; any other text stays and is refused. */
const asWord = (words: readonly string[]) => (value: unknown) => {
  if (typeof value !== 'string') return value;
  const text = value.trim().toLowerCase();
  return text === '' ? undefined : (words.find((word) => word.toLowerCase() === text) ?? value);
};

/** One of some words, ignoring case. Blank counts as absent. */
export const choiceParam = <const T extends readonly string[]>(doc: string, words: T) =>
  z.preprocess(asWord(words), z.enum(words).optional()).optional().meta({ description: doc });

/** A state or territory, ignoring case. */
export const stateParam = () =>
  choiceParam('State abbreviation; default: all states.', Object.keys(STATE_NAMES));

/** The same for levels, with a default. */
export const levelParam = <const T extends readonly string[]>(doc: string, words: T, fallback: T[number]) =>
  z
    .preprocess(asWord(words), z.enum(words).default(fallback as never))
    .default(fallback as never)
    .meta({ description: doc });
