import type { Random } from '../../../tools/sample/random.ts';
import type { MatchInput } from '../../../transforms/address/match/match.ts';

/** An address of the register in the words that variants are made of. */
export interface Subject {
  pid: string;
  unit: string | null;
  first: string;
  last: string | null;
  name: string;
  type: string | null;
  suffix: string | null;
  locality: string;
  state: string;
  postcode: string;
}

/** A way to write an address; null: it does not apply to this one. */
export type Variant = (subject: Subject, random: Random) => MatchInput | null;

const TYPES: Readonly<Record<string, readonly string[]>> = {
  STREET: ['St', 'St.', 'Str', 'STREET', 'street', 'Street'],
  ROAD: ['Rd', 'Rd.', 'road', 'ROAD'],
  AVENUE: ['Ave', 'Av', 'Ave.', 'Aven'],
  PLACE: ['Pl', 'Plc', 'pl.'],
  LANE: ['La', 'Ln', 'Lane'],
  PARADE: ['Pde', 'Pd', 'Parade', 'PDE'],
  TERRACE: ['Tce', 'Terr', 'Ter', 'TCE.'],
  CRESCENT: ['Cres', 'Cr', 'Crs', 'Cresc'],
  COURT: ['Ct', 'Crt', 'Court'],
  CLOSE: ['Cl', 'Close'],
  GROVE: ['Gr', 'Gve', 'Grv'],
  DRIVE: ['Dr', 'Drv', 'Drive'],
  BOULEVARD: ['Blvd', 'Bvd', 'Boulevarde'],
  HIGHWAY: ['Hwy', 'Highway'],
  SQUARE: ['Sq', 'Square'],
};
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  N: ['North', 'Nth', 'N'],
  S: ['South', 'Sth', 'S'],
  E: ['East', 'E'],
  W: ['West', 'W'],
};

export const title = (text: string): string =>
  text
    .toLowerCase()
    .replace(/(^|[\s-])([a-z])/g, (_, before: string, letter: string) => before + letter.toUpperCase());

export const numberOf = ({ first, last }: Subject): string => (last === null ? first : `${first}-${last}`);

export function streetOf(subject: Subject, random: Random): string {
  const { name, type, suffix } = subject;
  const words = [title(name)];
  if (type !== null) words.push(random.pick(TYPES[type] ?? [title(type)]));
  if (suffix !== null) words.push(random.pick(SUFFIXES[suffix] ?? [suffix]));
  return words.join(' ');
}

const place = ({ locality, state, postcode }: Subject): string => `${title(locality)} ${state} ${postcode}`;
const unitSlash = (subject: Subject): string =>
  subject.unit === null ? numberOf(subject) : `${subject.unit}/${numberOf(subject)}`;
const standard = (subject: Subject, random: Random): string =>
  `${unitSlash(subject)} ${streetOf(subject, random)}, ${place(subject)}`;

/** One letter of a word of at least `least` letters replaced, left out, doubled or swapped; null: no such word. */
export function misspell(text: string, random: Random, least: number): string | null {
  if (!/^[A-Z]+$/.test(text) || text.length < least) return null;
  const at = 1 + random.int(text.length - 2);
  const [before, after] = [text.slice(0, at), text.slice(at + 1)];
  switch (random.int(4)) {
    case 0: {
      const letter = random.pick([...'AEIOURSTLN'].filter((each) => each !== text[at]));
      return before + letter + after;
    }
    case 1:
      return before + after;
    case 2:
      return before + text[at] + text[at] + after;
    default:
      return text[at] === after[0] ? before + after : before + after[0]! + text[at] + after.slice(1);
  }
}

const withUnit =
  (forms: readonly ((unit: string, number: string) => string)[]): Variant =>
  (subject, random) =>
    subject.unit === null
      ? null
      : {
          text: `${random.pick(forms)(subject.unit, numberOf(subject))} ${streetOf(subject, random)}, ${place(subject)}`,
        };

const written =
  (write: (subject: Subject, random: Random) => string | null): Variant =>
  (subject, random) => {
    const text = write(subject, random);
    return text === null ? null : { text };
  };

const swapped = (locality: string, random: Random): string | null => {
  const match = /^(.+) (NORTH|SOUTH|EAST|WEST)$/.exec(locality);
  if (match === null) return null;
  const [, name, side] = match;
  const short = `${side![0]}th`;
  const forms = [`${side} ${name}`, `${side![0]} ${name}`, `${name} ${side![0]}`];
  if (side === 'NORTH' || side === 'SOUTH') forms.push(`${short} ${name}`, `${name} ${short}`);
  return title(random.pick(forms));
};

/** Ways of writing that mean the address they are made of; those that the matcher was developed with. */
export const KNOWN_FORMS: Readonly<Record<string, Variant>> = {
  standard: written(standard),
  unit_words: withUnit([
    (u, n) => `Unit ${u}/${n}`,
    (u, n) => `UNIT ${u} ${n}`,
    (u, n) => `u${u}/${n}`,
    (u, n) => `Apartment ${u}, ${n}`,
    (u, n) => `Flat ${u} / ${n}`,
    (u, n) => `${u} / ${n}`,
  ]),
  range_dashes: written((s, r) =>
    s.last === null
      ? null
      : `${s.unit === null ? '' : `${s.unit}/`}${s.first}${r.pick([' - ', '–', ' – ', ' to '])}${s.last} ${streetOf(s, r)}, ${place(s)}`,
  ),
  no_commas_upper: written((s, r) =>
    `${unitSlash(s)} ${streetOf(s, r)} ${s.locality} ${s.state} ${s.postcode}`.toUpperCase(),
  ),
  no_state: written((s, r) => `${unitSlash(s)} ${streetOf(s, r)}, ${title(s.locality)} ${s.postcode}`),
  suburb_swapped: written((s, r) => {
    const other = swapped(s.locality, r);
    return other === null ? null : `${unitSlash(s)} ${streetOf(s, r)}, ${other} ${s.state}`;
  }),
  street_typo: written((s, r) => {
    const wrong = misspell(s.name, r, 6);
    return wrong === null ? null : standard({ ...s, name: wrong }, r);
  }),
  fields: (s, r) => ({
    unit: s.unit,
    number: numberOf(s),
    street: streetOf(s, r),
    suburb: s.locality,
    state: s.state.toLowerCase(),
    postcode: s.postcode,
  }),
};

/** Ways of writing held out: nothing in the matcher was set by them. */
export const HELD_OUT_FORMS: Readonly<Record<string, Variant>> = {
  unit_other_words: withUnit([
    (u, n) => `Townhouse ${u}, ${n}`,
    (u, n) => `Villa ${u}/${n}`,
    (u, n) => `#${u}/${n}`,
    (u, n) => `Unit No. ${u}, ${n}`,
    (u, n) => `UN${u}/${n}`,
    (u, n) => `apt.${u}, No. ${n}`,
    (u, n) => `(Unit ${u}) ${n}`,
  ]),
  unit_after_street: written((s, r) =>
    s.unit === null ? null : `${numberOf(s)} ${streetOf(s, r)}, Unit ${s.unit}, ${place(s)}`,
  ),
  letter_apart: written((s, r) => {
    const match = /^(\d+)([A-Z])$/.exec(s.first);
    return match === null || s.last !== null || s.unit !== null
      ? null
      : `${match[1]} ${match[2]!.toLowerCase()} ${streetOf(s, r)}, ${place(s)}`;
  }),
  two_typos: written((s, r) => {
    const once = misspell(s.name, r, 8);
    const twice = once === null ? null : misspell(once, r, 7);
    return twice === null || twice === s.name ? null : standard({ ...s, name: twice }, r);
  }),
  suburb_typo: written((s, r) => {
    const wrong = misspell(s.locality, r, 6);
    return wrong === null ? null : standard({ ...s, locality: wrong }, r);
  }),
  type_typo: written((s, r) => {
    const wrong = s.type === null || s.suffix !== null ? null : misspell(s.type, r, 5);
    return wrong === null
      ? null
      : `${unitSlash(s)} ${title(s.name)} ${title(wrong)}, ${title(s.locality)} ${s.state} ${s.postcode}`;
  }),
  state_in_full: written((s, r) =>
    `${unitSlash(s)} ${streetOf(s, r)}, ${title(s.locality)}, ${r.pick(['Victoria', 'Victoria, Australia', 'VIC Australia'])} ${r.chance(0.5) ? s.postcode : ''}`.trim(),
  ),
  lines: written((s, r) => `${unitSlash(s)} ${streetOf(s, r)}\n${s.locality}\n${s.state}\t${s.postcode}`),
  before_and_after: written((s, r) => {
    const before = r.pick(['For Sale: ', 'AUCTION - ', 'The Foundry, ', 'Address: ', 'SOLD! ', 'Leased | ']);
    const after = r.pick([
      ' Ph 0412 345 678',
      ' - (03) 9421 1234',
      ' $1,250,000 - $1,350,000',
      ', 3 bed 2 bath 1 car',
      ' | ref 20391',
      ' jane@agents.com.au',
      ' "Inspect by appointment"',
    ]);
    return `${before}${standard(s, r)}${after}`;
  }),
  after_without_postcode: written((s, r) => {
    const after = r.pick([
      ' - contact agent',
      ' | Nelson & Co',
      ' (Ray & Sons)',
      ' 0412 345 678',
      ', For Sale',
      '; 1300 123 456',
    ]);
    return `${unitSlash(s)} ${streetOf(s, r)}, ${title(s.locality)}${after}`;
  }),
  corner_remark: written(
    (s, r) =>
      `${unitSlash(s)} ${streetOf(s, r)} ${r.pick(['(cnr Zephyr St)', '(corner of Zephyr Street)', 'cnr Zephyr St'])}, ${place(s)}`,
  ),
  full_stops: written(
    (s, r) => `No. ${unitSlash(s)}, ${streetOf(s, r)}. ${title(s.locality)}. ${s.state}. ${s.postcode}.`,
  ),
  fields_split: (s, r) => ({
    unit_type: s.unit === null ? null : r.pick(['Unit', 'Apartment', 'Flat']),
    unit: s.unit,
    number: numberOf(s),
    street: s.name.toLowerCase(),
    street_type: s.type === null ? null : r.pick(TYPES[s.type] ?? [s.type]),
    suburb: title(s.locality),
    postcode: s.postcode,
  }),
  bare_lower_case: written((s, r) =>
    `${unitSlash(s)} ${streetOf(s, r)} ${s.locality}`.toLowerCase().replaceAll('.', ''),
  ),
  typo_without_type: written((s, r) => {
    const wrong = misspell(s.name, r, 7);
    return wrong === null || s.suffix !== null
      ? null
      : `${unitSlash(s)} ${title(wrong)}, ${title(s.locality)} ${s.postcode}`;
  }),
  street_and_suburb_typo: written((s, r) => {
    const [name, locality] = [misspell(s.name, r, 8), misspell(s.locality, r, 8)];
    return name === null || locality === null
      ? null
      : `${unitSlash(s)} ${streetOf({ ...s, name }, r)}, ${title(locality)} VIC`;
  }),
  first_letter_typo: written((s, r) =>
    /^[A-Z]{7,}$/.test(s.name)
      ? standard({ ...s, name: r.pick([...'BCDFGHKLMPRSTW']) + s.name.slice(1) }, r)
      : null,
  ),
  number_after_street: written(
    (s, r) => `${streetOf(s, r)} ${unitSlash(s)}, ${title(s.locality)} ${s.postcode}`,
  ),
  building_behind: written(
    (s, r) => `${unitSlash(s)} ${streetOf(s, r)}, Como Apartments, ${title(s.locality)} VIC`,
  ),
  city_behind: written(
    (s, r) => `${unitSlash(s)} ${streetOf(s, r)}, ${title(s.locality)}, Melbourne VIC ${s.postcode}`,
  ),
  wrong_postcode: written((s, r) => standard({ ...s, postcode: '3999' }, r)),
  text_and_suburb_field: (s, r) => ({
    text: `${unitSlash(s)} ${streetOf(s, r)}`,
    suburb: title(s.locality),
    state: s.state,
  }),
};

/** Ways of changing an address into one that is not in the register, as far as `exists` can tell. */
export function absentForms(exists: (subject: Subject) => boolean): Readonly<Record<string, Variant>> {
  const unless =
    (change: (subject: Subject, random: Random) => Subject | null): Variant =>
    (subject, random) => {
      const changed = change(subject, random);
      return changed === null || exists(changed) ? null : { text: standard(changed, random) };
    };
  return {
    other_unit: unless((s, r) => (s.unit === null ? null : { ...s, unit: String(1 + r.int(60)) })),
    unit_of_a_house: unless((s, r) => (s.unit === null ? { ...s, unit: String(1 + r.int(20)) } : null)),
    other_letter: unless((s, r) =>
      /^\d+$/.test(s.first) && s.last === null ? { ...s, first: s.first + r.pick([...'BCDEF']) } : null,
    ),
    next_number: unless((s, r) =>
      s.last !== null || !/^\d+$/.test(s.first)
        ? null
        : { ...s, unit: null, first: String(Number(s.first) + 1 + r.int(9)) },
    ),
    inside_range: unless((s) =>
      s.last === null || Number(s.last) - Number(s.first) < 3
        ? null
        : { ...s, unit: null, first: String(Number(s.first) + 2), last: null },
    ),
    longer_range: unless((s) =>
      s.last !== null && /^\d+$/.test(s.last) ? { ...s, unit: null, last: String(Number(s.last) + 2) } : null,
    ),
    other_type: unless((s, r) => ({
      ...s,
      type: r.pick(['COURT', 'GROVE', 'CLOSE', 'CRESCENT', 'HIGHWAY']),
    })),
    other_state: unless((s) => ({ ...s, state: 'NSW', postcode: '2000' })),
    other_name: unless((s, r) => ({
      ...s,
      name: r.pick(['ZAMBEZI', 'KOOKABURRA', 'QUANDONG', 'WARRIGAL', 'MERRIGUM', 'YACKANDANDAH']),
    })),
    two_units: unless((s) =>
      s.unit === null || !/^\d+$/.test(s.unit) ? null : { ...s, unit: `${s.unit}-${Number(s.unit) + 1}` },
    ),
  };
}

/** Further ways of changing an address into one that must not be matched; held out like HELD_OUT_FORMS. */
export function heldOutAbsentForms(
  exists: (subject: Subject) => boolean,
  places: readonly { locality: string; postcode: string }[],
): Readonly<Record<string, Variant>> {
  return {
    other_suburb: (s, r) => {
      const changed = { ...s, ...r.pick(places) };
      return exists(changed) ? null : { text: standard(changed, r) };
    },
    unknown_suburb: (s, r) => ({
      text: standard(
        { ...s, locality: r.pick(['TARNEIT', 'WYCHEPROOF', 'ULTIMA', 'EAGLEHAWK']), postcode: '3594' },
        r,
      ),
    }),
    no_place: (s, r) => ({ text: `${unitSlash(s)} ${streetOf(s, r)}` }),
    street_only: (s, r) => ({ text: `${streetOf(s, r)}, ${place(s)}` }),
    corner_only: (s, r) => ({ text: `Cnr ${streetOf(s, r)} & Zephyr Street, ${place(s)}` }),
    shop_for_unit: (s, r) =>
      s.unit === null ? null : { text: `Shop ${s.unit}, ${numberOf(s)} ${streetOf(s, r)}, ${place(s)}` },
    car_space_for_unit: (s, r) =>
      s.unit === null ? null : { text: `Carspace ${s.unit}, ${numberOf(s)} ${streetOf(s, r)}, ${place(s)}` },
    unit_and_number_swapped: (s, r) => {
      if (s.unit === null || s.last !== null) return null;
      const changed = { ...s, unit: s.first, first: s.unit };
      return exists(changed) ? null : { text: standard(changed, r) };
    },
    unit_without_number: (s, r) =>
      s.unit === null ? null : { text: `Unit ${s.unit}, ${streetOf(s, r)}, ${place(s)}` },
    level_of_a_house: (s, r) =>
      s.unit === null ? { text: `Level 3, ${numberOf(s)} ${streetOf(s, r)}, ${place(s)}` } : null,
    two_digits_swapped: (s, r) => {
      const match = /^(.*)(\d)(\d)$/.exec(s.first);
      if (match === null || s.last !== null || match[2] === match[3] || match[3] === '0') return null;
      const changed = { ...s, first: `${match[1]}${match[3]}${match[2]}` };
      return exists(changed) ? null : { text: standard(changed, r) };
    },
    other_suffix: (s, r) => {
      const changed = { ...s, suffix: r.pick(['N', 'S', 'E', 'W']) };
      return exists(changed) ? null : { text: standard(changed, r) };
    },
  };
}
