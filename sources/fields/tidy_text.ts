import type { Problem } from '../formats/feature.ts';

/** Controls and halves of surrogate pairs, which PostgreSQL cannot store or nobody can read. */
const UNSTORABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\p{Surrogate}/gu;

/** Text that is tidy already: words of ASCII with single blanks between them. Nearly all is, and this test is cheap. */
const TIDY = /^[!-~]+(?: [!-~]+)*$/;

/** What exports of databases write where there is nothing. */
const NOTHING = /^<?null>?$/i;

/**
 * Published text as it is stored: trimmed, runs of blanks and line ends as one blank, no control characters; null: blank, or the
 * word for nothing.
 */
export function tidyText(text: string | null): string | null {
  if (text === null || NOTHING.test(text)) return null;
  if (TIDY.test(text)) return text;
  const tidy = text.replace(UNSTORABLE, '').trim().replace(/\s+/g, ' ');
  return tidy === '' || NOTHING.test(tidy) ? null : tidy;
}

/** An identifier as it is published, its blanks too; null: none, or the word for nothing. */
export const statedId = (id: string | null): string | null => (id === null || NOTHING.test(id) ? null : id);

/** Longest texts that are taken: a longer identifier or code is none, and would not fit into the index of a key. */
const LONGEST: Readonly<Record<string, number>> = { identifier: 200, code: 200 };
const LONGEST_WORDS = 1000;

/** Reject `bad_value` of the first text that is longer than any published one; keys say what the texts are. Null: none is. */
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
