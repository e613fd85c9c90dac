import type { RentPeriod } from './rent.ts';

/** Content of a price text. Amounts are whole dollars, rents for `period`. */
export interface PriceReading {
  /** The single amount in the text. Null: none, or a range. */
  readonly price: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** Period of a rent. Null: the text names none. */
  readonly period: RentPeriod | null;
}

/** Maximum amount that is read as a price, dollars. */
export const MAX_PRICE = 1_000_000_000;
/** Maximum characters read. */
const MAX_CHARS = 500;
/** Maximum ratio of a range's ends: `Unit 3 - $500,000` is not a range. */
const WIDEST = 5;
/** Maximum characters between the ends of a range. */
const MAX_GAP = 16;

/**
 * A number with an optional dollar sign, scale and plural (`high $700,000s`). Never part of a date, time, size, percentage, longer
 * word or longer number.
 */
const FIGURE =
  /(?<![\w.,/:])(\$)?\s?(\d{1,3}(?:,\d{3})+|\d{1,12}(?:\.\d{1,6})?)(?:\.\d\d(?!\d))?(?![.,]?\d)(?:\s?(million|mill?|m|thousand|k)(?:['’]?s)?(?![\w²])|['’]?s(?!\w))?(?=\s?p\.?\/?[wcmfa]|[^\w%²/:]|\/ ?[a-z]|$)(?!\s*(?:bed|bath|car|sqm|m2|m²|ha\b|acre|days?\b|weeks? lease|months? lease))/gi;
const SCALE: Readonly<Record<string, number>> = {
  m: 1e6,
  mil: 1e6,
  mill: 1e6,
  million: 1e6,
  k: 1e3,
  thousand: 1e3,
};
const PERIODS: readonly [RegExp, RentPeriod][] = [
  [
    /(?<![a-z])p\.?\s?c\.?\s?m(?![a-z])|(per|a) (calendar )?month|(?<![a-z])p\.?\/?m(?![a-z])|monthly|\/ ?(month|mth)/i,
    'month',
  ],
  [/fortnight|(?<![a-z])p\.?\/?f(?![a-z])/i, 'fortnight'],
  [/(?<![a-z])p\.?\s?a(?![a-z])|(per|a) (annum|year)|yearly|annually|\/ ?(year|yr)/i, 'year'],
  [/(?<![a-z])p\.?\s?\/?w(?![a-z])|(per|a) (week|wk)|weekly|\/ ?(week|wk)/i, 'week'],
];
const FROM = /\b(offers?|bids?)?\s*\b(over|above|from|in excess of|starting( at)?|higher than)\s*$/i;
const UP_TO = /\b(up to|under|below|max(imum)?)\s*$/i;
/** Words that show that the next number is a reference or telephone number, not a price. */
const NO_PRICE =
  /\b(ref(erence)?|id|code|listing|property|lot|phone|tel|mob(ile)?|call|ph)\b\.?\s*(no|number|id)?\b[\s.:#]*$|#\s*$/i;
const RANGE = /^\s*(-|–|—|~|to|and|&)\s*$/i;

interface Figure {
  readonly value: number;
  readonly scale: number;
  /** Whether the number alone is recognisable as money. */
  readonly strong: boolean;
  readonly from: number;
  readonly to: number;
}

/** Returns the rent period in a text, such as `$750 pw` or `$3,200 pcm`. Null: none. */
export function periodOf(text: string): RentPeriod | null {
  return PERIODS.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}

function figuresOf(text: string): Figure[] {
  return [...text.matchAll(FIGURE)].map((match) => {
    const [whole, dollar, digits, scale] = match as unknown as [string, string?, string?, string?];
    const to = match.index + whole.length;
    const strong =
      dollar !== undefined ||
      scale !== undefined ||
      digits!.includes(',') ||
      (/^[1-9]\d{4,}/.test(digits!) && !NO_PRICE.test(text.slice(0, match.index))) ||
      (/^\d\d/.test(digits!) && /^\s?(p\.?\/?[wcmfa]|per )/i.test(text.slice(to, to + 5))) ||
      whole.length === text.length;
    const value = Number(digits!.replaceAll(',', ''));
    return { value, scale: SCALE[(scale ?? '').toLowerCase()] ?? 1, strong, from: match.index, to };
  });
}

const dollars = (value: number): number | null => {
  const dollars = Math.round(value);
  return dollars > 0 && dollars <= MAX_PRICE ? dollars : null;
};

/** Returns two amounts with a range word between them; the first takes the scale of the second if that makes a range. */
function rangeOf(
  text: string,
  figures: readonly Figure[],
): { low: number; high: number; end: Figure } | null {
  for (let i = 0; i + 1 < figures.length; i++) {
    const [a, b] = [figures[i]!, figures[i + 1]!];
    const between = text.slice(a.to, b.from);
    if (!(a.strong || b.strong) || between.length > MAX_GAP || !RANGE.test(between)) continue;
    const high = dollars(b.value * b.scale);
    const low = dollars(a.scale === 1 && a.value < 1000 ? a.value * b.scale : a.value * a.scale);
    if (low !== null && high !== null && low <= high && high <= low * WIDEST) return { low, high, end: b };
  }
  return null;
}

/**
 * Reads a price as agents write it: `$1.2m - $1.3m`, `offers over $850,000`, `$750 pw`, `Contact agent`. A single lower or upper
 * limit gives that end of the range and no price. For a rent stated for two periods, the first amount is used.
 */
export function readPriceText(text: string): PriceReading {
  const excerpt = text.slice(0, MAX_CHARS).trim();
  const figures = figuresOf(excerpt);
  const range = rangeOf(excerpt, figures);
  const first = range?.end ?? figures.find(({ strong }) => strong);
  if (first === undefined) return { price: null, low: null, high: null, period: periodOf(excerpt) };
  const next = figures.find(({ from, strong }) => strong && from >= first.to);
  const period = periodOf(excerpt.slice(first.to, next?.from ?? excerpt.length)) ?? periodOf(excerpt);
  if (range !== null) return { price: null, low: range.low, high: range.high, period };
  const value = dollars(first.value * first.scale);
  if (UP_TO.test(excerpt.slice(0, first.from))) return { price: null, low: null, high: value, period };
  const open = FROM.test(excerpt.slice(0, first.from)) || /^\s*(\+|plus\b)/i.test(excerpt.slice(first.to));
  return open
    ? { price: null, low: value, high: null, period }
    : { price: value, low: null, high: null, period };
}
