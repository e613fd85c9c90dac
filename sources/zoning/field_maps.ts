import { type ColumnFilter, inForce, notEnded, only, present } from '../fields/column_filter.ts';
import type { ZONE_SCHEMES } from './categories.ts';

/** Where a state's zoning layer keeps what a zone needs. Aliases as in the cadastre: in order, without case. */
export interface ZoningFieldMap {
  /** Identifier of a feature that survives a new release; null or absent in the file: file name and feature number. */
  readonly zone_id: readonly string[] | null;
  /** Published code, and what the zone is called: each the first of its columns that is not blank. A file needs one of the two. */
  readonly code: readonly string[];
  readonly name: readonly string[];
  /** What stands behind the name where it says more: `Public purposes: Primary school`. */
  readonly detail: readonly string[];
  /** Names that say that no zone applies. */
  readonly none: readonly string[];
  /** Which features are in force. */
  readonly filters: readonly ColumnFilter[];
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
  detail: [],
  none: ['No zone', 'Not zoned', 'Unzoned'],
  filters: [],
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
  filters: [inForce(['ZONE_STATUS', 'ZONESTATUS'], ['g'])],
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

/** South Australian Planning and Design Code, zones; the code may be a short form or the name again. `id` is that of the kind of zone. */
const sa = zoningMap({
  code: ['value', 'ZONE', 'name'],
  name: ['name', 'ZONE', 'DESCRIPTION'],
  filters: [notEnded('legalenddate'), notEnded('systemenddate')],
  scheme: 'sa',
  statewide: true,
});

/** Tasmanian Planning Scheme zones (theLIST). Councils on an interim scheme are not in it. ZONE_ABB has the council's number before it. */
const tas = zoningMap({ code: ['ZONE_NO', 'ZONE'], name: ['ZONE'], scheme: 'tas' });

/** ACT Territory Plan land use zones that are gazetted. DESCRIPTION holds remarks of editors. */
const act = zoningMap({
  zone_id: ['ID'],
  code: ['LAND_USE_ZONE_CODE_ID', 'LAND_USE_Z'],
  name: ['LAND_USE_POLICY_DESC', 'LAND_USE_P'],
  filters: [
    only(['CURRENT_LIFECYCLE_STAGE'], ['GAZETTED', ''], 'not_gazetted'),
    only(['DEGAZETTAL_NUMBER'], ['', '0'], 'not_gazetted'),
  ],
  scheme: 'act',
  statewide: true,
});

/**
 * Western Australia, zones and reserves of the local planning schemes (DPLH-071); the licence must be accepted by name. `zone_numbe` numbers
 * pairs of zone and label and is no code.
 */
const wa = zoningMap({
  code: ['label', 'special_label'],
  name: ['zone'],
  detail: ['label_desc', 'label_description'],
  scheme: 'wa',
});

/** Western Australia, zones and reserves of the region schemes (DPLH-023), which lie over the local ones. */
const wa_region = zoningMap({
  code: ['rs_code'],
  name: ['descriptio', 'description'],
  filters: [present(['rs_code', 'rs_class', 'reg_scheme'])],
  scheme: 'wa',
});

/**
 * Columns of the layers of councils, which each names in its own way. ZONE_PREFIX is none: councils give one prefix to several zones
 * (`L2` to five).
 */
const COUNCIL_CODES = [
  'ZONE_CODE',
  'ZONECODE',
  'CODE',
  'QPP_ZONE',
  'ZONE_ABB',
  'ZONE_NO',
  'TCC_CODE',
] as const;
const COUNCIL_NAMES = [
  'LVL2_ZONE',
  'LVL1_ZONE',
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
 * Queensland has no layer of the state, and some councils name their zones without a code; the second level says more where the list has it: those of Brisbane, Gold Coast, Sunshine Coast, Moreton Bay, Logan, Redland, Toowoomba,
 * Rockhampton and Scenic Rim are read as they are; one more may need a map of its own.
 */
const qld = zoningMap({ code: COUNCIL_CODES, name: COUNCIL_NAMES, scheme: 'qld' });

/** Council layers of other states: the usual column names, no categories. */
const generic = zoningMap({ code: COUNCIL_CODES, name: COUNCIL_NAMES });

/** Field maps by name: the state in lower case, or `generic`. */
export const ZONING_FIELD_MAPS: Readonly<Record<string, ZoningFieldMap>> = {
  vic,
  nsw,
  sa,
  tas,
  act,
  wa,
  wa_region,
  qld,
  generic,
};
