import { type ColumnFilter, inForce, notEnded, only, present } from '../fields/column_filter.ts';
import type { ZONE_SCHEMES } from './categories.ts';

/** Columns of a state's zoning layer for each value of a zone. Aliases as in the cadastre: in order, without case. */
export interface ZoningFieldMap {
  /** Identifier of a feature that stays the same in a new release; null or absent in the file: file name and feature number. */
  readonly zone_id: readonly string[] | null;
  /** Published code, and name of the zone: each the first of its columns that is not blank. A file needs one of the two. */
  readonly code: readonly string[];
  readonly name: readonly string[];
  /** Detail appended to the name if it adds something: `Public purposes: Primary school`. */
  readonly detail: readonly string[];
  /** Names that mean that no zone applies. */
  readonly none: readonly string[];
  /** Filters of features in force. */
  readonly filters: readonly ColumnFilter[];
  /**
   * A zone prevails over others on the same land if one of these columns begins with one of these words, without case; null: no zone does.
   */
  readonly prevails: { readonly fields: readonly string[]; readonly starts: readonly string[] } | null;
  /** Scheme of categories.ts; null: no categories. */
  readonly scheme: keyof typeof ZONE_SCHEMES | null;
  /** True: the layer zones the whole state. Default of the option coverage. */
  readonly statewide: boolean;
}

/** Builds a field map with defaults that fit most layers: features without identifiers, all in force, none prevailing, not statewide. */
const zoningMap = (
  ownFields: Partial<ZoningFieldMap> & Pick<ZoningFieldMap, 'code' | 'name'>,
): ZoningFieldMap => ({
  zone_id: null,
  detail: [],
  none: ['No zone', 'Not zoned', 'Unzoned'],
  filters: [],
  prevails: null,
  scheme: null,
  statewide: false,
  ...ownFields,
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
 * NSW environmental planning instruments, land zoning. Object numbers change with every release, so none is an identifier. Layers of state
 * policies overlap the local plans, and prevail.
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

/**
 * South Australian Planning and Design Code, zones; the code may be a short form or repeat the name. `id` identifies the kind of zone, not
 * the feature.
 */
const sa = zoningMap({
  code: ['value', 'ZONE', 'name'],
  name: ['name', 'ZONE', 'DESCRIPTION'],
  filters: [notEnded('legalenddate'), notEnded('systemenddate')],
  scheme: 'sa',
  statewide: true,
});

/** Tasmanian Planning Scheme zones (theLIST), without councils on an interim scheme. ZONE_ABB starts with the council's number. */
const tas = zoningMap({ code: ['ZONE_NO', 'ZONE'], name: ['ZONE'], scheme: 'tas' });

/** ACT Territory Plan land use zones that are gazetted. DESCRIPTION holds editors' remarks. */
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
 * Western Australia, zones and reserves of the local planning schemes (DPLH-071); the licence must be accepted by name. `zone_numbe`
 * numbers pairs of zone and label and is not a code.
 */
const wa = zoningMap({
  code: ['label', 'special_label'],
  name: ['zone'],
  detail: ['label_desc', 'label_description'],
  scheme: 'wa',
});

/** Western Australia, zones and reserves of the region schemes (DPLH-023), which overlap the local ones. */
const wa_region = zoningMap({
  code: ['rs_code'],
  name: ['descriptio', 'description'],
  filters: [present(['rs_code', 'rs_class', 'reg_scheme'])],
  scheme: 'wa',
});

/**
 * Column names in the layers of councils, which have no standard. ZONE_PREFIX is not a code: councils give one prefix to several zones
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
 * Queensland has no statewide layer, and some councils name their zones without a code. A second-level name is used if the scheme lists it.
 * The layers of Brisbane, Gold Coast, Sunshine Coast, Moreton Bay, Logan, Redland, Toowoomba, Rockhampton and Scenic Rim are read with this
 * map; another council may need its own.
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
