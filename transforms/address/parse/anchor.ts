import { isPostcode, stateOfWord } from './place_words.ts';
import { streetTypes } from './street_types.ts';
import { isNumberLabel } from './unit_words.ts';
import { BREAK, type Words } from './words.ts';

/** State and postcode of a text, and their position. */
export interface StateAndPostcode {
  state: string | null;
  postcode: string | null;
  /** Number of words before them; words after them are not read as part of the address. */
  end: number;
  /** First word after them; `end` if there are none. */
  after: number;
}

const hasLetters = (word: string): boolean => /[A-Z]/.test(word);
/** State names that are also street names: only accepted before the end of the text or a postcode. */
const LONG_NAMES: readonly (readonly string[])[] = [
  ['NEW', 'SOUTH', 'WALES'],
  ['SOUTH', 'AUSTRALIA'],
  ['WESTERN', 'AUSTRALIA'],
  ['NORTHERN', 'TERRITORY'],
  ['AUSTRALIAN', 'CAPITAL', 'TERRITORY'],
  ['VICTORIA'],
  ['QUEENSLAND'],
  ['TASMANIA'],
];

interface StateToken {
  state: string;
  length: number;
  long: boolean;
}

/** Returns the state that starts at a word. Null: none. */
function stateAt({ words }: Words, at: number): StateToken | null {
  const word = words[at]!;
  if (word.length <= 3) {
    const state = stateOfWord(word);
    return state === undefined ? null : { state, length: 1, long: false };
  }
  const name = LONG_NAMES.find((each) => each.every((part, i) => words[at + i] === part));
  return name === undefined ? null : { state: stateOfWord(name.join(''))!, length: name.length, long: true };
}

const endsAt = ({ words, breaks }: Words, at: number): boolean =>
  at >= words.length || breaks[at]! !== BREAK.none || words[at] === 'AUSTRALIA' || words[at] === 'AU';

const postcodeAt = ({ words, breaks }: Words, at: number): string | null =>
  at < words.length && breaks[at]! < BREAK.dash && isPostcode(words[at]!) ? words[at]! : null;

/** Returns whether a label is the last word of a name: `BOX FLAT 4001`. */
const endsName = ({ words, breaks }: Words, at: number): boolean =>
  at > 0 &&
  breaks[at] === BREAK.none &&
  streetTypes(words[at]!) !== undefined &&
  /^[A-Z]{2,}$/.test(words[at - 1]!) &&
  streetTypes(words[at - 1]!) === undefined;

/** Returns whether a number belongs to the street before it: `STATION ROAD 2685, FITZROY`. */
const isNumberBehind = ({ words }: Words, at: number): boolean =>
  at + 1 < words.length &&
  streetTypes(words[at - 1]!) !== undefined &&
  !words.slice(0, at).some((word) => /\d/.test(word));

/** Returns whether a four-digit word can end an address: it follows a word, not a label such as `UNIT`, and nothing follows it. */
function closes(text: Words, at: number): boolean {
  const before = text.words[at - 1]!;
  return (
    isPostcode(text.words[at]!) &&
    hasLetters(before) &&
    !/\d/.test(before) &&
    (!isNumberLabel(before) || endsName(text, at - 1)) &&
    (endsAt(text, at + 1) ? !isNumberBehind(text, at) : stateAt(text, at + 1) !== null)
  );
}

/** Returns whether a state name is a street name: it follows only a number and a street type, as in `3 Avenue Victoria`. */
const isStreetName = ({ words, breaks }: Words, at: number): boolean =>
  at >= 2 &&
  breaks[at] === BREAK.none &&
  streetTypes(words[at - 1]!) !== undefined &&
  /\d/.test(words[at - 2]!);

/** Finds state and postcode: the first ones that are adjacent or end a segment. Neither: `end` is the number of words. */
export function findAnchor(text: Words): StateAndPostcode {
  const { words } = text;
  for (let i = 1; i < words.length; i++) {
    const stateMatch = stateAt(text, i);
    if (stateMatch !== null) {
      const after = i + stateMatch.length;
      const postcode = postcodeAt(text, after);
      const certain = postcode !== null || endsAt(text, after);
      const plausible = !stateMatch.long || (hasLetters(words[i - 1]!) && i >= 2 && !isStreetName(text, i));
      if (certain && plausible)
        return { state: stateMatch.state, postcode, end: i, after: postcode === null ? after : after + 1 };
    } else if (i >= 2 && closes(text, i)) {
      const next = i + 1 < words.length ? stateAt(text, i + 1) : null;
      const after = i + 1 + (next?.length ?? 0);
      return { state: next?.state ?? null, postcode: words[i]!, end: i, after };
    }
  }
  return { state: null, postcode: null, end: words.length, after: words.length };
}
