import { butNot, listedInRegister, NOT_LISTED } from '../../fields/column_filter.ts';
import { type HazardFieldMap, type HeritageListing, hazardMap } from '../field_map.ts';
import { saOverlay } from './sa_overlays.ts';
import { EPI_CLASS, vicmapOverlay } from './shared_columns.ts';
import { tasCodeOverlay } from './tas_code_overlays.ts';

const layer = 'heritage';

/** Kinds of registers by the names of their files and layers. */
const REGISTERS: Readonly<Record<string, string>> = {
  '*agreement*': 'Heritage agreement',
  '*aggreement*': 'Heritage agreement',
  '*protection*order*': 'Protection order',
  '*conservation*order*': 'Conservation order',
  '*heritage*area*': 'Heritage area',
  '*precinct*': 'Heritage precinct',
  '*local*': 'Local heritage list',
  '*municipal*': 'Local heritage list',
  '*heritage*list*': 'Local heritage list',
  '*survey*': 'Local heritage survey',
  '*state*register*': 'State register place',
  '*state*heritage*': 'State register place',
  '*world*heritage*': 'World heritage',
  '*national*heritage*': 'National heritage',
  '*commonwealth*heritage*': 'Commonwealth heritage',
  '*aboriginal*': 'Aboriginal heritage',
};

/** Columns in which registers state the kind of a listing. */
const LISTED_AS: readonly string[] = [
  'LISTING_TYPE',
  'LISTING',
  'REGISTER_TYPE',
  'REGISTER',
  'HERITAGE_TYPE',
];

const registers = (fields: readonly string[], ...main: readonly string[]): HeritageListing => ({
  fields: [...fields, ...LISTED_AS],
  layers: REGISTERS,
  main,
});

/** Heritage lists of other publishers. */
export const OTHER_REGISTERS: HeritageListing = registers(['CLASS', 'CATEGORY', 'OVL2_DESC', 'TYPE']);

/** NSW planning instruments: items and conservation areas. */
const nsw_heritage = hazardMap({
  layer,
  name: ['H_NAME', ...EPI_CLASS],
  listing: registers(EPI_CLASS),
  code: ['H_ID', 'I_NO'],
  label: 'Heritage',
  filters: [listedInRegister()],
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

/** Queensland heritage register: places of the state; and the lists of councils, which use other column names. */
const qld_heritage = hazardMap({
  layer,
  kinds: ['polygon', 'point'],
  feature_id: ['PLACE_ID'],
  name: ['PLACENAME', 'PLACE_NAME', 'SITE_NAME', 'HERITAGE_NAME', 'NAME', 'OVL2_DESC'],
  listing: registers(
    ['OVL2_DESC', 'LAYER'],
    '*state*heritage*',
    '*state*register*',
    '*queensland*heritage*register*',
  ),
  code: ['PLACE_ID'],
  label: 'Heritage place',
  filters: [listedInRegister('STATUS')],
});

/**
 * Western Australia: the state register (DPLH-006) and the heritage lists of councils (DPLH-090), which are separate products. Places that
 * were only assessed (DPLH-007) are not registered.
 */
const wa_heritage = hazardMap({
  layer,
  kinds: ['polygon', 'point'],
  feature_id: ['PLACE_NO', 'PLACE_NUMBER'],
  name: ['PLACE_NAME', 'NAME'],
  listing: registers(['HER_RECORD'], '*dplh*006*', '*state*register*'),
  code: ['PLACE_NO', 'PLACE_NUMBER'],
  label: 'Heritage place',
  filters: [butNot(['HER_RECORD'], ['*Assessment*', ...NOT_LISTED], 'not_gazetted'), listedInRegister()],
});

/** ACT heritage register: registered and provisionally registered places that are not restricted. */
const act_heritage = hazardMap({
  layer,
  kinds: ['polygon', 'point'],
  feature_id: ['HeritageID'],
  name: ['NAME'],
  listing: registers([], '*heritage*register*'),
  code: ['HeritageID'],
  label: 'Heritage register',
  filters: [listedInRegister('HRstatus', 'HR_STATUS')],
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
