/** Words that stay in lower case inside a title. */
const SMALL = new Set([
  'a',
  'an',
  'and',
  'at',
  'by',
  'for',
  'in',
  'not',
  'of',
  'on',
  'or',
  'the',
  'to',
  'under',
  'with',
]);

/**
 * Converts a description that is all upper case to title case; others stay unchanged. Runs of blanks become one. Tokens with a digit, such
 * as a code in parentheses, keep their capitals.
 */
export function titleCase(text: string): string {
  const tidy = text.trim().replace(/\s+/g, ' ');
  if (tidy !== tidy.toUpperCase()) return tidy;
  return tidy.replace(/[\p{L}\p{N}’']+/gu, (word, at: number) => {
    if (/\p{N}/u.test(word)) return word;
    const lower = word.toLowerCase();
    return at > 0 && SMALL.has(lower) ? lower : lower[0]!.toUpperCase() + lower.slice(1);
  });
}
