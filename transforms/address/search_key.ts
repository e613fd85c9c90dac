import { nameWords, placeKey } from './parse/keys.ts';
import { COMPASS, NAME_WORDS, PLACE_WORDS } from './parse/place_words.ts';

const PARENTHESES = /\s*\([^)]*\)/g;

/** Returns a comparable key of a suburb or region name, without text in parentheses: `St. Kilda East (Vic.)` is `STKILDAEAST`. */
export const searchKey = (name: string): string => placeKey(nameWords(name.replace(PARENTHESES, ' ')));

const SPELLINGS = Object.entries({ ...NAME_WORDS, ...PLACE_WORDS, ...COMPASS })
  .map(([word, spelling]) => `('${word}', '${spelling}')`)
  .join(', ');

/** Returns the SQL expression for the same key of a column. */
export function searchKeySql(column: string): string {
  const flat = `regexp_replace(normalize(regexp_replace(${column}, '\\s*\\([^)]*\\)', ' ', 'g'), NFKD), '[\\u0300-\\u036f]', '', 'g')`;
  const plain = `translate(upper(${flat} COLLATE "C"), '''’‘\`´', '')`;
  return `(SELECT COALESCE(string_agg(COALESCE(spelling, word), '' ORDER BY place), '')
    FROM regexp_split_to_table(regexp_replace(${plain}, '[^A-Z0-9&]+', ' ', 'g'), ' ') WITH ORDINALITY words (word, place)
    LEFT JOIN (VALUES ${SPELLINGS}) spellings (word, spelling) USING (word))`;
}
