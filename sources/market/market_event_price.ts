import { tidyText } from '../fields/tidy_text.ts';
import type { Problem } from '../formats/feature.ts';
import type { EventContext, MarketEvent, RawEvent } from './market_event.ts';
import { isNominal } from './words/nominal.ts';
import { MAX_PRICE, type PriceReading, periodOf, readPriceText } from './words/price_text.ts';
import { canBeWeekly, mostRent, type RentPeriod, rentPeriodOf, toWeekly } from './words/rent.ts';

type EventPrices = Pick<MarketEvent, 'price' | 'price_low' | 'price_high' | 'price_text' | 'no_evidence'>;

/** Values of the event that the price depends on. */
type PriceContext = Pick<MarketEvent, 'event_type' | 'channel' | 'state' | 'bedrooms'>;

const UNDISCLOSED = /^(|n\/?a|null|none|-|undisclosed|not disclosed|confidential|withheld)$/i;
const NUMBER = /^-?\$?\s?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?(e[+-]?\d{1,3})?$/i;
/** Thousands separated by blanks, with a point or a comma for cents. */
const WITH_BLANKS = /^\$?\s?\d{1,3}([ \u00a0]\d{3})+([.,]\d\d?)?$/;
/** Millions separated by points, and cents after a comma. A single point is a decimal point. */
const WITH_POINTS = /^\$?\s?(\d{1,3}(\.\d{3}){2,}|\d+(?=,))(,\d\d?)?$/;
/** Text that a program writes for a missing number, or a number in another notation or script: neither a figure nor words. */
const NO_FIGURE = /^[-+]?\$?\s?(nan|inf(inity)?|0[xob][\da-f]+)$/i;
const OTHER_DIGIT = /(?![0-9])\p{Nd}/u;
const NO = /^(false|no|n|0|f)$/i;
/** Maximum characters of a price text. */
const MAX_TEXT = 200;

const bad = (what: string): Problem => ({ code: 'bad_price', message: what });

/** Reads a number in the format of programs; null: not a number. */
function plainNumber(text: string): string | null {
  if (NUMBER.test(text)) return text.replace(/[$,\s]/g, '');
  if (WITH_BLANKS.test(text)) return text.replace(/[$\s]/g, '').replace(',', '.');
  if (WITH_POINTS.test(text)) return text.replace(/[$.\s]/g, '').replace(',', '.');
  return null;
}

/** Reads dollars from a price field; null: undisclosed; 0 also means not stated. NaN: text. Problem: not a number, negative or too large. */
function figureOf(text: string): number | null | Problem {
  const trimmed = text.trim();
  if (UNDISCLOSED.test(trimmed)) return null;
  if (NO_FIGURE.test(trimmed) || OTHER_DIGIT.test(trimmed))
    return bad(`a price of "${trimmed.slice(0, 40)}" is not a number`);
  const plain = plainNumber(trimmed);
  if (plain === null) return Number.NaN;
  const value = Math.round(Number(plain));
  if (value < 0 || value > MAX_PRICE)
    return bad(`a price of ${trimmed.slice(0, 40)} is negative or above ${MAX_PRICE}`);
  return value;
}

/** Reads the figures of the price fields, in dollars of their period. */
function statedOf(raw: RawEvent): (PriceReading & { text: string | null }) | Problem {
  const figures: (number | null)[] = [];
  for (const field of ['price', 'price_low', 'price_high'] as const) {
    const figure = figureOf(raw[field] ?? '');
    if (typeof figure === 'object' && figure !== null) return figure;
    figures.push(figure);
  }
  const [price, low, high] = figures as [number | null, number | null, number | null];
  const words = Number.isNaN(price) ? raw.price! : (raw.price_text ?? '');
  const text =
    tidyText(words)
      ?.slice(0, MAX_TEXT)
      .replace(/[\ud800-\udbff]$/, '') ?? null;
  const numberOrNull = (value: number | null): number | null => (Number.isNaN(value) ? null : value);
  const statedPrice = { price: numberOrNull(price), low: numberOrNull(low), high: numberOrNull(high) };
  if (statedPrice.price !== null || statedPrice.low !== null || statedPrice.high !== null)
    return { ...statedPrice, period: text === null ? null : periodOf(text), text };
  return { ...readPriceText(text ?? ''), text };
}

/**
 * Derives the price columns of an event. A figure field takes precedence over the text. A sale of 1,000 dollars or less is `nominal`; an
 * asking price of that size is a placeholder and null, as 0 always is. Swapped ends of a range are exchanged. Rents become dollars a week.
 * Problem: `bad_price`, `bad_rent`.
 */
export function readEventPrice(
  raw: RawEvent,
  subject: PriceContext,
  context: EventContext,
): EventPrices | Problem {
  const reason = context.noEvidence ?? null;
  if (NO.test((raw.price_disclosed ?? '').trim()))
    return { price: null, price_low: null, price_high: null, price_text: null, no_evidence: reason };
  const statedPrice = statedOf(raw);
  if ('code' in statedPrice) return statedPrice;
  // A placeholder figure is counted, not lost silently.
  const placeholder = (value: number | null): boolean =>
    value !== null && (value === 0 || (isNominal(value) && subject.event_type !== 'sold'));
  if (subject.channel === 'sale' && [statedPrice.price, statedPrice.low, statedPrice.high].some(placeholder))
    context.notes.unread('price');
  if (subject.channel === 'rent') return rentOf(raw, statedPrice, subject, context);
  const { price, text } = statedPrice;
  const ends = [statedPrice.low, statedPrice.high].map((end) =>
    end !== null && isNominal(end) ? null : end,
  );
  const [low, high] = ordered(ends[0]!, ends[1]!);
  const nominal = price !== null && isNominal(price);
  const sold = subject.event_type === 'sold';
  return {
    price: nominal && (!sold || price === 0) ? null : price,
    price_low: low,
    price_high: high,
    price_text: text,
    no_evidence: reason ?? (nominal && sold ? 'nominal' : null),
  };
}

const ordered = (low: number | null, high: number | null): [number | null, number | null] =>
  low !== null && high !== null && low > high ? [high, low] : [low, high];

function rentOf(
  raw: RawEvent,
  statedPrice: PriceReading & { text: string | null },
  subject: PriceContext,
  { rent_bounds, noEvidence }: EventContext,
): EventPrices | Problem {
  const namedPeriod = (raw.price_period ?? '').trim();
  const field = namedPeriod === '' ? null : rentPeriodOf(namedPeriod);
  if (namedPeriod !== '' && field === null)
    return {
      code: 'bad_rent',
      message: `the period "${namedPeriod.slice(0, 40)}" is none of week, fortnight, month, year`,
    };
  const period: RentPeriod = field ?? statedPrice.period ?? 'week';
  const weekly: (number | null)[] = [];
  for (const amount of [statedPrice.price, statedPrice.low, statedPrice.high]) {
    const rent = amount === null || amount === 0 ? null : toWeekly(amount, period);
    if (rent !== null && !canBeWeekly(rent, subject.state, subject.bedrooms, rent_bounds))
      return {
        code: 'bad_rent',
        message: `${amount} a ${period} is ${rent} dollars a week, not ${rent_bounds.least} to ${Math.round(mostRent(rent_bounds, subject.state, subject.bedrooms))}`,
      };
    weekly.push(rent);
  }
  const [low, high] = ordered(weekly[1]!, weekly[2]!);
  return {
    price: weekly[0]!,
    price_low: low,
    price_high: high,
    price_text: statedPrice.text,
    no_evidence: noEvidence ?? null,
  };
}
