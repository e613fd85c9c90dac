/** Names of the geocode types by code. Source: G-NAF GEOCODE_TYPE_AUT. */
const NAMES: Readonly<Record<string, string>> = {
  BAP: 'BUILDING ACCESS POINT',
  BC: 'BUILDING CENTROID',
  BCM: 'BUILDING CENTROID MANUAL',
  CDF: 'CENTRE-LINE DROPPED FRONTAGE',
  DF: 'DRIVEWAY FRONTAGE',
  EA: 'EMERGENCY ACCESS',
  EAS: 'EMERGENCY ACCESS SECONDARY',
  ECP: 'ELECTRICITY CONNECTION POINT',
  EM: 'ELECTRICITY METER',
  FC: 'FRONTAGE CENTRE',
  FCS: 'FRONTAGE CENTRE SETBACK',
  FDA: 'FRONT DOOR ACCESS',
  GCP: 'GAS CONNECTION POINT',
  GG: 'GAP GEOCODE',
  GM: 'GAS METER',
  ICP: 'INTERNET CONNECTION POINT',
  LB: 'LETTERBOX',
  LOC: 'LOCALITY',
  PAP: 'PROPERTY ACCESS POINT',
  PAPS: 'PROPERTY ACCESS POINT SETBACK',
  PC: 'PROPERTY CENTROID',
  PCM: 'PROPERTY CENTROID MANUAL',
  SCP: 'SEWERAGE CONNECTION POINT',
  STL: 'STREET LOCALITY',
  TCP: 'TELEPHONE CONNECTION POINT',
  UC: 'UNIT CENTROID',
  UCM: 'UNIT CENTROID MANUAL',
  UNK: 'UNKNOWN',
  WCP: 'WATER CONNECTION POINT',
  WM: 'WATER METER',
};

const CODES: ReadonlyMap<string, string> = new Map(Object.entries(NAMES).map(([code, name]) => [name, code]));

/**
 * Returns the code of a geocode type given as code or name (G-NAF Core may use either); other text is returned trimmed and in upper case.
 */
export function geocodeTypeCode(text: string | null): string | null {
  if (text === null) return null;
  const name = text.trim().toUpperCase();
  return CODES.get(name) ?? name;
}
