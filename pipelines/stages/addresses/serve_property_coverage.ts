import { unreadAreaAsset } from '../../../schema/assets/coverage.ts';
import { addressHomeAsset, cadastreHomeAsset } from '../../../schema/assets/property.ts';
import { type Bbox, unionBox } from '../../../schema/grid.ts';
import { groupBy } from '../../../schema/group_by.ts';
import { censusRegionRecord } from '../../../schema/records/census.ts';
import {
  COVERAGE_THEMES,
  coverageAreaRecord,
  coveragePieceRecord,
  WHOLE_STATE,
} from '../../../schema/records/coverage.ts';
import { HAZARD_LAYERS, hazardPieceRecord } from '../../../schema/records/hazard.ts';
import { FINDER_REACH } from '../../../schema/serving/finder_defaults.ts';
import { propertyCoverageTable } from '../../../schema/serving/property_coverage.ts';
import { propertyRiskTable } from '../../../schema/serving/property_risk.ts';
import type { Row } from '../../../schema/table.ts';
import { coveredByName } from '../../../transforms/regions/coverage_area.ts';
import {
  gapBoxes,
  isWholeGap,
  themeBoxesMeeting,
  themesMeeting,
} from '../../../transforms/regions/coverage_gaps.ts';
import { publicHousingShare } from '../../../transforms/regions/demographics.ts';
import { input } from '../../engine/input.ts';
import { stage } from '../../engine/stage.ts';
import { PiecesAtPoints } from '../planning/pieces_at_points.ts';

/** Returns a function that finds the pieces containing a point. */
function piecesAt<P extends { readonly cell: number; readonly geom: Uint8Array }>(
  pieces: readonly P[],
): (lon: number | null, lat: number | null) => P[] {
  const atPoints = new PiecesAtPoints(pieces);
  return (lon, lat) => (lon === null ? [] : atPoints.at(lon, lat!).map((i) => pieces[i]!));
}

const themeOf = ({ theme }: { readonly theme: string }): string => theme;

type Lists = Pick<Row<typeof propertyCoverageTable>, 'covered' | 'unassessed' | 'not_matched'>;

const LAYERS: ReadonlySet<string> = new Set(HAZARD_LAYERS);
/** Themes that are searched on the property itself. */
const MATCHED: ReadonlySet<string> = new Set(['zoning', 'overlay', ...HAZARD_LAYERS]);

/** Returns the bounding box of an address's point and parcel; null: it has neither. */
const boxOf = ({
  min_lon,
  min_lat,
  max_lon,
  max_lat,
}: Pick<Row<typeof addressHomeAsset>, 'min_lon' | 'min_lat' | 'max_lon' | 'max_lat'>): Bbox | null =>
  min_lon === null ? null : [min_lon, min_lat!, max_lon!, max_lat!];

const AT_ADDRESSES = { kind: 'near', halo_m: 0, around: addressHomeAsset } as const;

const sorted = (themes: Iterable<string>): string[] => [...new Set(themes)].sort();

export const servePropertyCoverageStage = stage({
  name: 'serve_property_coverage',
  version: 8,
  doc: 'Rows of serving.property_coverage: the themes that a source covers, or has a finding for, at each property, except in areas that it could not read.',
  subject: 'region',
  inputs: {
    region: input(addressHomeAsset, [
      'gnaf_pid',
      'state',
      'lon',
      'lat',
      'parcel_id',
      'is_parcel_position',
      'min_lon',
      'min_lat',
      'max_lon',
      'max_lat',
      'sa1',
      'sa2',
      'sa3',
      'lga',
    ]),
    cadastre: input(cadastreHomeAsset, ['cell']),
    census: input(
      censusRegionRecord,
      ['code', 'rented_from_state', 'rented_from_community', 'tenure_total', 'tenure_not_stated'],
      { kind: 'named', column: 'code', of: (region: { sa1: string | null }) => region.sa1 },
      { level: 'SA1' },
    ),
    area: input(coverageAreaRecord, ['dataset', 'theme', 'state', 'area'], { kind: 'all' }),
    outline: input(coveragePieceRecord, ['cell', 'dataset', 'theme', 'geom'], AT_ADDRESSES),
    gap: input(unreadAreaAsset, ['dataset', 'theme', 'state', 'west', 'south', 'east', 'north'], {
      kind: 'all',
    }),
    risk: input(propertyRiskTable, ['gnaf_pid', 'layer']),
    unassessed: input(hazardPieceRecord, ['cell', 'layer', 'geom'], AT_ADDRESSES, {
      is_assessed: false,
      shape: 'polygon',
    }),
  },
  output: propertyCoverageTable,
  params: ({ hazards }) => ({
    COVERAGE_THEMES,
    WHOLE_STATE,
    HAZARD_LAYERS,
    FINDER_REACH,
    radius_m: hazards.radius_m,
  }),
  compute({ region, cadastre, census, area, outline, gap, risk, unassessed }, { cell, params, emit }) {
    const isUnread = isWholeGap(gap);
    const byName = coveredByName(area);
    const unreadByName = coveredByName(area.filter((row) => isUnread(row, row.state)));
    const outlinesAt = piecesAt(outline);
    const reachOf = (theme: string): number =>
      LAYERS.has(theme) ? params.radius_m : MATCHED.has(theme) ? 0 : params.FINDER_REACH.near_m;
    // Most gaps are far from all addresses of a cell.
    const boxes = region.map(boxOf).filter((box) => box !== null);
    const gapsHere = boxes.length === 0 ? [] : themeBoxesMeeting(gapBoxes(gap, reachOf), unionBox(boxes));
    const unassessedAt = piecesAt(unassessed);
    // The Census covers public housing if an SA1 has enough dwellings for a share.
    const countedRegions = new Set(
      census.filter((row) => publicHousingShare(row) !== null).map((row) => row.code),
    );
    const hasParcels = cadastre.length > 0;
    // Most addresses of a cell have the same themes and so share the same lists.
    const listsByKey = new Map<string, Lists>();
    const listsOf = (key: string, make: () => Lists): Lists => {
      const lists = listsByKey.get(key) ?? make();
      listsByKey.set(key, lists);
      return lists;
    };
    const risks = groupBy(risk, (row) => row.gnaf_pid);
    for (const row of region) {
      const { gnaf_pid, state, lon, lat, sa1, sa2, sa3, lga } = row;
      const box = boxOf(row);
      const isMatched = row.parcel_id !== null || row.is_parcel_position;
      const outlines = outlinesAt(lon, lat);
      // If features of a theme were not read, the claim of another source does not make it covered.
      const unread = new Set([
        ...unreadByName(state, lga),
        ...outlines.filter((outline) => isUnread(outline, state)).map(themeOf),
        ...(box === null ? [] : themesMeeting(gapsHere, box)),
      ]);
      const hasHousing = sa1 !== null && countedRegions.has(sa1);
      // A feature found nearby counts as assessed, whatever area its source claims.
      const layers = sorted((risks.get(gnaf_pid) ?? []).map(({ layer }) => layer));
      const notAssessed = unassessedAt(lon, lat)
        .map(({ layer }) => layer)
        .filter((layer) => !layers.includes(layer));
      const covers = outlines.map(themeOf);
      const key = [state, lga, covers, layers, hasHousing, [...unread], isMatched, notAssessed].join('|');
      emit({
        gnaf_pid,
        cell,
        state,
        sa2,
        sa3,
        ...listsOf(key, () => {
          const claimed = [...byName(state, lga), ...covers, ...(hasHousing ? ['public_housing'] : [])];
          const covered = sorted([
            ...claimed.filter((theme) => !unread.has(theme)),
            ...layers,
            ...(hasParcels ? ['parcel'] : []),
          ]);
          // Without its own parcel or point, a property cannot be shown to be free of a theme's features.
          const isOpen = (theme: string): boolean =>
            !isMatched && MATCHED.has(theme) && !layers.includes(theme) && !notAssessed.includes(theme);
          return {
            covered: covered.filter((theme) => !isOpen(theme)),
            unassessed: sorted(notAssessed),
            not_matched: covered.filter(isOpen),
          };
        }),
      });
    }
    return { account: { in: region.length, out: region.length, drops: {} } };
  },
});
