import type { ZONE_SCHEMES } from './categories.ts';

/** Where a state's zoning layer keeps what a zone needs. Aliases as in the cadastre: in order, without case. */
export interface ZoningFieldMap {
  /** Identifier of a feature that survives a new release; null or absent in the file: file name and feature number. */
  readonly zone_id: readonly string[] | null;
  readonly code: readonly string[];
  readonly name: readonly string[];
  /** Column and value of features in force; null: the layer holds no others. */
  readonly status: { readonly fields: readonly string[]; readonly keep: readonly string[] } | null;
  /** Scheme of categories.ts; null: no categories. */
  readonly scheme: keyof typeof ZONE_SCHEMES | null;
  /** True: the layer zones the whole state. It is the default of the option coverage. */
  readonly statewide: boolean;
}

/** Vicmap Planning PLAN_ZONE, with the column names of several dates. */
const vic: ZoningFieldMap = {
  zone_id: ['PFI'],
  code: ['ZONE_CODE'],
  name: ['ZONE_DESCRIPTION', 'ZONE_DESC'],
  status: { fields: ['ZONE_STATUS', 'ZONESTATUS'], keep: ['g'] },
  scheme: 'vic',
  statewide: true,
};

/** NSW environmental planning instruments, land zoning. Object numbers change with every release, so none is an identifier. */
const nsw: ZoningFieldMap = {
  zone_id: null,
  code: ['SYM_CODE'],
  name: ['LAY_CLASS', 'PURPOSE'],
  status: null,
  scheme: 'nsw',
  statewide: true,
};

/** South Australian Planning and Design Code, zones. */
const sa: ZoningFieldMap = {
  zone_id: null,
  code: ['value', 'ZONE', 'name'],
  name: ['name', 'DESCRIPTION', 'DESCRIPTIO', 'ZONE'],
  status: null,
  scheme: 'sa',
  statewide: true,
};

/** Tasmanian Planning Scheme zones (theLIST); categories go by the zone name. Councils on an interim scheme are not in it. */
const tas: ZoningFieldMap = {
  zone_id: null,
  code: ['ZONE'],
  name: ['ZONE'],
  status: null,
  scheme: 'tas',
  statewide: false,
};

/** ACT Territory Plan land use zones. */
const act: ZoningFieldMap = {
  zone_id: null,
  code: ['LAND_USE_ZONE_CODE_ID', 'LAND_USE_Z'],
  name: ['LAND_USE_POLICY_DESC', 'DESCRIPTION', 'LAND_USE_P'],
  status: null,
  scheme: 'act',
  statewide: true,
};

/** Council layers (Queensland and others): the usual column names, no categories. */
const generic: ZoningFieldMap = {
  zone_id: null,
  code: ['ZONE_CODE', 'ZONECODE', 'CODE', 'ZONE_ABB', 'ZONE_NO'],
  name: [
    'LVL1_ZONE',
    'LVL2_ZONE',
    'ZONE_NAME',
    'ZONE_DESC',
    'ZONE',
    'LABEL',
    'DESCRIPT',
    'QPP_ZONE',
    'TRPS_ZONES',
  ],
  status: null,
  scheme: null,
  statewide: false,
};

/** Field maps by name: the state in lower case, or `generic`. All but the Victorian follow field lists, not deliveries. */
export const ZONING_FIELD_MAPS: Readonly<Record<string, ZoningFieldMap>> = {
  vic,
  nsw,
  sa,
  tas,
  act,
  generic,
};
