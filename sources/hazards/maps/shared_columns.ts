import { codeIn, inForce } from '../../fields/column_filter.ts';
import { VIC_OVERLAYS } from '../../layers/vic_overlays.ts';
import { type HazardFieldMap, hazardMap } from '../field_map.ts';

const vicmap = (
  bases: readonly string[],
  other: readonly string[],
  ownNames: Partial<HazardFieldMap> & Pick<HazardFieldMap, 'layer' | 'label'>,
): HazardFieldMap =>
  hazardMap({
    feature_id: ['PFI'],
    name: ['ZONE_DESCRIPTION', 'ZONE_DESC'],
    code: ['ZONE_CODE'],
    filters: [codeIn(['ZONE_CODE'], bases, other), inForce(['ZONE_STATUS', 'ZONESTATUS'], ['g'])],
    ...ownNames,
  });

/** Builds a hazard map from some overlays of Vicmap Planning PLAN_OVERLAY, with its column names of several dates. */
export const vicmapOverlay = (
  bases: readonly string[],
  ownNames: Partial<HazardFieldMap> & Pick<HazardFieldMap, 'layer' | 'label'>,
): HazardFieldMap =>
  vicmap(
    bases,
    Object.keys(VIC_OVERLAYS).filter((base) => !bases.includes(base)),
    ownNames,
  );

/** Builds a hazard map from some zones of Vicmap Planning PLAN_ZONE: all other zones are dropped. */
export const vicmapZone = (
  bases: readonly string[],
  ownNames: Partial<HazardFieldMap> & Pick<HazardFieldMap, 'layer' | 'label'>,
): HazardFieldMap => vicmap(bases, ['*'], ownNames);

/** Columns of the NSW environmental planning instruments. Object numbers change with every release. */
export const EPI_CLASS: readonly string[] = ['LAY_CLASS', 'PURPOSE'];
export const EPI_CODE: readonly string[] = ['SYM_CODE', 'LABEL'];
/** Heritage classes, which other layers also hold if an instrument was filed under the wrong one. */
export const EPI_HERITAGE: readonly string[] = ['Item*', 'Conservation Area*', 'Aboriginal*'];
