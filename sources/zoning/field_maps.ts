import type { ZONE_SCHEMES } from './categories.ts';

/** Where a state's zoning layer keeps what a zone needs. Aliases as in the cadastre: in order, without case. */
export interface ZoningFieldMap {
  /** Identifier of a feature that survives a new release; null or absent in the file: file name and feature number. */
  readonly zone_id: readonly string[] | null;
  readonly code: readonly string[];
  readonly name: readonly string[];
  /** Column and value of features in force; null: the layer holds no others. */
  readonly status: { readonly fields: readonly string[]; readonly keep: readonly string[] } | null;
  /**
   * Columns of which one begins with one of these words, without case, where a zone prevails over others on the same ground; null: no
   * zone does.
   */
  readonly prevails: { readonly fields: readonly string[]; readonly starts: readonly string[] } | null;
  /** Scheme of categories.ts; null: no categories. */
  readonly scheme: keyof typeof ZONE_SCHEMES | null;
  /** True: the layer zones the whole state. It is the default of the option coverage. */
  readonly statewide: boolean;
}

/** A field map with what most layers have: features without identifiers, all in force, none that prevails, not statewide. */
const zoningMap = (own: Partial<ZoningFieldMap> & Pick<ZoningFieldMap, 'code' | 'name'>): ZoningFieldMap => ({
  zone_id: null,
  status: null,
  prevails: null,
  scheme: null,
  statewide: false,
  ...own,
});

/** Vicmap Planning PLAN_ZONE, with the column names of several dates. */
const vic = zoningMap({
  zone_id: ['PFI'],
  code: ['ZONE_CODE'],
  name: ['ZONE_DESCRIPTION', 'ZONE_DESC'],
  status: { fields: ['ZONE_STATUS', 'ZONESTATUS'], keep: ['g'] },
  scheme: 'vic',
  statewide: true,
});

/**
 * NSW environmental planning instruments, land zoning. Object numbers change with every release, so none is an identifier. Layers of
 * state policies overlap those of the local plans, and prevail.
 */
const nsw = zoningMap({
  code: ['SYM_CODE'],
  name: ['LAY_CLASS', 'PURPOSE'],
  prevails: {
    fields: ['EPI_TYPE', 'EPI_NAME'],
    starts: ['SEPP', 'SREP', 'State Environmental Planning Policy'],
  },
  scheme: 'nsw',
  statewide: true,
});

/** South Australian Planning and Design Code, zones; the code may be a short form or the name again. */
const sa = zoningMap({
  code: ['value', 'ZONE', 'name'],
  name: ['name', 'DESCRIPTION', 'DESCRIPTIO', 'ZONE'],
  scheme: 'sa',
  statewide: true,
});

/** Tasmanian Planning Scheme zones (theLIST). Councils on an interim scheme are not in it. */
const tas = zoningMap({ code: ['ZONE_ABB', 'ZONE_NO', 'ZONE'], name: ['ZONE'], scheme: 'tas' });

/** ACT Territory Plan land use zones. */
const act = zoningMap({
  code: ['LAND_USE_ZONE_CODE_ID', 'LAND_USE_Z'],
  name: ['LAND_USE_POLICY_DESC', 'DESCRIPTION', 'LAND_USE_P'],
  scheme: 'act',
  statewide: true,
});

/** Western Australia, zones and reserves of the local planning schemes; the licence must be accepted by name. */
const wa = zoningMap({ code: ['zone_number', 'zone_no', 'zone'], name: ['zone'], scheme: 'wa' });

/**
 * Columns of the layers of councils, which each names in its own way. ZONE_PREFIX is none: councils give one prefix to several zones
 * (`L2` to five). A layer without a column of codes has its names for codes.
 */
const COUNCIL_CODES = ['ZONE_CODE', 'ZONECODE', 'CODE', 'QPP_ZONE', 'ZONE_ABB', 'ZONE_NO'] as const;
const COUNCIL_NAMES = [
  'LVL1_ZONE',
  'LVL2_ZONE',
  'ZONE_NAME',
  'ZONE_DESC',
  'QPP_DESCRIPTION',
  'TRPS_ZONES',
  'EPLAN_TXTZ',
  'ZONE_LABLE',
  'ZONE_LABEL',
  'ZONE',
  'LABEL',
  'DESCRIPT',
  'DESCRIPTION',
] as const;

/**
 * Queensland has no layer of the state: those of Brisbane, Gold Coast, Sunshine Coast, Moreton Bay, Logan, Redland, Toowoomba,
 * Rockhampton and Scenic Rim are read as they are; one more may need a map of its own.
 */
const qld = zoningMap({ code: [...COUNCIL_CODES, ...COUNCIL_NAMES], name: COUNCIL_NAMES, scheme: 'qld' });

/** Council layers of other states: the usual column names, no categories. */
const generic = zoningMap({ code: [...COUNCIL_CODES, ...COUNCIL_NAMES], name: COUNCIL_NAMES });

/** Field maps by name: the state in lower case, or `generic`. All but the Victorian follow field lists, not deliveries. */
export const ZONING_FIELD_MAPS: Readonly<Record<string, ZoningFieldMap>> = {
  vic,
  nsw,
  sa,
  tas,
  act,
  wa,
  qld,
  generic,
};
