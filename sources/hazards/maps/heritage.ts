import { butNot, only } from '../../formats/column_filter.ts';
import { type HazardFieldMap, hazardMap } from '../field_map.ts';
import { saOverlay } from './sa_overlays.ts';
import { EPI_CLASS, vicmapOverlay } from './shared_columns.ts';
import { tasCodeOverlay } from './tas_code_overlays.ts';

const layer = 'heritage';

/** NSW planning instruments: items and conservation areas. Where an Aboriginal object is must not be shown. */
const nsw_heritage = hazardMap({
  layer,
  name: ['H_NAME', ...EPI_CLASS],
  code: ['H_ID', 'I_NO'],
  filters: [butNot(EPI_CLASS, ['Aboriginal Object*'], 'sensitive')],
  label: 'Heritage',
  statewide: true,
});

/** Vicmap Planning Heritage Overlay. */
const vic_heritage = vicmapOverlay(['HO'], { layer, label: 'Heritage Overlay', statewide: true });

/** South Australian Planning and Design Code. */
const sa_heritage = saOverlay(
  ['State Heritage Place', 'Local Heritage Place', 'State Heritage Area', 'Historic Area'],
  { layer, label: 'Heritage', statewide: true },
);

/** Tasmanian Planning Scheme code overlay. */
const tas_heritage = tasCodeOverlay(
  layer,
  ['Local Historic Heritage', 'Local Historical Heritage'],
  'Local historic heritage',
);

/** Queensland heritage register: places of the state; what councils list is not in it. */
const qld_heritage = hazardMap({
  layer,
  kinds: ['polygon', 'point'],
  feature_id: ['PLACE_ID'],
  name: ['PLACENAME', 'PLACE_NAME'],
  code: ['PLACE_ID'],
  label: 'State heritage place',
  filters: [
    butNot(
      ['STATUS'],
      ['Removed*', 'Excluded*', 'Nominated*', 'Proposed*', 'Application*', 'Destroyed*', 'Not *'],
      'not_gazetted',
    ),
  ],
});

/** Western Australia: the state register (DPLH-006) and the heritage lists of councils (DPLH-090), which are products of their own. */
const wa_heritage = hazardMap({
  layer,
  kinds: ['polygon', 'point'],
  feature_id: ['PLACE_NO', 'PLACE_NUMBER'],
  name: ['PLACE_NAME', 'NAME'],
  code: ['PLACE_NO', 'PLACE_NUMBER'],
  label: 'Heritage place',
});

/** Words that say that a record may be shown; whatever else stands there, it is not. */
const UNRESTRICTED = [
  '',
  'No',
  'N',
  'None',
  'Nil',
  'Unrestricted',
  'Not restricted',
  'No restriction*',
  'Public',
  'Open',
  'False',
  '0',
];

/** ACT heritage register: registered and provisionally registered places that are not restricted. */
const act_heritage = hazardMap({
  layer,
  kinds: ['polygon', 'point'],
  feature_id: ['HeritageID'],
  name: ['NAME'],
  code: ['HeritageID'],
  label: 'Heritage register',
  filters: [
    only(['DataRestrictions', 'DATA_RESTRICTIONS'], UNRESTRICTED, 'sensitive'),
    butNot(
      ['HRstatus', 'HR_STATUS'],
      [
        'Nominat*',
        'Not *',
        'Removed*',
        'Rejected*',
        'Cancelled*',
        'Dismissed*',
        'Decision not*',
        'Withdrawn*',
      ],
      'not_gazetted',
    ),
  ],
  statewide: true,
});

export const HERITAGE_MAPS: Readonly<Record<string, HazardFieldMap>> = {
  nsw_heritage,
  vic_heritage,
  sa_heritage,
  tas_heritage,
  qld_heritage,
  wa_heritage,
  act_heritage,
};
