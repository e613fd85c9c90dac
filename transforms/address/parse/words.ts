import { plainUpper } from './keys.ts';
import { type LegalLot, takeLegalLot } from './legal_lot.ts';
import { MEASURES, stateOfWord } from './place_words.ts';
import { levelType, unitType } from './unit_types.ts';

/**
 * Separator before a word: none, a comma or line break, a dash between words, or a mark that often starts text outside the address.
 * A dash may be part of a name, as in `Frankston - Flinders Road`.
 */
export const BREAK = { none: 0, comma: 1, dash: 2, hard: 3 } as const;

/** Words of a text, upper case, without punctuation, telephone numbers, prices and remarks in brackets. */
export interface Words {
  readonly words: string[];
  /** BREAK before each word. */
  readonly breaks: number[];
  /** Lot and plan extracted from the text. Null: none. */
  readonly legalLot: LegalLot | null;
}

/** Maximum characters read of a text; addresses are much shorter. */
const MAX_CHARACTERS = 400;

const PHONES = [
  /(?:\+?61\s?4|\b04)\d{2}[\s-]?\d{3}[\s-]?\d{3}\b/g,
  /(?:\+?61\s?\(?0?\)?|\(0|\b0)[2378]\)?[\s-]?\d{4}[\s-]?\d{4}\b/g,
  /\b1[38]00[\s-]?\d{3}[\s-]?\d{3}\b/g,
  /\b\d{4}[\s-]\d{4}\s*$/g,
];
const MANY_DIGITS = /\d[\d\s()-]{6,}\d/;
const ONLINE = /\S+@\S+|\bHTTPS?:\/\/\S+|\bWWW\.\S+/g;
const PRICE = /\$\s*[\d.,]+\s*[KM]?\b(?:\s*-\s*\$?\s*[\d.,]+\s*[KM]?\b)?/g;
const BRACKETS = /\(([^()]*)\)/g;
const SLASH = /\s*\/\s*/g;
const RANGE = /(\d+[A-Z]?)\s*(?:[-–—&+]|\bTO\b)\s*(?=(\d+[A-Z]?)\b)/g;
const BETWEEN_WORDS = /\s[-–—]+\s|[–—]/g;
const HARD = /[|*•·~<>"“”!?[\]{}()]/g;
const SOFT = /[,;\r\n\t]/g;
const INNER_HYPHEN = /(?<!\d[A-Z]?)-|-(?!\d)/g;
/** Placeholder for a dash between words while a text is tidied. */
const DASH_MARK = '=';
const OTHER = /[^A-Z0-9,|/&=-]+/g;

/** Returns the part of a bracket to keep: a number, a state or a unit belong to the address, a remark does not. */
function bracket(content: string): string {
  const words = content.replace(OTHER, ' ').trim().split(' ');
  if (/^\d+[A-Z]?$/.test(words.join(''))) return ` ${words.join('')} `;
  if (stateOfWord(words.join('')) !== undefined) return ` ${words.join('')} `;
  const isUnitWord =
    unitType(words[0]!) !== undefined || levelType(words[0]!) !== undefined || words[0] === 'LOT';
  const measured = words.some((word) => MEASURES.has(word));
  return !measured && (isUnitWord || /\d/.test(content)) ? ` , ${content} , ` : ' , ';
}

const ONE_NUMBER_AND_STREET = /^\d+[A-Z]?(?:\s*[-–—]\s*\d+[A-Z]?)?\s+[A-Z]/;

/** Returns whether a dash separates a unit number from the street number: `FLAT 3 - 28 SMITH ST`, but not `UNITS 1 - 3, 28 SMITH ST`. */
function isAfterUnit(match: string, at: number, text: string): boolean {
  if (!/\s[-–—]\s/.test(match) || !ONE_NUMBER_AND_STREET.test(text.slice(at + match.length))) return false;
  const label = /([A-Z]+)\.?\s+$/.exec(text.slice(0, at))?.[1];
  return label !== undefined && unitType(label) !== undefined && !label.endsWith('S');
}

/** Joins a range written with spaces to one word; a postcode before a dash is not its first number. */
function joinRange(match: string, first: string, last: string, at: number, text: string): string {
  if (/^\d{4}$/.test(first) && at > 0 && /[A-Z]\s+$/.test(text.slice(0, at)) && last.length < 4)
    return `${first} | `;
  if (isAfterUnit(match, at, text)) return `${first} ${DASH_MARK} `;
  return match.includes('&') || match.includes('+') ? `${first}&` : `${first}-`;
}

function withoutNoise(text: string): string {
  let clean = text;
  if (MANY_DIGITS.test(clean)) for (const phone of PHONES) clean = clean.replace(phone, ' | ');
  if (clean.includes('@') || clean.includes('WWW') || clean.includes('HTTP'))
    clean = clean.replace(ONLINE, ' | ');
  if (clean.includes('$')) clean = clean.replace(PRICE, ' | ');
  if (clean.includes('(')) clean = clean.replace(BRACKETS, (_, content: string) => bracket(content));
  return clean;
}

/** Texts with only these characters need no cleaning except commas and full stops. */
const PLAIN = /^[A-Z0-9 ,./]*$/;

/** Normalises marks and separators of an upper-case text: words, `,`, `|`, `-`, and `/` within numbers. */
function tidy(text: string): string {
  if (PLAIN.test(text) && !text.includes(' TO ')) return text.includes('/') ? text.replace(SLASH, '/') : text;
  return text
    .replaceAll(DASH_MARK, ' ')
    .replace(SLASH, '/')
    .replace(RANGE, joinRange)
    .replace(BETWEEN_WORDS, ` ${DASH_MARK} `)
    .replace(HARD, ' | ')
    .replace(SOFT, ' , ')
    .replace(INNER_HYPHEN, ' ')
    .replace(OTHER, ' ');
}

const COMMA = 44;
const BAR = 124;
const DASH = DASH_MARK.charCodeAt(0);
const isWordCode = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 47 || code === 45 || code === 38;

export function splitWords(text: string): Words {
  const upper = plainUpper(text.length > MAX_CHARACTERS ? text.slice(0, MAX_CHARACTERS) : text);
  const { rest, legalLot } = takeLegalLot(upper);
  const clean = tidy(withoutNoise(rest));
  const words: string[] = [];
  const breaks: number[] = [];
  let pending: number = BREAK.none;
  let start = -1;
  for (let i = 0; i <= clean.length; i++) {
    const code = i < clean.length ? clean.charCodeAt(i) : COMMA;
    if (isWordCode(code)) {
      if (start === -1) start = i;
      continue;
    }
    if (start !== -1) {
      words.push(clean.slice(start, i));
      breaks.push(pending);
      pending = BREAK.none;
      start = -1;
    }
    if (code === BAR) pending = BREAK.hard;
    else if (code === DASH) pending = Math.max(pending, BREAK.dash);
    else if (code === COMMA && pending === BREAK.none) pending = BREAK.comma;
  }
  return { words, breaks, legalLot };
}
