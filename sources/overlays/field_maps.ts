import { inForce, notEnded } from '../fields/column_filter.ts';
import type { OverlayFieldMap, ValueRule } from './field_map.ts';

/** Vicmap Planning PLAN_OVERLAY, with the column names of several dates. */
const vic: OverlayFieldMap = {
  overlay_id: ['PFI'],
  layer: { families: 'vic' },
  code: ['ZONE_CODE'],
  filters: [inForce(['ZONE_STATUS', 'ZONESTATUS'], ['g'])],
  value: { rule: 'code_and_name', name: ['ZONE_DESCRIPTION', 'ZONE_DESC'] },
  statewide: true,
};

/**
 * Builds the map of one control of the NSW environmental planning instruments. Each control is a separate layer, so none alone has every
 * overlay of the state. If all of them are configured, one of the datasets may state `coverage: state`.
 */
const epi = (layer: string, value: ValueRule, code: readonly string[] | null): OverlayFieldMap => ({
  overlay_id: null,
  layer: { is: layer },
  code,
  filters: [],
  value,
  statewide: false,
});

/** SYM_CODE of the heights is a symbol number of the map, not a code. */
const nsw_height = epi('Height of Building', { rule: 'height', figure: ['MAX_B_H'], unit: ['UNITS'] }, null);
const nsw_fsr = epi('Floor Space Ratio', { rule: 'ratio', figure: ['FSR'] }, ['SYM_CODE']);
const nsw_lot_size = epi('Minimum Lot Size', { rule: 'lot_size', figure: ['LOT_SIZE'], unit: ['UNITS'] }, [
  'SYM_CODE',
]);
const nsw_heritage = epi(
  'Heritage',
  { rule: 'heritage', class: ['LAY_CLASS'], id: ['H_ID', 'I_NO'], name: ['H_NAME'] },
  ['H_ID', 'I_NO'],
);

/**
 * South Australian Planning and Design Code, overlays and their technical values. The description is prose; `id` identifies the kind of
 * overlay, not the feature.
 */
const sa: OverlayFieldMap = {
  overlay_id: null,
  layer: { fields: ['name', 'OVERLAY', 'OVERLAY_NAME'] },
  code: null,
  filters: [notEnded('legalenddate'), notEnded('systemenddate')],
  value: { rule: 'text', fields: ['value', 'name', 'OVERLAY', 'OVERLAY_NAME'], unit: null },
  statewide: true,
};

/** Tasmanian Planning Scheme code overlays (theLIST). They lack councils on an interim scheme, so they are not statewide. */
const tas: OverlayFieldMap = {
  overlay_id: null,
  layer: { fields: ['CODE'] },
  code: ['OV_ABB'],
  filters: [],
  value: { rule: 'text', fields: ['OV_NAME', 'OV_CAT', 'CODE'], unit: null },
  statewide: false,
};

/** Western Australia, residential design codes; the licence must be accepted by name. */
const wa_rcodes: OverlayFieldMap = {
  overlay_id: null,
  layer: { is: 'Residential Design Codes' },
  code: ['rcode_no'],
  filters: [],
  value: { rule: 'text', fields: ['rcode_no'], unit: null },
  statewide: false,
};

/** Council layers (Queensland, ACT and others): the usual column names. */
const generic: OverlayFieldMap = {
  overlay_id: null,
  layer: { fields: ['CAT_DESC', 'OVERLAY', 'OVL_CAT', 'OVERLAY_NAME', 'LAYER', 'CATEGORY', 'NAME'] },
  code: ['OVL2_CAT', 'OVL_CODE', 'CODE'],
  filters: [],
  value: {
    rule: 'text',
    fields: ['OVL2_DESC', 'SUB_DESC', 'DESCRIPT', 'DESCRIPTION', 'LABEL', 'CAT_DESC', 'OVERLAY', 'NAME'],
    unit: null,
  },
  statewide: false,
};

/** Field maps by name: the state in lower case (for NSW and WA followed by the control), or `generic`. */
export const OVERLAY_FIELD_MAPS: Readonly<Record<string, OverlayFieldMap>> = {
  vic,
  nsw_height,
  nsw_fsr,
  nsw_lot_size,
  nsw_heritage,
  sa,
  tas,
  wa_rcodes,
  generic,
};
