import type { HazardLayer } from '../../../schema/records/hazard.ts';
import { classIn, codeIn, inForce } from '../../formats/column_filter.ts';
import { type HazardFieldMap, hazardMap } from '../field_map.ts';

/** A hazard that is some of the overlays of Vicmap Planning PLAN_OVERLAY, with the column names of several dates. */
export const vicmapOverlay = (
  bases: readonly string[],
  own: Partial<HazardFieldMap> & Pick<HazardFieldMap, 'layer' | 'label'>,
): HazardFieldMap =>
  hazardMap({
    feature_id: ['PFI'],
    name: ['ZONE_DESCRIPTION', 'ZONE_DESC'],
    code: ['ZONE_CODE'],
    filters: [codeIn(['ZONE_CODE'], bases), inForce(['ZONE_STATUS', 'ZONESTATUS'], ['g'])],
    ...own,
  });

/** Columns of the NSW environmental planning instruments. Object numbers change with every release. */
export const EPI_CLASS: readonly string[] = ['LAY_CLASS', 'PURPOSE'];
export const EPI_CODE: readonly string[] = ['SYM_CODE', 'LABEL'];

/** A hazard that is some of the overlays of the South Australian Planning and Design Code, by their names. */
export const saOverlay = (
  names: readonly string[],
  own: Partial<HazardFieldMap> & Pick<HazardFieldMap, 'layer' | 'label'>,
): HazardFieldMap => {
  const column = ['name', 'OVERLAY', 'OVERLAY_NAME'];
  return hazardMap({ name: column, filters: [classIn(column, names)], ...own });
};

/** A hazard that is one code of the Tasmanian Planning Scheme code overlays; councils on an interim scheme are not in it. */
export const tasCodeOverlay = (
  layer: HazardLayer,
  codes: readonly string[],
  label: string,
  severity: HazardFieldMap['severity'] = {},
): HazardFieldMap =>
  hazardMap({ layer, label, name: ['OV_CAT', 'CODE'], filters: [classIn(['CODE'], codes)], severity });
