import { Addresses } from './addresses.ts';
import { LocalityIndex } from './locality_index.ts';
import { LotPlans } from './lot_plans.ts';
import { type IndexSections, textOfUnits, typedSections } from './sections.ts';
import { StreetIndex } from './street_index.ts';

/** Counts of rows that could not be added to the index, by what is missing. */
export interface IndexGaps {
  /** Addresses, streets and links whose locality is not in the index. */
  unknown_locality: number;
  /** Addresses and street aliases whose street is not in the index. */
  unknown_street: number;
  /** Alias and parent links with an address that is not in the index. */
  unknown_address: number;
}

/** Addresses of a register, ready to be matched. Holds no object per address or street. */
export interface AddressIndex {
  readonly localities: LocalityIndex;
  readonly streets: StreetIndex;
  readonly addresses: Addresses;
  readonly lotPlans: LotPlans;
  readonly gaps: Readonly<IndexGaps>;
}

/** Opens an index over its sections, which it reads in place; only localities become objects. @throws TypeError if a section is missing */
export function openIndex(sections: IndexSections): AddressIndex {
  const { gaps } = typedSections({ 'index.gaps': sections.gaps! }, 'index', ['gaps']);
  return {
    localities: new LocalityIndex(sections, 'localities'),
    streets: new StreetIndex(sections, 'streets'),
    addresses: new Addresses(sections, 'addresses'),
    lotPlans: new LotPlans(sections, 'lot_plans'),
    gaps: JSON.parse(textOfUnits(gaps as Uint16Array)) as IndexGaps,
  };
}
