import type { Problem } from '../formats/feature.ts';

/** Control characters and unpaired surrogates: PostgreSQL cannot store them or nobody can read them. */
const UNSTORABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\p{Surrogate}/gu;

/** Text that needs no change: ASCII words with single blanks between them. Nearly all text matches, and this test is cheap. */
const TIDY = /^[!-~]+(?: [!-~]+)*$/;

/** Words that database exports write for null. */
const NOTHING = /^<?null>?$/i;

/**
 * Normalises published text for storage: trimmed, runs of blanks and line ends as one blank, no control characters; null: blank, or a word
 * for null.
 */
export function tidyText(text: string | null): string | null {
  if (text === null || NOTHING.test(text)) return null;
  if (TIDY.test(text)) return text;
  const tidy = text.replace(UNSTORABLE, '').trim().replace(/\s+/g, ' ');
  return tidy === '' || NOTHING.test(tidy) ? null : tidy;
}

/** Returns an identifier as published, including its blanks; null: none, or a word for null. */
export const statedId = (id: string | null): string | null => (id === null || NOTHING.test(id) ? null : id);

/** Maximum characters of a text: a longer one is not an identifier or code, and would not fit into the index of a key. */
const LONGEST: Readonly<Record<string, number>> = { identifier: 200, code: 200 };
const LONGEST_WORDS = 1000;

/** Returns a reject `bad_value` for the first text that is longer than any published one; the keys name the texts. Null: none is. */
export function tooLong(texts: Readonly<Record<string, string | null>>): Problem | null {
  for (const [what, text] of Object.entries(texts)) {
    const limit = LONGEST[what] ?? LONGEST_WORDS;
    if (text !== null && text.length > limit)
      return {
        code: 'bad_value',
        message: `its ${what} is ${text.length} characters long, ${limit} are the most`,
      };
  }
  return null;
}
