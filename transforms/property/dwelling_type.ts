import type { ZoneCategory } from '../../schema/records/zone.ts';
import type { DwellingType, ImpliedMethod } from '../../schema/serving/property.ts';

/** G-NAF flat types that name a kind of dwelling; every other one that is not listed as a workplace is a unit. */
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

/** Words of building names, in upper case, that say what a building is used for. */
const words = (list: string): RegExp => new RegExp(`\\b(${list})\\b`);
const RETIREMENT = words('(RETIREMENT|LIFESTYLE|SENIORS) (VILLAGE|COMMUNITY|ESTATE|LIVING)');
const OTHER_USES = words(
  'SHOPPING (CENTRE|CENTER)|SUPERMARKET|INDUSTRIAL (PARK|ESTATE)|BUSINESS (PARK|CENTRE)|OFFICES?|MEDICAL CENTRE|HEALTH CENTRE|CLINIC|' +
    'HOSPITAL|NURSING HOME|AGED CARE|CARAVAN PARK|MOTEL|UNIVERSITY|TAFE|CAMPUS|CHILD ?CARE|EARLY LEARNING|KINDERGARTEN|PRE-?SCHOOL|' +
    'SERVICE STATION|RAILWAY STATION|SUBSTATION|DEPOT|CIVIC CENTRE|COMMUNITY CENTRE|COUNCIL CHAMBERS|LIBRARY|MUSEUM|PAVILION|' +
    'RECREATION RESERVE|SHOWGROUNDS?|CEMETERY|CREMATORIUM|PRISON|CORRECTIONAL CENTRE|(GOLF|BOWLS|BOWLING|SPORTS|TENNIS|YACHT) CLUB|RSL',
);
/** Buildings that are made into flats: one that has flats is of homes. */
const CONVERTED_USES = words(
  'SCHOOL|COLLEGE|CHURCH|CATHEDRAL|CHAPEL|MOSQUE|TEMPLE|SYNAGOGUE|CONVENT|HOSTEL|HOTEL|TAVERN|ARCADE|FACTORY|WAREHOUSE|FIRE STATION|' +
    'POLICE STATION|POST OFFICE|TOWN HALL|PUBLIC HALL|MEMORIAL HALL',
);
/** Blocks of flats take the names of uses: a name that ends so is of homes. */
const NAMES_OF_HOMES = /\b(APARTMENTS?|FLATS|RESIDENCES?|UNITS|TOWNHOUSES|VILLAS|COURT|GARDENS|LOFTS)$/;

/** What the name of a building says that it is; null: nothing. */
function namedUse(building_name: string | null, has_flats: boolean): DwellingType | null {
  const name = building_name?.toUpperCase().trim() ?? '';
  if (name === '' || NAMES_OF_HOMES.test(name)) return null;
  if (RETIREMENT.test(name)) return 'retirement';
  return OTHER_USES.test(name) || (!has_flats && CONVERTED_USES.test(name)) ? 'other' : null;
}

/** The kind of dwelling that an address implies and what of it says so; both null: it implies none. */
export type ImpliedType =
  | { dwelling_type: DwellingType; dwelling_type_method: ImpliedMethod }
  | { dwelling_type: null; dwelling_type_method: null };

const NOT_IMPLIED: ImpliedType = { dwelling_type: null, dwelling_type_method: null };
const implied = (dwelling_type: DwellingType, dwelling_type_method: ImpliedMethod): ImpliedType => ({
  dwelling_type,
  dwelling_type_method,
});

/**
 * What an address says of the kind of dwelling, the surest first: its flat type, the name of its building, that it has a flat, is the
 * parent of flats (`other`), has a number of its own (taken as a house, see typeInZone) or the number of a lot alone (land).
 */
export function impliedDwellingType(address: {
  building_name: string | null;
  flat_type: string | null;
  /** It names a flat, or is a G-NAF secondary. */
  is_unit: boolean;
  primary_secondary: string | null;
  number_first: string | null;
  lot_number: string | null;
}): ImpliedType {
  const { flat_type, is_unit, primary_secondary, number_first, lot_number } = address;
  if (flat_type !== null && NOT_DWELLINGS.has(flat_type)) return implied('other', 'flat_type');
  if (flat_type !== null && flat_type in DWELLINGS) return implied(DWELLINGS[flat_type]!, 'flat_type');
  const named = namedUse(address.building_name, is_unit);
  if (named !== null) return implied(named, 'building_name');
  if (is_unit) return implied('unit', 'flat');
  if (primary_secondary === 'P') return implied('other', 'parent');
  if (number_first !== null) return implied('house', 'number');
  return lot_number !== null ? implied('land', 'lot') : NOT_IMPLIED;
}

/** Zones in which a number alone does not make a house: shops, works, schools, parks stand there, and some homes. */
const ZONES_OF_OTHER_USES: ReadonlySet<string> = new Set<ZoneCategory>([
  'centre_mixed',
  'industrial',
  'infrastructure',
  'open_space',
  'water',
]);

/** What is implied by an address in a zone: a house by its number alone is none where the zone is of other uses. */
export function typeInZone(of_address: ImpliedType, zone: string | null): ImpliedType {
  const isDefault = of_address.dwelling_type_method === 'number';
  return isDefault && zone !== null && ZONES_OF_OTHER_USES.has(zone) ? NOT_IMPLIED : of_address;
}
