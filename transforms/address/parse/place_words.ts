/** G-NAF state abbreviations by their spellings without spaces. */
const STATES: Readonly<Record<string, string>> = {
  VIC: 'VIC',
  VICTORIA: 'VIC',
  NSW: 'NSW',
  NEWSOUTHWALES: 'NSW',
  QLD: 'QLD',
  QUEENSLAND: 'QLD',
  QL: 'QLD',
  SA: 'SA',
  SOUTHAUSTRALIA: 'SA',
  WA: 'WA',
  WESTERNAUSTRALIA: 'WA',
  TAS: 'TAS',
  TASMANIA: 'TAS',
  ACT: 'ACT',
  AUSTRALIANCAPITALTERRITORY: 'ACT',
  NT: 'NT',
  NORTHERNTERRITORY: 'NT',
  OT: 'OT',
};

/** Returns the state of a word, or of words joined without spaces. Undefined: none. */
export const stateOfWord = (word: string): string | undefined => STATES[word];

/** Returns whether a text is four digits that may be a postcode; none is below 0200. */
export const isPostcode = (text: string): boolean => /^\d{4}$/.test(text) && text >= '0200';

/** G-NAF street suffix codes by their spellings. */
const SUFFIXES: Readonly<Record<string, string>> = {
  N: 'N',
  NTH: 'N',
  NORTH: 'N',
  S: 'S',
  STH: 'S',
  SOUTH: 'S',
  E: 'E',
  EAST: 'E',
  W: 'W',
  WEST: 'W',
  NE: 'NE',
  NORTHEAST: 'NE',
  NW: 'NW',
  NORTHWEST: 'NW',
  SE: 'SE',
  SOUTHEAST: 'SE',
  SW: 'SW',
  SOUTHWEST: 'SW',
  CENTRAL: 'CN',
  CN: 'CN',
  EXTENSION: 'EX',
  EXTN: 'EX',
  EXT: 'EX',
  EX: 'EX',
  UPPER: 'UP',
  UP: 'UP',
  LOWER: 'LR',
  LR: 'LR',
  INNER: 'IN',
  OUTER: 'OT',
  MALL: 'ML',
  ML: 'ML',
  DEVIATION: 'DE',
  OVERPASS: 'OP',
};

/** Returns the suffix code of a word. Undefined: none. */
export const suffixCode = (word: string): string | undefined => SUFFIXES[word];

/** One spelling of compass words in place names: `NTH FITZROY`, `FITZROY N`. */
export const COMPASS: Readonly<Record<string, string>> = {
  N: 'NORTH',
  NTH: 'NORTH',
  NORTH: 'NORTH',
  S: 'SOUTH',
  STH: 'SOUTH',
  SOUTH: 'SOUTH',
  E: 'EAST',
  EAST: 'EAST',
  W: 'WEST',
  WEST: 'WEST',
  UPPER: 'UPPER',
  UPR: 'UPPER',
  LOWER: 'LOWER',
  LWR: 'LOWER',
  CENTRAL: 'CENTRAL',
};

/** Words of an advertisement that are never part of an address; a text ends if one of them starts a segment. */
export const NOISE: ReadonlySet<string> = new Set(
  (
    'FOR SALE SOLD LEASED LEASE RENT AUCTION AUCTIONED CONTACT AGENT AGENCY PHONE PH TEL MOB MOBILE FAX CALL EMAIL INSPECT ' +
    'INSPECTION OPEN UNDER OFFER OFFERS PRICE LISTED BY VIA WITH FROM POA NEW JUST RENTED AVAILABLE NOW ADDRESS PROPERTY ' +
    'LOCATED AT MR MRS BED BEDS BEDROOM BEDROOMS BR BATH BATHS BATHROOM BATHROOMS CAR CARS SQM M2 HA ACRES KM REF ID ' +
    'STUNNING PRESTIGE LISTING RESIDENCE WEB WWW ESTATE REAL REALTY'
  ).split(' '),
);

/** Measures: a number before one of them is not a street number. */
export const MEASURES: ReadonlySet<string> = new Set(
  'BED BEDS BEDROOM BEDROOMS BR BATH BATHS BATHROOM BATHROOMS CAR CARS SQM M2 HA ACRE ACRES KM KMS MIN MINS MINUTES M AM PM'.split(
    ' ',
  ),
);

/** Words that introduce a corner. */
export const CORNER: ReadonlySet<string> = new Set(['CNR', 'CORNER', 'CRN', 'CRNR']);

/** One spelling of words in names: register and text may have either. */
export const NAME_WORDS: Readonly<Record<string, string>> = {
  SAINT: 'ST',
  MOUNT: 'MT',
  MNT: 'MT',
  LT: 'LITTLE',
  LTL: 'LITTLE',
  LIT: 'LITTLE',
  GT: 'GREAT',
  GRT: 'GREAT',
  '&': 'AND',
  FIRST: '1ST',
  SECOND: '2ND',
  THIRD: '3RD',
  FOURTH: '4TH',
  FIFTH: '5TH',
  SIXTH: '6TH',
  SEVENTH: '7TH',
  EIGHTH: '8TH',
  NINTH: '9TH',
  TENTH: '10TH',
};

/** Further words in place names, in one spelling. */
export const PLACE_WORDS: Readonly<Record<string, string>> = {
  PT: 'POINT',
  PNT: 'POINT',
  HTS: 'HEIGHTS',
  HGTS: 'HEIGHTS',
  GDNS: 'GARDENS',
  GDN: 'GARDENS',
  PK: 'PARK',
  PRK: 'PARK',
  CK: 'CREEK',
  CRK: 'CREEK',
  VLY: 'VALLEY',
  JCT: 'JUNCTION',
  BCH: 'BEACH',
  HBR: 'HARBOUR',
  HRBR: 'HARBOUR',
  ISL: 'ISLAND',
  JUNC: 'JUNCTION',
  SPGS: 'SPRINGS',
  WTRS: 'WATERS',
  MTN: 'MOUNTAIN',
};
