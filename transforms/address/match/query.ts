import { numberKey, numberValue } from '../parse/keys.ts';
import type { ParsedAddress } from '../parse/parse.ts';
import { canonicalLevel, type UnitClass, unitClass } from '../parse/unit_types.ts';
import { type Addresses, NONE } from './addresses.ts';
import type { MatchPath } from './reasons.ts';

/** Marks a stated number that no address has. */
const UNKNOWN = -2;

/** A candidate: an address and the search path to it. */
export interface Hit {
  readonly row: number;
  readonly path: MatchPath;
}

/** What the search found besides candidates; it gives the reason for no match. */
export interface SearchFindings {
  locality: boolean;
  street: boolean;
  number: boolean;
}

const ALPHANUMERIC = /^[A-Z0-9]+$/;

/** Returns the id of a number text. `3&4` and `1-2` are more than one unit, and no address has such a number. */
function numberId({ numbers }: Addresses, text: string | null): number {
  if (text === null) return NONE;
  const id = ALPHANUMERIC.test(text) ? numbers.find(numberKey(text)) : NONE;
  return id === NONE ? UNKNOWN : id;
}

function textId({ texts }: Addresses, text: string | null): number {
  const id = text === null ? NONE : texts.find(text);
  return text !== null && id === NONE ? UNKNOWN : id;
}

/** A parsed address translated to the ids of an index, with its search results. */
export class AddressQuery {
  readonly parsed: ParsedAddress;
  /** Ids in `addresses.numbers`; NONE: not stated; another negative value: no address has it. */
  readonly first: number;
  readonly last: number;
  readonly unit: number;
  readonly lot: number;
  readonly level: number;
  readonly levelType: number;
  readonly building: number;
  readonly postcode: number;
  /** Numeric value of the number; NaN: none stated. */
  readonly value: number;
  readonly unitClass: UnitClass;
  readonly hits: Hit[] = [];
  readonly facts: SearchFindings = { locality: false, street: false, number: false };

  constructor(parsed: ParsedAddress, addresses: Addresses) {
    this.parsed = parsed;
    this.first = numberId(addresses, parsed.number_first);
    this.last = parsed.number_last === parsed.number_first ? NONE : numberId(addresses, parsed.number_last);
    this.unit = numberId(addresses, parsed.unit?.number ?? null);
    this.lot = numberId(addresses, parsed.lot);
    this.level = numberId(addresses, parsed.level?.number ?? null);
    this.levelType = textId(addresses, parsed.level === null ? null : canonicalLevel(parsed.level.type));
    this.building = textId(addresses, parsed.building);
    this.postcode = textId(addresses, parsed.postcode);
    this.value = parsed.number_first === null ? Number.NaN : numberValue(parsed.number_first);
    this.unitClass = unitClass(parsed.unit?.type ?? null);
  }

  /** Returns whether the text names a unit, or a part such as `REAR`. */
  get wantsUnit(): boolean {
    return this.parsed.unit !== null;
  }

  add(row: number, path: MatchPath): void {
    this.hits.push({ row, path });
  }
}
