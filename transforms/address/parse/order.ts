import { findAnchor } from './anchor.ts';
import { isPostcode } from './place_words.ts';
import { streetTypes } from './street_types.ts';
import { unitType } from './unit_types.ts';
import { isNumberLabel } from './unit_words.ts';
import { BREAK, type Words } from './words.ts';

const hasDigit = (word: string): boolean => /\d/.test(word);
const isType = (word: string): boolean => streetTypes(word) !== undefined;

function segmentEnd({ breaks }: Words, at: number): number {
  let end = at + 1;
  while (end < breaks.length && breaks[end] === BREAK.none) end++;
  return end;
}

/** Moves the words `from` to `to` in front of the later word `before`, as a segment of their own. */
function moved({ words, breaks, legalLot }: Words, from: number, to: number, before: number): Words {
  const at = [...Array(words.length).keys()];
  const order = [...at.slice(0, from), ...at.slice(to, before), ...at.slice(from, to), ...at.slice(before)];
  return {
    legalLot,
    words: order.map((i) => words[i]!),
    breaks: order.map((i, place) => {
      if (place === 0) return BREAK.none;
      return i === from || i === before ? Math.max(BREAK.comma, breaks[i]!) : breaks[i]!;
    }),
  };
}

/** Moves a place in the first segment behind the street after it: `FITZROY VIC 3065, 12 SMITH ST`. */
function placeFirst(text: Words): Words {
  const { words, breaks } = text;
  const { end, after } = findAnchor(text);
  const first = words[after];
  if (after === end || first === undefined || !(hasDigit(first) || unitType(first) !== undefined))
    return text;
  for (let i = 0; i < end; i++) if (hasDigit(words[i]!) || (i > 0 && breaks[i] !== BREAK.none)) return text;
  for (let i = after + 2; i < words.length; i++)
    if (isType(words[i]!)) return moved(text, 0, after, segmentEnd(text, i));
  return text;
}

/** Returns whether words contain a street with a number that has no label such as `UNIT`. */
const isStreet = (words: readonly string[]): boolean =>
  words.some(isType) && words.some((word, i) => hasDigit(word) && (i === 0 || !isNumberLabel(words[i - 1]!)));

/** Moves the postcode behind the suburb: `12 SMITH ST, 3065 FITZROY`. In `UNIT 5 THE COURT, 1205 HIGH ST` the second part is the street. */
function postcodeFirst(text: Words): Words {
  const { words, breaks } = text;
  for (let i = 2; i + 1 < words.length; i++) {
    if (breaks[i] === BREAK.none || !isPostcode(words[i]!)) continue;
    const end = segmentEnd(text, i);
    const placeWords = words.slice(i + 1, end);
    if (placeWords.length === 0 || placeWords.some(hasDigit) || !isStreet(words.slice(0, i))) continue;
    const turned = moved(text, i, i + 1, end);
    turned.breaks[i] = breaks[i]!;
    turned.breaks[end - 1] = BREAK.none;
    return turned;
  }
  return text;
}

/** Reorders the words to street, suburb, state, postcode if the place or its postcode comes first. */
export const inOrder = (text: Words): Words => postcodeFirst(placeFirst(text));
