import type { Random } from '../random.ts';

/** Address of a home by its parts, upper case, empty where there is none. */
export interface HomeAddress {
  readonly unit: string;
  /** Number with its suffix, or a range. */
  readonly number: string;
  readonly street: string;
  readonly type: string;
  readonly suffix: string;
  readonly suburb: string;
  readonly state: string;
  readonly postcode: string;
}

/** How an address is written: as it is, with short words, or with a mistake of the agent. */
export type AddressForm = 'plain' | 'abbreviated' | 'typo' | 'no_number';

const SHORT: Readonly<Record<string, readonly string[]>> = {
  STREET: ['ST', 'ST', 'STR'],
  ROAD: ['RD'],
  AVENUE: ['AVE', 'AV'],
  PARADE: ['PDE'],
  DRIVE: ['DR', 'DRV'],
  LANE: ['LN', 'LA'],
  CRESCENT: ['CRES', 'CR'],
  TERRACE: ['TCE'],
  BOULEVARD: ['BLVD', 'BVD'],
  COURT: ['CT', 'CRT'],
  CLOSE: ['CL'],
  PLACE: ['PL'],
  GROVE: ['GR', 'GVE'],
};

const MOST_TITLED = 5000;
const known = new Map<string, string>();

/** `SMITH STREET` as `Smith Street`. The words of a suburb come again and again, so they are remembered for a while. */
export function titled(text: string): string {
  const found = known.get(text);
  if (found !== undefined) return found;
  const made = text
    .toLowerCase()
    .replace(/(^|[\s/-])([a-z])/g, (_, before: string, letter: string) => before + letter.toUpperCase());
  if (known.size >= MOST_TITLED) known.clear();
  known.set(text, made);
  return made;
}

/** Short form of a street type; one that has none stays. */
export const shortType = (type: string, random: Random): string => random.pick(SHORT[type] ?? [type]);

/** Two letters inside the word change places; words that would not change lose a letter. */
export function withTypo(word: string, random: Random): string {
  if (word.length < 5) return word;
  const at = 1 + random.int(word.length - 3);
  const [a, b] = [word[at]!, word[at + 1]!];
  return a === b ? word.slice(0, at) + word.slice(at + 1) : word.slice(0, at) + b + a + word.slice(at + 2);
}

/** Draws how an address is written; words of fewer than five letters have no typing error. */
export function drawForm(address: HomeAddress, random: Random): AddressForm {
  const draw = random.next();
  if (draw < 0.004) return 'no_number';
  if (draw < 0.03 && address.street.length >= 6) return 'typo';
  return draw < 0.55 ? 'abbreviated' : 'plain';
}

/** Street part of an address: unit, number, name, type, in the form. */
export function streetLine(address: HomeAddress, form: AddressForm, random: Random): string {
  const type = form === 'abbreviated' ? shortType(address.type, random) : address.type;
  const name = form === 'typo' ? withTypo(address.street, random) : address.street;
  const street = [name, type, address.suffix].filter((part) => part !== '').join(' ');
  if (form === 'no_number') return titled(street);
  if (address.unit === '') return `${address.number} ${titled(street)}`;
  const style = random.int(3);
  const number = `${address.number} ${titled(street)}`;
  if (style === 0) return `${address.unit}/${number}`;
  return style === 1 ? `Unit ${address.unit}, ${number}` : `U${address.unit}/${number}`;
}

/** The whole address in one line. */
export const addressLine = (address: HomeAddress, street: string): string =>
  `${street}, ${titled(address.suburb)} ${address.state} ${address.postcode}`;
