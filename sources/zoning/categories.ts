import type { ZoneCategory } from '../../schema/records/zone.ts';
import { comparable } from '../fields/comparable_text.ts';
import { categoryOfWords } from './zone_words.ts';

/** Base codes of a scheme by category. A base matches the whole code, or its beginning before a schedule. */
export type ZoneScheme = Readonly<Partial<Record<ZoneCategory, readonly string[]>>>;

/**
 * Victoria Planning Provisions, both current zones and those in older extracts. Roads, rail, ports and public services are infrastructure;
 * zones named only "special", "comprehensive" or "not in the scheme" are `other`.
 */
const VIC: ZoneScheme = {
  residential_low: ['LDRZ', 'NRZ', 'GRZ', 'TZ', 'R1Z', 'R2Z'],
  residential_medium_high: ['RGZ', 'HCTZ', 'R3Z'],
  centre_mixed: [
    'MUZ',
    'C1Z',
    'C2Z',
    'C3Z',
    'ACZ',
    'CCZ',
    'DZ',
    'PDZ',
    'B1Z',
    'B2Z',
    'B3Z',
    'B4Z',
    'B5Z',
    'PRZ',
    'URZ',
  ],
  industrial: ['IN1Z', 'IN2Z', 'IN3Z'],
  rural: ['FZ', 'RLZ', 'GWZ', 'GWAZ', 'RAZ', 'RUZ'],
  conservation: ['RCZ', 'PCRZ', 'ERZ'],
  open_space: ['PPRZ'],
  infrastructure: ['PUZ', 'TRZ', 'RDZ', 'PZ'],
  water: ['UFZ'],
  other: ['SUZ', 'CDZ', 'UGZ', 'CA'],
};

/** NSW standard instrument. E1 to E4 are missing here: their meaning depends on the class, see NSW_CLASSES. */
const NSW: ZoneScheme = {
  residential_low: ['R2', 'R5', 'RU5'],
  residential_medium_high: ['R1', 'R3', 'R4'],
  centre_mixed: [
    'MU1',
    'MU',
    'B1',
    'B2',
    'B3',
    'B4',
    'B5',
    'B6',
    'B7',
    'B8',
    'E1',
    'E2',
    'SP3',
    'SP5',
    'RESB',
  ],
  industrial: ['E3', 'E4', 'E5', 'IN1', 'IN2', 'IN3', 'IN4', 'W4', 'SP4', 'ENT', 'REZ', 'PAE'],
  rural: ['RU1', 'RU2', 'RU3', 'RU4', 'RU6', 'AGB', 'RAC', 'RAZ', 'RUR'],
  conservation: ['C1', 'C2', 'C3', 'C4', 'ENZ', 'ENP', 'ECO', 'MAP'],
  open_space: ['RE1', 'RE2', 'PEP', 'REC', 'REPL'],
  infrastructure: ['SP1', 'SP2', 'SPU', 'SUS', 'RLWY'],
  water: ['W1', 'W2', 'W3', 'WFU'],
  other: ['DM', 'UL', 'UD'],
};

/** Classes in older plans for E1 to E4 (and `DM`): since 2021 these codes mean employment zones. */
const NSW_CLASSES: readonly (readonly [RegExp, ZoneCategory])[] = [
  [/^(national parks|environmental (conservation|management|living))/i, 'conservation'],
  [/^(environmental protection)/i, 'conservation'],
];

/** Tasmanian Planning Scheme, by zone name. */
const TAS: ZoneScheme = {
  residential_low: ['GENERAL RESIDENTIAL', 'LOW DENSITY RESIDENTIAL', 'RURAL LIVING', 'VILLAGE'],
  residential_medium_high: ['INNER RESIDENTIAL'],
  centre_mixed: [
    'URBAN MIXED USE',
    'LOCAL BUSINESS',
    'GENERAL BUSINESS',
    'CENTRAL BUSINESS',
    'COMMERCIAL',
    'MAJOR TOURISM',
  ],
  industrial: ['LIGHT INDUSTRIAL', 'GENERAL INDUSTRIAL'],
  rural: ['RURAL', 'AGRICULTURE', 'RURAL RESOURCE', 'SIGNIFICANT AGRICULTURE'],
  conservation: ['LANDSCAPE CONSERVATION', 'ENVIRONMENTAL MANAGEMENT', 'ENVIRONMENTAL LIVING'],
  open_space: ['OPEN SPACE', 'RECREATION'],
  infrastructure: ['UTILITIES', 'COMMUNITY PURPOSE', 'PORT AND MARINE'],
  other: ['PARTICULAR PURPOSE', 'FUTURE URBAN'],
};

/** ACT Territory Plan. */
const ACT: ZoneScheme = {
  residential_low: ['RZ1', 'RZ2'],
  residential_medium_high: ['RZ3', 'RZ4', 'RZ5'],
  centre_mixed: ['CZ1', 'CZ2', 'CZ3', 'CZ4', 'CZ5', 'CZ6'],
  industrial: ['IZ1', 'IZ2'],
  rural: ['NUZ1', 'NUZ2'],
  conservation: ['NUZ3', 'NUZ4', 'NUZ5'],
  open_space: ['PRZ1', 'PRZ2'],
  infrastructure: ['TSZ1', 'TSZ2', 'CF', 'CFZ'],
  other: ['DES'],
};

/** South Australian Planning and Design Code, by zone name; not all layers have short codes. */
const SA: ZoneScheme = {
  residential_low: [
    'SUBURBAN NEIGHBOURHOOD',
    'HILLS NEIGHBOURHOOD',
    'ESTABLISHED NEIGHBOURHOOD',
    'RURAL NEIGHBOURHOOD',
    'WATERFRONT NEIGHBOURHOOD',
    'TOWNSHIP',
    'NEIGHBOURHOOD',
    'RURAL LIVING',
    'RURAL SETTLEMENT',
    'RESIDENTIAL PARK',
  ],
  residential_medium_high: [
    'GENERAL NEIGHBOURHOOD',
    'HOUSING DIVERSITY NEIGHBOURHOOD',
    'URBAN RENEWAL NEIGHBOURHOOD',
    'MASTER PLANNED NEIGHBOURHOOD',
    'MASTER PLANNED RENEWAL',
    'CITY LIVING',
    'URBAN NEIGHBOURHOOD',
  ],
  centre_mixed: [
    'CAPITAL CITY',
    'CITY MAIN STREET',
    'CITY RIVERBANK',
    'BUSINESS NEIGHBOURHOOD',
    'LOCAL ACTIVITY CENTRE',
    'SUBURBAN ACTIVITY CENTRE',
    'TOWNSHIP ACTIVITY CENTRE',
    'URBAN ACTIVITY CENTRE',
    'SUBURBAN MAIN STREET',
    'TOWNSHIP MAIN STREET',
    'SUBURBAN BUSINESS',
    'URBAN CORRIDOR',
    'TOURISM DEVELOPMENT',
    'CARAVAN AND TOURIST PARK',
  ],
  industrial: ['EMPLOYMENT', 'STRATEGIC EMPLOYMENT', 'STRATEGIC INNOVATION', 'RESOURCE EXTRACTION'],
  rural: [
    'RURAL',
    'RURAL HORTICULTURE',
    'RURAL AQUACULTURE',
    'PRODUCTIVE RURAL LANDSCAPE',
    'RURAL INTENSIVE ENTERPRISE',
    'RURAL SHACK SETTLEMENT',
    'REMOTE AREAS',
  ],
  conservation: ['CONSERVATION', 'HILLS FACE', 'COASTAL WATERS AND OFFSHORE ISLANDS'],
  open_space: ['OPEN SPACE', 'RECREATION', 'ADELAIDE PARK LANDS', 'GOLF COURSE ESTATE'],
  infrastructure: [
    'INFRASTRUCTURE',
    'COMMUNITY FACILITIES',
    'COMMONWEALTH FACILITIES',
    'AIRPORT',
    'INFRASTRUCTURE (AIRFIELD)',
    'INFRASTRUCTURE (FERRY AND MARINA FACILITIES)',
    'MOTORSPORT PARK',
  ],
  other: ['DEFERRED URBAN', 'UNINCORPORATED'],
};

/** Queensland, by the zone names of the Planning Regulation, which all council schemes use. */
const QLD: ZoneScheme = {
  residential_low: [
    'LOW DENSITY RESIDENTIAL',
    'GENERAL RESIDENTIAL',
    'CHARACTER RESIDENTIAL',
    'RURAL RESIDENTIAL',
    'TOWNSHIP',
  ],
  residential_medium_high: [
    'LOW-MEDIUM DENSITY RESIDENTIAL',
    'MEDIUM DENSITY RESIDENTIAL',
    'HIGH DENSITY RESIDENTIAL',
    'TOURIST ACCOMMODATION',
  ],
  centre_mixed: [
    'CENTRE',
    'PRINCIPAL CENTRE',
    'MAJOR CENTRE',
    'DISTRICT CENTRE',
    'LOCAL CENTRE',
    'NEIGHBOURHOOD CENTRE',
    'SPECIALISED CENTRE',
    'MIXED USE',
    'INNOVATION',
    'MAJOR TOURISM',
    'MINOR TOURISM',
  ],
  industrial: [
    'INDUSTRY',
    'LOW IMPACT INDUSTRY',
    'MEDIUM IMPACT INDUSTRY',
    'HIGH IMPACT INDUSTRY',
    'SPECIAL INDUSTRY',
    'WATERFRONT AND MARINE INDUSTRY',
    'INDUSTRY INVESTIGATION',
    'EXTRACTIVE INDUSTRY',
  ],
  rural: ['RURAL'],
  conservation: ['CONSERVATION', 'ENVIRONMENTAL MANAGEMENT', 'ENVIRONMENTAL MANAGEMENT AND CONSERVATION'],
  open_space: ['OPEN SPACE', 'SPORT AND RECREATION', 'RECREATION AND OPEN SPACE'],
  infrastructure: ['COMMUNITY FACILITIES', 'SPECIAL PURPOSE', 'STRATEGIC PORT LAND'],
  other: ['EMERGING COMMUNITY', 'EMERGING COMMUNITIES', 'LIMITED DEVELOPMENT', 'PRIORITY DEVELOPMENT AREA'],
};

/**
 * Western Australian local planning schemes, by the zone and reserve names of the model provisions. Includes older names that stay in
 * force, if their words alone would give another category.
 */
const WA: ZoneScheme = {
  residential_low: [
    'RESIDENTIAL',
    'SPECIAL RESIDENTIAL',
    'RURAL RESIDENTIAL',
    'RURAL SMALLHOLDINGS',
    'RURAL TOWNSITE',
    'RESIDENTIAL DEVELOPMENT',
    'SPECIAL RURAL',
    'FARMLET',
  ],
  centre_mixed: [
    'CENTRE',
    'COMMERCIAL',
    'MIXED USE',
    'SERVICE COMMERCIAL',
    'PRIVATE CLUBS, INSTITUTIONS AND PLACES OF WORSHIP',
    'TOURISM',
  ],
  industrial: ['LIGHT INDUSTRY', 'GENERAL INDUSTRY', 'STRATEGIC INDUSTRY', 'INDUSTRIAL DEVELOPMENT'],
  rural: ['RURAL', 'PRIORITY AGRICULTURE', 'RURAL 1', 'RURAL 2', 'RURAL 3', 'RURAL 4'],
  conservation: [
    'ENVIRONMENTAL CONSERVATION',
    'ENVIRONMENTAL CONSERVATION RESERVE',
    'STATE FOREST',
    'HILLS LANDSCAPE PROTECTION',
  ],
  open_space: [
    'PUBLIC OPEN SPACE',
    'PARKS AND RECREATION',
    'REGIONAL OPEN SPACE',
    'PUBLIC RECREATION / CONSERVATION',
  ],
  infrastructure: [
    'CIVIC AND COMMUNITY',
    'PUBLIC PURPOSES',
    'PUBLIC PURPOSE',
    'EDUCATION',
    'MEDICAL SERVICES',
    'INFRASTRUCTURE SERVICES',
    'PRIMARY DISTRIBUTOR ROAD',
    'DISTRICT DISTRIBUTOR ROAD',
    'LOCAL DISTRIBUTOR ROAD',
    'LOCAL ROAD',
    'RAILWAYS',
    'STRATEGIC INFRASTRUCTURE',
    'CEMETERY',
    'DRAINAGE / WATERWAY',
  ],
  other: [
    'URBAN DEVELOPMENT',
    'SPECIAL USE',
    'SPECIAL PURPOSE RESERVE',
    'CANAL DEVELOPMENT',
    'URBAN DEFERRED',
  ],
};

/** Schemes by their name in a field map. */
export const ZONE_SCHEMES: Readonly<Record<string, ZoneScheme>> = {
  vic: VIC,
  nsw: NSW,
  tas: TAS,
  act: ACT,
  sa: SA,
  qld: QLD,
  wa: WA,
};

/** Schemes listed by zone name: their codes are short forms that differ between publishers and councils. */
const BY_NAME: ReadonlySet<string> = new Set(['tas', 'sa', 'qld', 'wa']);

/** Text after a base code: nothing, or a schedule such as `1`, `12`, `5-2`, `1A`. */
const SCHEDULE = /^(?:[-\s]?\d.*)?$/;
/** Text after a zone name: nothing, the word ZONE, a precinct such as `(Boulevard)`, or a description after a dash. */
const PRECINCT = /^(?: ?\(.*\))?(?: ZONE)?(?: ?\(.*\))?(?:-.*)?$/;

interface Base {
  base: string;
  category: ZoneCategory;
}

const LONGEST_FIRST = new Map<string, readonly Base[]>(
  Object.entries(ZONE_SCHEMES).map(([name, scheme]) => [
    name,
    Object.entries(scheme)
      .flatMap(([category, bases]) => bases.map((base) => ({ base, category: category as ZoneCategory })))
      .sort((a, b) => b.base.length - a.base.length),
  ]),
);

const find = (scheme: string, text: string | null, tail: RegExp): ZoneCategory | null => {
  const upper = text === null ? '' : comparable(text).toUpperCase();
  const category = LONGEST_FIRST.get(scheme)?.find(
    ({ base }) => upper.startsWith(base) && tail.test(upper.slice(base.length)),
  );
  return category?.category ?? null;
};

const byWords = (text: string | null): ZoneCategory | null =>
  text === null ? null : categoryOfWords(comparable(text));

/**
 * Returns the most specific of a zone's names: the first in the list of its scheme, else the first whose words give a category, else the
 * first. Councils write a precinct or a second level before the zone, and it is not always more specific. Schemes by code: the first.
 */
export function mostSpecificName(scheme: string | null, names: readonly string[]): string | null {
  const first = names[0] ?? null;
  if (scheme === null || names.length < 2 || !BY_NAME.has(scheme)) return first;
  const telling =
    names.find((name) => find(scheme, name, PRECINCT) !== null) ??
    names.find((name) => byWords(name) !== null);
  return telling ?? first;
}

/**
 * Returns the category of a published zone, from the list of its scheme, else from the words of its name; null: unknown, which is reported.
 * The longest base wins: `IN1Z` is not a schedule of a shorter code. `name` decides if a code has changed its meaning. In schemes by name,
 * `name` comes first, and a code counts only if it is itself a listed name.
 */
export function zoneCategory(
  scheme: string | null,
  code: string | null,
  name: string | null,
): ZoneCategory | null {
  if (scheme === null) return null;
  if (BY_NAME.has(scheme))
    return find(scheme, name, PRECINCT) ?? find(scheme, code, PRECINCT) ?? byWords(name);
  if (scheme === 'nsw' && name !== null) {
    const byClass = NSW_CLASSES.find(([pattern]) => pattern.test(name.trim()));
    if (byClass !== undefined) return byClass[1];
  }
  // Codes of older instruments have the meaning of their names.
  return find(scheme, code, SCHEDULE) ?? (scheme === 'vic' ? null : byWords(name));
}
