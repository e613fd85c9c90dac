import type { Random } from '../../../tools/sample/random.ts';
import type { MatchInput } from '../../../transforms/address/match/match.ts';
import type { MatchHints } from '../../../transforms/address/match/match_result.ts';
import { misspell, numberOf, type Subject, streetOf, title } from './variants.ts';

/** An address of the sample country; its parts in the words that texts are made of. */
export interface Sampled extends Subject {
  unit_type: string | null;
  level_type: string | null;
  level: string | null;
  lot: string | null;
  building: string | null;
  lon: number;
  lat: number;
}

/** What a text says, where that is not all of its address: the judge asks which addresses of the register fit it. */
export interface Said {
  unit: string | null;
  first: string;
  last: string | null;
  name: string;
  /** Edits that the name may be away. */
  edits: number;
  suffix: string | null;
  /** Null: not stated, so are the rest. */
  type: string | null;
  locality: string | null;
  postcode: string | null;
  state: string | null;
  /** Metres around the coordinates that are given with the text; null: none are. */
  within_m: number | null;
}

export interface Text {
  input: MatchInput;
  said?: Partial<Said>;
  hints?: MatchHints;
}

/** A way to write an address; null: it does not apply to this one. */
export type Form = (subject: Sampled, random: Random) => Text | null;

const placeOf = ({ locality, state, postcode }: Sampled): string => `${title(locality)} ${state} ${postcode}`;
const unitSlash = (s: Sampled): string => (s.unit === null ? numberOf(s) : `${s.unit}/${numberOf(s)}`);
const text = (written: string, said: Partial<Said> = {}): Text => ({ input: { text: written }, said });
const isPlain = (s: Sampled): boolean => s.unit_type !== 'REAR' && s.level === null && s.lot === null;

/** A form of addresses with a street name of letters alone, without level or lot. */
const plain =
  (form: Form): Form =>
  (s, r) =>
    isPlain(s) && /^[A-Z]+$/.test(s.name) ? form(s, r) : null;
const withType = (form: Form): Form => plain((s, r) => (s.type === null ? null : form(s, r)));

const typed = (least: number, times: number): Form =>
  plain((s, r) => {
    let name: string | null = s.name;
    for (let i = 0; i < times && name !== null; i++) name = misspell(name, r, least - i);
    if (name === null || name === s.name) return null;
    const line = `${unitSlash(s)} ${streetOf({ ...s, name }, r)}, ${placeOf(s)}`;
    return text(line, { name, edits: times });
  });

const TYPE_WORDS: Readonly<Record<string, readonly string[]>> = {
  STREET: ['Str.', 'ST', 'Steet', 'Sreet'],
  ROAD: ['RD', 'Raod', 'rd.'],
  AVENUE: ['Avn', 'AVE.', 'Avenu', 'Aveneu'],
  LANE: ['LN', 'La.', 'Lanee'],
  DRIVE: ['DRV', 'Dr.', 'Drvie'],
  PARADE: ['PDE.', 'Pde', 'Prade'],
  TERRACE: ['TCE', 'Terr.', 'Terace'],
  WAY: ['Wy', 'WAY'],
  PLACE: ['PL.', 'Plce'],
  CLOSE: ['CL', 'Cl.'],
  GROVE: ['GR', 'Gve.'],
};

/** Streets: abbreviations, misspelt names and types, types left out. */
export const STREET_FORMS: Readonly<Record<string, Form>> = {
  type_shortened: withType((s, r) => {
    const word = r.pick(TYPE_WORDS[s.type!] ?? [s.type!]);
    return text(`${unitSlash(s)} ${title(s.name)} ${word}, ${placeOf(s)}`);
  }),
  type_left_out: withType((s) => text(`${unitSlash(s)} ${title(s.name)}, ${placeOf(s)}`, { type: null })),
  one_slip: typed(6, 1),
  one_slip_of_five: plain((s, r) => (s.name.length === 5 ? typed(5, 1)(s, r) : null)),
  two_slips: typed(9, 2),
  slip_no_type: withType((s, r) => {
    const name = misspell(s.name, r, 7);
    if (name === null || name === s.name) return null;
    return text(`${unitSlash(s)} ${title(name)}, ${placeOf(s)}`, { name, edits: 1, type: null });
  }),
  no_punctuation: plain((s, r) => text(`${unitSlash(s)} ${streetOf(s, r)} ${placeOf(s)}`.toLowerCase())),
  stopped: plain((s, r) => text(`No ${unitSlash(s)}. ${streetOf(s, r)}., ${placeOf(s)}.`)),
  split_fields: plain((s, r) => ({
    input: {
      unit: s.unit,
      number: numberOf(s),
      street: title(s.name),
      street_type: s.type === null ? null : r.pick(TYPE_WORDS[s.type] ?? [s.type]),
      suburb: s.locality,
      state: s.state,
      postcode: s.postcode,
    },
  })),
};

const UNITS: readonly ((unit: string, number: string) => string)[] = [
  (u, n) => `${u} / ${n}`,
  (u, n) => `U${u}/${n}`,
  (u, n) => `Unit ${u}, ${n}`,
  (u, n) => `UNIT ${u} ${n}`,
  (u, n) => `Apt ${u}/${n}`,
  (u, n) => `Apartment No. ${u}, ${n}`,
  (u, n) => `Flat ${u} - ${n}`,
  (u, n) => `#${u}, ${n}`,
];
const isDwelling = (s: Sampled): boolean =>
  s.unit !== null && (s.unit_type === null || s.unit_type === 'UNIT' || s.unit_type === 'APT');
const between = (s: Sampled): number => Number(s.first) + 2;
const isRange = (s: Sampled): boolean => s.last !== null && /^\d+$/.test(s.first + s.last) && s.unit === null;

/** Units, levels, lots and ranges in the ways that they are written. */
export const PART_FORMS: Readonly<Record<string, Form>> = {
  unit_before: (s, r) =>
    isDwelling(s) && isPlain(s)
      ? text(`${r.pick(UNITS)(s.unit!, numberOf(s))} ${streetOf(s, r)}, ${placeOf(s)}`)
      : null,
  unit_after: (s, r) =>
    isDwelling(s) && isPlain(s)
      ? text(
          `${numberOf(s)} ${streetOf(s, r)}, ${r.pick(['Unit', 'Apartment', 'U'])} ${s.unit}, ${placeOf(s)}`,
        )
      : null,
  shop: (s, r) =>
    s.unit_type === 'SHOP' && s.unit !== null
      ? text(
          `${r.pick(['Shop', 'SHOP', 'Shop No.'])} ${s.unit}, ${numberOf(s)} ${streetOf(s, r)}, ${placeOf(s)}`,
        )
      : null,
  level: (s, r) =>
    s.level_type === 'L' && s.unit !== null
      ? text(
          `${r.pick([`Level ${s.level}, ${s.unit}/`, `L${s.level}, Unit ${s.unit}, `, `Unit ${s.unit}, Lvl ${s.level}, `])}${numberOf(s)} ${streetOf(s, r)}, ${placeOf(s)}`,
        )
      : null,
  level_left_out: (s, r) =>
    s.level !== null && s.unit !== null ? text(`${unitSlash(s)} ${streetOf(s, r)}, ${placeOf(s)}`) : null,
  lot: (s, r) =>
    s.lot !== null && s.first === ''
      ? text(`${r.pick(['Lot', 'LOT'])} ${s.lot} ${streetOf(s, r)}, ${placeOf(s)}`)
      : null,
  range_dashes: (s, r) =>
    isRange(s) && isPlain(s)
      ? text(`${s.first}${r.pick(['–', ' - ', ' to ', '—'])}${s.last} ${streetOf(s, r)}, ${placeOf(s)}`)
      : null,
  range_end: (s, r) => {
    if (!isRange(s) || !isPlain(s)) return null;
    const first = r.pick([s.first, s.last!]);
    return text(`${first} ${streetOf(s, r)}, ${placeOf(s)}`, { first, last: null });
  },
  unit_of_range_end: (s, r) => {
    if (!isDwelling(s) || s.last === null || !isPlain(s)) return null;
    const first = r.pick([s.first, s.last]);
    return text(`${s.unit}/${first} ${streetOf(s, r)}, ${placeOf(s)}`, { first, last: null });
  },
  letter_apart: (s, r) => {
    const parts = /^(\d+)([A-Z])$/.exec(s.first);
    if (parts === null || s.last !== null || s.unit !== null) return null;
    return text(
      `${parts[1]}${r.pick([' ', '-'])}${parts[2]!.toLowerCase()} ${streetOf(s, r)}, ${placeOf(s)}`,
    );
  },
  building_before: (s, r) =>
    s.building !== null && isPlain(s) && s.first !== ''
      ? text(`${title(s.building)}, ${unitSlash(s)} ${streetOf(s, r)}, ${placeOf(s)}`)
      : null,
};

/** Texts of a part that the register does not have; their address is the parent that it has. */
export const PARENT_FORMS: Readonly<Record<string, Form>> = {
  unit_of_a_house: (s, r) => {
    if (s.unit !== null || !isPlain(s)) return null;
    const unit = String(801 + r.int(90));
    return text(`${r.pick(UNITS)(unit, numberOf(s))} ${streetOf(s, r)}, ${placeOf(s)}`, { unit });
  },
  inside_range: (s, r) => {
    if (!isRange(s) || !isPlain(s) || between(s) >= Number(s.last)) return null;
    return text(`${between(s)} ${streetOf(s, r)}, ${placeOf(s)}`, { first: String(between(s)), last: null });
  },
  unit_inside_range: (s, r) => {
    if (!isRange(s) || !isPlain(s) || between(s) >= Number(s.last)) return null;
    const unit = String(801 + r.int(90));
    return text(`${unit}/${between(s)} ${streetOf(s, r)}, ${placeOf(s)}`, {
      unit,
      first: String(between(s)),
      last: null,
    });
  },
};

/** Places: the wrong suburb or postcode, parts left out, parts in another order. `others` gives the localities of a state but one. */
export function placeForms(
  others: (subject: Sampled) => readonly { locality: string; postcode: string }[],
): Readonly<Record<string, Form>> {
  const line = (s: Sampled, r: Random): string => `${unitSlash(s)} ${streetOf(s, r)}`;
  const elsewhere = (
    write: (s: Sampled, r: Random, other: { locality: string; postcode: string }) => Text,
  ): Form => plain((s, r) => (others(s).length === 0 ? null : write(s, r, r.pick(others(s)))));
  return {
    no_postcode: plain((s, r) => text(`${line(s, r)}, ${title(s.locality)} ${s.state}`, { postcode: null })),
    no_state: plain((s, r) => text(`${line(s, r)}, ${title(s.locality)} ${s.postcode}`, { state: null })),
    suburb_alone: plain((s, r) =>
      text(`${line(s, r)}, ${title(s.locality)}`, { postcode: null, state: null }),
    ),
    no_suburb: plain((s, r) => text(`${line(s, r)} ${s.state} ${s.postcode}`, { locality: null })),
    suburb_slip: plain((s, r) => {
      const wrong = misspell(s.locality.replace(' ', ''), r, 9);
      return wrong === null || s.locality.includes(' ')
        ? null
        : text(`${line(s, r)}, ${title(wrong)} ${s.state} ${s.postcode}`);
    }),
    wrong_suburb: elsewhere((s, r, other) =>
      text(`${line(s, r)}, ${title(other.locality)} ${s.state} ${s.postcode}`, { locality: null }),
    ),
    no_place_but_coordinates: plain((s, r) => ({
      ...text(line(s, r), { locality: null, postcode: null, state: null, within_m: 100 }),
      hints: { lon: s.lon, lat: s.lat },
    })),
    wrong_postcode: elsewhere((s, r, other) =>
      text(`${line(s, r)}, ${title(s.locality)} ${s.state} ${other.postcode}`, { postcode: null }),
    ),
    postcode_first: plain((s, r) =>
      text(`${line(s, r)}, ${s.postcode} ${title(s.locality)}${r.pick([`, ${s.state}`, '', ` ${s.state}`])}`),
    ),
    suburb_first: plain((s, r) =>
      text(`${title(s.locality)} ${s.state} ${s.postcode}${r.pick([', ', ' - ', ': '])}${line(s, r)}`),
    ),
    suburb_first_alone: plain((s, r) =>
      text(`${title(s.locality)}, ${line(s, r)}, ${s.state} ${s.postcode}`),
    ),
    number_last: plain((s, r) => text(`${streetOf(s, r)} ${unitSlash(s)}, ${placeOf(s)}`)),
  };
}
