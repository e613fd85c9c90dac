import type { Problem } from '../feature.ts';

/** Maximum length of an attribute's text, in UTF-16 units: a longer text is damage. */
export const MAX_TEXT = 1 << 20;

/** Maximum nesting of an attribute that is a list or a record. */
const MAX_DEPTH = 64;

const SPACE = 0x20;
const ASTERISK = 0x2a;

/** Cleans text as the .dbf reader does: no trailing blanks, cut at a NUL, valid Unicode, null if nothing is left. */
function cleanText(text: string): string | null {
  const nul = text.indexOf('\0');
  let end = nul < 0 ? text.length : nul;
  while (end > 0 && text.charCodeAt(end - 1) === SPACE) end--;
  if (end === 0) return null;
  return (end === text.length ? text : text.slice(0, end)).toWellFormed();
}

/** Converts any value of a format to text: a number as JavaScript writes it, a list or record as JSON; null: no value. */
export function textOf(value: unknown): string | null {
  switch (typeof value) {
    case 'string':
      return cleanText(value);
    case 'number':
      return Number.isFinite(value) ? plainDigits(value) : null;
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'object':
      if (value === null || value instanceof Uint8Array) return null;
      if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
      return cleanText(
        JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? String(each) : each)),
      );
    default:
      return null;
  }
}

/** Writes a whole number without exponent, any other as JavaScript does. */
const plainDigits = (value: number): string =>
  Number.isInteger(value) && Math.abs(value) >= 1e21 ? BigInt(value).toString() : String(value);

/** Converts any value to a finite number; null: no value, or not a number. */
export function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'string' || value.length > 400) return null;
  const text = value.trim();
  const parsed = text === '' ? Number.NaN : Number(text);
  return Number.isFinite(parsed) ? parsed : null;
}

/** Converts any value to an identifier: trimmed text; null: no value, blank or asterisks. */
export function idOf(value: unknown): string | null {
  const text = textOf(value)?.trim() ?? '';
  return text === '' || (text.charCodeAt(0) === ASTERISK && /^\*+$/.test(text)) ? null : text;
}

/** Returns true if lists or records are nested more than `left` deep. */
function isDeeper(value: unknown, levelsLeft: number): boolean {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return false;
  if (levelsLeft === 0) return true;
  for (const each of Object.values(value)) if (isDeeper(each, levelsLeft - 1)) return true;
  return false;
}

/** Returns the reject (`long_value`) of a row with such a value; null: the value is within the limits. */
export function longValue(name: string, value: unknown): Problem | null {
  if (isDeeper(value, MAX_DEPTH))
    return { code: 'long_value', message: `${name} is nested more than ${MAX_DEPTH} deep` };
  const length = typeof value === 'string' || value instanceof Uint8Array ? value.length : 0;
  if (length <= MAX_TEXT) return null;
  return { code: 'long_value', message: `${name} is ${length} long, more than ${MAX_TEXT}` };
}
