import { butNot, classIn, only } from '../../fields/column_filter.ts';
import { type HazardFieldMap, hazardMap } from '../field_map.ts';

/** Geoscience Australia, foundation electricity transmission lines, without lines that are out of operation or underground. */
const au_hv_power_line = hazardMap({
  layer: 'hv_power_line',
  kinds: ['line'],
  feature_id: ['GA_GUID'],
  name: ['FEATURETYPE', 'CLASS', 'TYPE'],
  label: 'Transmission line',
  detail: { fields: ['CAPACITYKV', 'CAPACITY_KV', 'VOLTAGE', 'VOLTAGE_KV'], unit: 'kV' },
  filters: [
    {
      ...classIn(
        ['OPERATIONALSTATUS', 'OPERATIONAL_STATUS', 'STATUS'],
        ['Operational', ''],
        ['Non-Operational', 'Decommissioned', 'Proposed', 'Under construction', 'Abandoned', 'Removed'],
      ),
      optional: true,
    },
    butNot(['CLASS'], ['Underground*', 'Submarine*'], 'underground'),
  ],
  statewide: true,
});

/** National database of reported mobile black spots: points. It also lists funded base stations, which are fixes, not black spots. */
const au_mobile_black_spot = hazardMap({
  layer: 'mobile_black_spot',
  kinds: ['point'],
  feature_id: ['IDENTIFIER', 'REFERENCE', 'REF_NO', 'ID', 'NUMBER'],
  label: 'Reported mobile black spot',
  filters: [only(['MBSP_ID'], [''], 'funded_fix')],
  statewide: true,
});

export const NETWORK_MAPS: Readonly<Record<string, HazardFieldMap>> = {
  au_hv_power_line,
  au_mobile_black_spot,
};
