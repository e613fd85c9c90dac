import { codeIn, inForce } from '../../fields/column_filter.ts';
import { VIC_OVERLAYS } from '../../layers/vic_overlays.ts';
import { type HazardFieldMap, hazardMap } from '../field_map.ts';

const vicmap = (
  bases: readonly string[],
  other: readonly string[],
  own: Partial<HazardFieldMap> & Pick<HazardFieldMap, 'layer' | 'label'>,
): HazardFieldMap =>
  hazardMap({
    feature_id: ['PFI'],
    name: ['ZONE_DESCRIPTION', 'ZONE_DESC'],
    code: ['ZONE_CODE'],
    filters: [codeIn(['ZONE_CODE'], bases, other), inForce(['ZONE_STATUS', 'ZONESTATUS'], ['g'])],
    ...own,
  });

/** A hazard that is some of the overlays of Vicmap Planning PLAN_OVERLAY, with the column names of several dates. */
export const vicmapOverlay = (
  bases: readonly string[],
  own: Partial<HazardFieldMap> & Pick<HazardFieldMap, 'layer' | 'label'>,
): HazardFieldMap =>
  vicmap(
    bases,
    Object.keys(VIC_OVERLAYS).filter((base) => !bases.includes(base)),
    own,
  );

/** A hazard that is some of the zones of Vicmap Planning PLAN_ZONE: every other zone is none. */
export const vicmapZone = (
  bases: readonly string[],
  own: Partial<HazardFieldMap> & Pick<HazardFieldMap, 'layer' | 'label'>,
): HazardFieldMap => vicmap(bases, ['*'], own);

/** Columns of the NSW environmental planning instruments. Object numbers change with every release. */
export const EPI_CLASS: readonly string[] = ['LAY_CLASS', 'PURPOSE'];
export const EPI_CODE: readonly string[] = ['SYM_CODE', 'LABEL'];
/** Classes of heritage, which other layers hold too where an instrument was filed under the wrong one. */
export const EPI_HERITAGE: readonly string[] = ['Item*', 'Conservation Area*', 'Aboriginal*'];
