import type { Lot } from '../geography/lot.ts';
import type { Random } from '../random.ts';

/** Where the point of an address stands in relation to its lot. */
export type Placement =
  | 'centre'
  | 'building'
  | 'setback'
  | 'gap'
  | 'street'
  | 'locality'
  | 'site'
  | 'missing';

/** What LEGAL_PARCEL_ID says: the lot, nothing, or a plan that has been superseded. */
export type Legal = 'current' | 'missing' | 'superseded';

/** An address of a lot before it has identifiers. */
export interface AddressDraft {
  readonly role: 'principal' | 'alias' | 'retired';
  /** ADDRESS_ALIAS_TYPE_AUT code of an alias. */
  readonly alias_type: string;
  readonly primary_secondary: '' | 'P' | 'S';
  readonly building: string;
  readonly flat_type: string;
  readonly flat_number: string;
  readonly level_type: string;
  readonly level_number: string;
  /** Shows the lot number of the parcel; without a street number the label reads `LOT 5`. */
  readonly lot_shown: boolean;
  readonly number_first: string;
  readonly number_suffix: string;
  readonly number_last: string;
  readonly streetless: boolean;
  /** Strata lot; 0: the lot itself. */
  readonly unit: number;
  readonly placement: Placement;
  readonly legal: Legal;
  readonly confidence: number;
}

const SUBURBAN_BUILDINGS = [
  'THE MEWS',
  'PARKVIEW',
  'SANDRINGHAM COURT',
  'SUMMIT',
  'ROSEMOUNT RETIREMENT VILLAGE',
  "O'MALLEY HOUSE",
];

function drawPlacement(random: Random, rural: boolean): Placement {
  const draw = random.next();
  if (draw < 0.004) return 'locality';
  if (draw < 0.008) return 'street';
  if (draw < 0.009) return 'missing';
  if (draw < 0.011) return 'site';
  if (rural) return draw < 0.5 ? 'building' : 'centre';
  if (draw < 0.018) return 'gap';
  if (draw < 0.28) return 'setback';
  return draw < 0.31 ? 'building' : 'centre';
}

function drawLegal(random: Random): Legal {
  const draw = random.next();
  return draw < 0.07 ? 'missing' : draw < 0.11 ? 'superseded' : 'current';
}

function drawConfidence(random: Random): number {
  const draw = random.next();
  return draw < 0.6 ? 2 : draw < 0.77 ? 1 : 0;
}

function base(lot: Lot, random: Random): AddressDraft {
  const ranged = lot.number_last > 0 && random.chance(0.8);
  return {
    role: 'principal',
    alias_type: '',
    primary_secondary: '',
    building: '',
    flat_type: '',
    flat_number: '',
    level_type: '',
    level_number: '',
    lot_shown: false,
    number_first: String(lot.number_first),
    number_suffix: lot.number_suffix,
    number_last: ranged ? String(lot.number_last) : '',
    streetless: false,
    unit: 0,
    placement: drawPlacement(random, lot.kind === 'rural'),
    legal: drawLegal(random),
    confidence: drawConfidence(random),
  };
}

/**
 * The addresses of a lot: live principals first (at most `room` of them), then aliases and retired ones of the first.
 * A building of units comes before its units.
 */
export function draftAddresses(lot: Lot, room: number, random: Random): AddressDraft[] {
  if (lot.street < 0 || room <= 0) return [];
  const first = base(lot, random);
  const drafts = lot.units > 0 ? unitDrafts(lot, first, random) : [single(lot, first, random)];
  const live = drafts.slice(0, room);
  if (live.length === 1 && live[0]!.primary_secondary === 'P')
    live[0] = { ...live[0]!, primary_secondary: '' };
  return [...live, ...extras(live[0]!, random)];
}

function single(lot: Lot, draft: AddressDraft, random: Random): AddressDraft {
  if (lot.kind === 'school') return { ...draft, building: 'PRIMARY SCHOOL' };
  const draw = random.next();
  if (draw < 0.01) return { ...draft, lot_shown: true, number_first: '', number_suffix: '', number_last: '' };
  if (draw < 0.06) return { ...draft, lot_shown: true };
  if (draw < 0.062)
    return {
      ...draft,
      lot_shown: true,
      number_first: '',
      number_suffix: '',
      number_last: '',
      streetless: true,
    };
  if (draw < 0.065) return { ...draft, flat_type: 'REAR' };
  return draft;
}

function unitDrafts(lot: Lot, parent: AddressDraft, random: Random): AddressDraft[] {
  const tower = lot.kind === 'tower';
  const building = tower && random.chance(0.4) ? random.pick(SUBURBAN_BUILDINGS) : '';
  const levels = tower && lot.units > 20;
  const perLevel = levels ? 4 + random.int(5) : 0;
  const type =
    lot.kind === 'shops'
      ? 'SHOP'
      : lot.kind === 'factory'
        ? 'FCTY'
        : tower && random.chance(0.2)
          ? 'APT'
          : 'UNIT';
  const typeless = random.chance(0.03);
  const withParent = random.chance(0.92);
  const drafts: AddressDraft[] = withParent ? [{ ...parent, building, primary_secondary: 'P' }] : [];
  for (let unit = 1; unit <= lot.units; unit++) {
    const level = levels ? Math.floor((unit - 1) / perLevel) : 0;
    drafts.push({
      ...parent,
      building,
      primary_secondary: withParent ? 'S' : '',
      flat_type: typeless ? '' : type,
      flat_number: levels ? String((level + 1) * 100 + ((unit - 1) % perLevel) + 1) : String(unit),
      level_type: levels && unit % 3 === 0 ? (level === 0 ? 'G' : 'L') : '',
      level_number: levels && unit % 3 === 0 && level > 0 ? String(level) : '',
      unit,
      placement: drawPlacement(random, false),
      legal: drawLegal(random),
      confidence: drawConfidence(random),
    });
  }
  return drafts;
}

/** Other names of an address, and addresses that are no more. */
function extras(live: AddressDraft, random: Random): AddressDraft[] {
  const out: AddressDraft[] = [];
  if (live.number_last !== '' && random.chance(0.7)) {
    const ends = { alias_type: 'RA', number_last: '' };
    out.push(
      aliasOf(live, ends),
      aliasOf(live, { ...ends, number_first: live.number_last, number_suffix: '' }),
    );
  } else if (live.number_first !== '' && random.chance(0.03)) {
    const lot = { lot_shown: true, number_first: '', number_suffix: '', number_last: '' };
    out.push(aliasOf(live, { ...lot, alias_type: 'SYN' }));
  }
  if (random.chance(0.05)) {
    const number_suffix = live.number_first === '' ? '' : 'R';
    out.push({ ...live, role: 'retired', primary_secondary: '', number_suffix, confidence: -1 });
  }
  return out;
}

const aliasOf = (live: AddressDraft, change: Partial<AddressDraft>): AddressDraft => ({
  ...live,
  role: 'alias',
  primary_secondary: '',
  confidence: 0,
  ...change,
});
