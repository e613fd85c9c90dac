import type { ZoneCategory } from '../../schema/records/zone.ts';
import type { DwellingType, ImpliedMethod } from '../../schema/serving/property.ts';

/** G-NAF flat types of a specific kind of dwelling; all others that are not in NOT_DWELLINGS are units. */
const DWELLINGS: Readonly<Record<string, DwellingType>> = {
  TNHS: 'townhouse',
  VLLA: 'villa',
  DUPL: 'duplex',
  HSE: 'house',
  CTGE: 'house',
  BNGW: 'house',
};

/** G-NAF flat types that nobody lives in. */
const NOT_DWELLINGS: ReadonlySet<string> = new Set(
  'ATM ANT BBQ BTSD CAGE CARP CARS CLUB COOL FCTY GRGE HALL KSK LBBY LSE MBTH OFFC RESV ROOM SE SHED SHOP SHRM SIGN SITE STLL STOR SUBS TNCY VLT WARD WHSE WKSH'.split(
    ' ',
  ),
);

/** Upper-case words in building names that show the use of a building. */
const words = (list: string): RegExp => new RegExp(`\\b(${list})\\b`);
const RETIREMENT = words('(RETIREMENT|LIFESTYLE|SENIORS) (VILLAGE|COMMUNITY|ESTATE|LIVING)');
const OTHER_USES = words(
  'SHOPPING (CENTRE|CENTER)|SUPERMARKET|INDUSTRIAL (PARK|ESTATE)|BUSINESS (PARK|CENTRE)|OFFICES?|MEDICAL CENTRE|HEALTH CENTRE|CLINIC|' +
    'HOSPITAL|NURSING HOME|AGED CARE|CARAVAN PARK|MOTEL|UNIVERSITY|TAFE|CAMPUS|CHILD ?CARE|EARLY LEARNING|KINDERGARTEN|PRE-?SCHOOL|' +
    'SERVICE STATION|RAILWAY STATION|SUBSTATION|DEPOT|CIVIC CENTRE|COMMUNITY CENTRE|COUNCIL CHAMBERS|LIBRARY|MUSEUM|PAVILION|' +
    'RECREATION RESERVE|SHOWGROUNDS?|CEMETERY|CREMATORIUM|PRISON|CORRECTIONAL CENTRE|(GOLF|BOWLS|BOWLING|SPORTS|TENNIS|YACHT) CLUB|RSL',
);
/** Uses of buildings that may be converted: with flats, such a building is residential. */
const CONVERTED_USES = words(
  'SCHOOL|COLLEGE|CHURCH|CATHEDRAL|CHAPEL|MOSQUE|TEMPLE|SYNAGOGUE|CONVENT|HOSTEL|HOTEL|TAVERN|ARCADE|FACTORY|WAREHOUSE|FIRE STATION|' +
    'POLICE STATION|POST OFFICE|TOWN HALL|PUBLIC HALL|MEMORIAL HALL',
);
/** Endings of residential building names: blocks of flats are also named after uses. */
const NAMES_OF_HOMES = /\b(APARTMENTS?|FLATS|RESIDENCES?|UNITS|TOWNHOUSES|VILLAS|COURT|GARDENS|LOFTS)$/;

/** Returns the dwelling type in a building's name. Null: none. */
function namedUse(building_name: string | null, has_flats: boolean): DwellingType | null {
  const name = building_name?.toUpperCase().trim() ?? '';
  if (name === '' || NAMES_OF_HOMES.test(name)) return null;
  if (RETIREMENT.test(name)) return 'retirement';
  return OTHER_USES.test(name) || (!has_flats && CONVERTED_USES.test(name)) ? 'other' : null;
}

/** The dwelling type that an address implies, and the part of the address that implies it; both null: none. */
export type ImpliedType =
  | { dwelling_type: DwellingType; dwelling_type_method: ImpliedMethod }
  | { dwelling_type: null; dwelling_type_method: null };

const NOT_IMPLIED: ImpliedType = { dwelling_type: null, dwelling_type_method: null };
const implied = (dwelling_type: DwellingType, dwelling_type_method: ImpliedMethod): ImpliedType => ({
  dwelling_type,
  dwelling_type_method,
});

/**
 * Returns the dwelling type that an address implies. Evidence, most certain first: its flat type, its building name, having a flat,
 * being the parent of flats (`other`). Then a number of its own (a house by default, see typeInZone), or only a lot number (land).
 */
export function impliedDwellingType(address: {
  building_name: string | null;
  flat_type: string | null;
  /** Whether it names a flat, or is a G-NAF secondary. */
  is_unit: boolean;
  primary_secondary: string | null;
  number_first: string | null;
  lot_number: string | null;
}): ImpliedType {
  const { flat_type, is_unit, primary_secondary, number_first, lot_number } = address;
  if (flat_type !== null && NOT_DWELLINGS.has(flat_type)) return implied('other', 'flat_type');
  if (flat_type !== null && flat_type in DWELLINGS) return implied(DWELLINGS[flat_type]!, 'flat_type');
  const useByName = namedUse(address.building_name, is_unit);
  if (useByName !== null) return implied(useByName, 'building_name');
  if (is_unit) return implied('unit', 'flat');
  if (primary_secondary === 'P') return implied('other', 'parent');
  if (number_first !== null) return implied('house', 'number');
  return lot_number !== null ? implied('land', 'lot') : NOT_IMPLIED;
}

/** Zones in which a number alone does not imply a house: they have shops, factories, schools and parks besides some homes. */
const ZONES_OF_OTHER_USES: ReadonlySet<string> = new Set<ZoneCategory>([
  'centre_mixed',
  'industrial',
  'infrastructure',
  'open_space',
  'water',
]);

/** Returns the dwelling type implied by an address in a zone: no house by its number alone if the zone is for other uses. */
export function typeInZone(of_address: ImpliedType, zone: string | null): ImpliedType {
  const isDefault = of_address.dwelling_type_method === 'number';
  return isDefault && zone !== null && ZONES_OF_OTHER_USES.has(zone) ? NOT_IMPLIED : of_address;
}
