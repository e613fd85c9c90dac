import { classIn } from '../../formats/column_filter.ts';
import { type HazardFieldMap, hazardMap } from '../field_map.ts';

/** Geoscience Australia, foundation electricity transmission lines; lines that are not in operation are left out. */
const au_hv_power_line = hazardMap({
  layer: 'hv_power_line',
  kinds: ['line'],
  name: ['FEATURETYPE', 'CLASS', 'TYPE'],
  label: 'Transmission line',
  detail: { fields: ['CAPACITYKV', 'CAPACITY_KV', 'VOLTAGE', 'VOLTAGE_KV'], unit: 'kV' },
  filters: [
    { ...classIn(['OPERATIONALSTATUS', 'OPERATIONAL_STATUS', 'STATUS'], ['Operational']), optional: true },
  ],
  statewide: true,
});

/** National database of reported mobile black spots: points. */
const au_mobile_black_spot = hazardMap({
  layer: 'mobile_black_spot',
  kinds: ['point'],
  feature_id: ['MBSP_ID', 'REFERENCE', 'REF_NO', 'ID', 'NUMBER'],
  label: 'Reported mobile black spot',
  statewide: true,
});

export const NETWORK_MAPS: Readonly<Record<string, HazardFieldMap>> = {
  au_hv_power_line,
  au_mobile_black_spot,
};
